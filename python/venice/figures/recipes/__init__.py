"""The recipes, one file each; :mod:`venice.figures.recipe` has their contract."""
