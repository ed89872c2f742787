"""Tests of the Python front and of the whole program through it."""
