"""Programs for those who build and release Venice; none is in the wheel."""
