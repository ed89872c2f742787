"""Bundles for artifact evaluation: commands with their input files, outputs and environment.

A bundle is a folder in which the commands can be run again anywhere. ``bundle.json`` has the
digests of all files, the seeds of the runs and the versions of the packages.
"""
