"""Live page of the sweeps or the search in a folder.

The page is served to this machine only, reads the store every second, and draws with Vega. It loads
nothing from other hosts.
"""
