"""Engine of this process: the built-in one, or that of an installed package with policies.

A package with policies has an entry point of the group ``venice.policies``, whose value is an
extension module with the complete engine and further policies. If exactly one is installed, it
takes the place of ``venice._native``.
"""
