"""Instructions in a bundle for the people who evaluate it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.bundles.manifest import CONFIGURATIONS, LOG, MANIFEST, REQUIREMENTS, SCRIPT
from venice.text import counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venice.bundles.manifest import Manifest

_TEXT = """\
# Artifact

{commands} of Venice {version}, a simulator of solid-state drives, made the results in this folder:
{runs} with the seeds {seeds}.

Run everything again in a new folder and compare the results with the ones here:

```console
$ pip install -r {requirements}
$ venice bundle redo .
```

Data (CSV, JSON) have to be equal byte for byte, except for wall times. Pictures are equal if the
versions of the packages are. The exit code is 3 if data differ.

| file | content |
| --- | --- |
| `{script}` | the commands |
| `{log}` | what they printed, with the captions of figures |
| `{manifest}` | SHA-256 of each input and result, seeds, versions of packages and system |
| `{configurations}` | complete configuration of each simulated drive |
| `{requirements_file}` | versions of the Python packages |

Inputs: {inputs}.

Results: {results}.
"""


def readme_of(manifest: Manifest) -> str:
    """Return the text of the bundle's README."""
    return _TEXT.format(
        commands=counts.of(len(manifest.commands), "command"),
        version=manifest.environment["venice"],
        runs=counts.of(manifest.runs, "run"),
        seeds=_listed(map(str, manifest.seeds)),
        requirements=REQUIREMENTS,
        requirements_file=REQUIREMENTS,
        script=SCRIPT,
        log=LOG,
        manifest=MANIFEST,
        configurations=CONFIGURATIONS,
        inputs=_listed(f"`{name}`" for name in manifest.inputs),
        results=_listed(f"`{name}`" for name in manifest.results),
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
