"""Packages with policies: their template, and checks of the policies that are loaded."""

from __future__ import annotations

from venice._native import check_policy

__all__ = ["contract_violation"]


def contract_violation(name: str) -> str | None:
    """Return a violation of the contract by the policies called `name`; ``None`` if there is none.

    The policies of all kinds with this name are checked, with the defaults of their parameters.

    Raises
    ------
    UsageError
        If no installed package has such a policy.
    """
    return check_policy(name)
