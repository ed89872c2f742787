"""Functions of the Python API that run drives and compare them."""
