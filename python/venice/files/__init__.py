"""Reading and writing of files: bounds, pipes, whole outputs, collisions."""
