"""Migration of definition files to the current names of keys."""
