"""What goes into a game and what comes out: claims of Fool Me Twice, data sets, and the time people played."""
