"""Options of a run: types, bounds, checks, and conversion for the engine."""
