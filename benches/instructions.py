"""Count the instructions of ten cases with Valgrind and compare them with a committed table.

The count does not depend on what else the machine does. The program is
built as the tests are (profile `dev`: optimised a little, with checks), so that they share all
libraries.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TABLE = Path(__file__).with_name("instructions.toml")
EXAMPLE = "instructions"
TOLERANCE = 0.02
HEADER = f"""\
# Instructions of the cases of crates/ssd/examples/{EXAMPLE}.rs in the profile `dev`, counted by
# `make instructions`; `make instructions BLESS=1` writes them again.
"""


def run(command: list[str], *, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command of this file; return what it said. Its errors go on where it must succeed."""
    errors = None if check else subprocess.PIPE
    return subprocess.run(  # noqa: S603 ours
        command, check=check, text=True, stdout=subprocess.PIPE, stderr=errors
    )


def build() -> Path:
    """Build the program; return its path."""
    command = ["cargo", "build", "--quiet", "--locked", "--workspace", "--example", EXAMPLE]
    run(command)
    return Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "debug" / "examples" / EXAMPLE


def cases(program: Path) -> list[str]:
    """Return the names of all cases."""
    return run([str(program)]).stdout.split()


def count(program: Path, case: str) -> int:
    """Count the instructions of a case."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", "--toggle-collect=instructions::counted*"]
        command += [f"--callgrind-out-file={folder}/out", str(program), case]
        done = run(command, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None or int(found[1]) == 0:
        sys.exit(f"error: the case {case} was not counted:\n{done.stderr}")
    return int(found[1])


def compiler() -> str:
    """Return the version of the compiler, on which counts depend."""
    return run(["rustc", "--version"]).stdout.split()[1]


def write(found: dict[str, int]) -> None:
    """Write the table."""
    rows = "".join(f"{case} = {number:_}\n" for case, number in found.items())
    TABLE.write_text(f'{HEADER}rustc = "{compiler()}"\n\n[instructions]\n{rows}', encoding="utf-8")


def compare(found: dict[str, int]) -> bool:
    """Print what was counted beside the table; whether each case is within the tolerance.

    A table of another compiler's counts is shown, and nothing fails.
    """
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    expected: dict[str, int] = table["instructions"]
    good = expected.keys() == found.keys()
    if not good:
        print(f"error: {TABLE} has not the cases that there are")
    for case, number in found.items():
        before = expected.get(case, number)
        over = number / before - 1
        is_near = abs(over) <= TOLERANCE
        good &= is_near
        print(f"{case:8} {number:13,} {over:+8.2%}{'' if is_near else '  <-- not within 2 %'}")
    if not good and table["rustc"] != compiler():
        print(f"The table is of rustc {table['rustc']}, this is {compiler()}, and counts")
        print("differ with the compiler, so nothing fails.")
        print("`make instructions BLESS=1` writes the table anew.")
        return True
    if not good:
        print("error: the engine takes other instructions than before. If that is meant, run")
        print("`make instructions BLESS=1` and say why in the change.")
    return good


def main() -> None:
    """Count all cases; compare, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bless", action="store_true", help="write the table instead")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("error: instructions are counted by Valgrind, which is not installed")
    try:
        program = build()
    except subprocess.CalledProcessError:
        sys.exit("error: the program that is counted was not built")
    names = cases(program)
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(names, pool.map(lambda case: count(program, case), names), strict=True))
    if arguments.bless:
        write(found)
    elif not compare(found):
        sys.exit(1)


if __name__ == "__main__":
    main()
