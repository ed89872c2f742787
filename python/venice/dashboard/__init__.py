"""Live page of the sweeps or the search in a folder.

The page is served by this machine to itself, reads the store every second, and draws with Vega. It
loads nothing from elsewhere.
"""
