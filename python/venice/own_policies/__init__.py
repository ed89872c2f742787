"""Packages with user-defined policies: their template, and checks of loaded policies."""

from __future__ import annotations

from venice._native import check_policy

__all__ = ["contract_violation"]


def contract_violation(name: str) -> str | None:
    """Check the policies named `name` against their interface; return the first violation, if any.

    The policies of all kinds with this name are checked, with the defaults of their parameters.

    Raises
    ------
    UsageError
        If no installed package has such a policy.
    """
    return check_policy(name)
