"""Draws hostile inputs and lists those that break a rule."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .draws import Input, Judged, judge_all, spread
from .entrances import ENTRANCES


def main() -> int:
    """Draw and judge the inputs that the arguments select; return 1 if one broke a rule."""
    options = _options()
    chosen = options.entrance or sorted(ENTRANCES)
    inputs = [one for seed in options.seed for one in spread(seed, options.inputs, chosen)]
    if options.number is not None:
        inputs = [Input(seed, name, options.number) for seed in options.seed for name in chosen]
    broken = [judged for judged in judge_all(inputs, options.keep) if _tell(judged)]
    print(f"{len(inputs)} inputs, {len(broken)} break a rule")
    return bool(broken)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m python.tests.hostile", description=__doc__)
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="seeds [default: 1]")
    parser.add_argument(
        "--inputs",
        type=int,
        default=1000,
        help="inputs for each seed, over all entrances [default: 1000]",
    )
    parser.add_argument(
        "--entrance", nargs="+", choices=sorted(ENTRANCES), help="entrances [default: all]"
    )
    parser.add_argument(
        "--number", type=int, help="the input of this number alone, of one entrance"
    )
    parser.add_argument(
        "--keep", type=Path, help="a folder for the files of inputs that break a rule"
    )
    return parser.parse_args()


def _tell(judged: Judged) -> bool:
    if judged.faults:
        print(judged, flush=True)
    return bool(judged.faults)


if __name__ == "__main__":
    sys.exit(main())
