"""What goes into a studio and what comes out: files of claims and annotations, and works that outlive a restart."""
