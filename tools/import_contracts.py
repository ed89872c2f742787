"""Contract of import-linter on the modules of the package: no import cycle."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from importlinter import Contract, ContractCheck, output

if TYPE_CHECKING:
    from grimp import ImportGraph


class AcyclicModules(Contract):
    """No module is reachable from itself over imports, those of functions included.

    import-linter's own contract on siblings accepts a cycle between a package and its modules.
    Imports of a root package are not counted: it loads every name on first use.
    """

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002 as the base class
        """Search the graph for a cycle."""
        imports = {
            module: graph.find_modules_directly_imported_by(module)
            for module in graph.modules
            if "." in module
        }
        try:
            TopologicalSorter(imports).prepare()
        except CycleError as error:
            return ContractCheck(kept=False, metadata={"cycle": error.args[1]})
        return ContractCheck(kept=True)

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the cycle, each module before the one that imports it."""
        output.print_error(" <- ".join(check.metadata["cycle"]))
