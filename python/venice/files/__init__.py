"""Reading and writing of files: size limits, pipes, atomic outputs, collisions."""
