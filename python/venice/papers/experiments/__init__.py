"""One file for each experiment."""
