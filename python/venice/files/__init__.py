"""Input and output files: size limits, pipes, atomic outputs, collisions."""
