"""Programs for the build and release of Venice; not part of the wheel."""
