"""The recipes, one file each; :mod:`venice.figures.recipe` states the rules for them."""
