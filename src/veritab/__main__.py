"""`python -m veritab` is the command line."""

from veritab.cli import main

main()
