"""Formatting of numbers, names and tables for messages and notebooks."""
