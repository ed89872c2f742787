"""Migration of definition files whose keys have been renamed."""
