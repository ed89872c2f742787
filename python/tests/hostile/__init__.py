"""Hostile inputs, drawn from a seed, for every entry point of Venice.

``python -m python.tests.hostile --seed 1 --inputs 1000`` draws and judges them; ``make hostile``
and ``make nightly`` do so with more seeds, ``test_hostile.py`` with fewer inputs.

One file of ``entrances`` draws the inputs of one entrance. Each input is a :class:`.case.Case`,
which a process of its own runs under limits of memory and time (``forks.py``). ``verdict.py`` has
the rules that no input may make Venice break.
"""
