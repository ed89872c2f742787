"""Live page of the progress of sweeps or a search whose results are in a folder.

The page is served only to this machine, is refreshed every second, and draws plots with Vega. It
loads nothing from other hosts.
"""
