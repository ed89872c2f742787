"""The PIQ paper's figures, in their order, and what we add."""

from __future__ import annotations

from venice.reproduce.experiments import piq_claims

EXPERIMENTS = (piq_claims.EXPERIMENT,)
