"""What the commands do, apart from reading the command line: find, run, write, and answer mistakes."""
