"""Import of ``venice._native`` from the selected package."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec

TYPE_CHECKING = False  # importing `typing` takes longer than the rest of this module

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from types import ModuleType

    from venice.engine.packages import PolicyPackage
else:
    Loader = object

ENGINE = "venice._native"
"""Name of the module."""


class EngineFinder:
    """Import hook for the selected package's ``venice._native``, placed in ``sys.meta_path``."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module specification for the selected package; ``None`` for other modules.

        Raises
        ------
        EngineError
            See :func:`venice.engine.packages.selected_package`.
        """
        _ = path, target
        if name != ENGINE:
            return None
        from venice.engine.packages import selected_package  # noqa: PLC0415 with the engine alone

        package = selected_package()
        return None if package is None else ModuleSpec(name, _Loader(package))


class _Loader(Loader):
    """Loader that imports the extension module of a package."""

    def __init__(self, package: PolicyPackage) -> None:
        self.package = package

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        from venice.engine.packages import EngineError  # noqa: PLC0415 see `find_spec`

        _ = spec
        try:
            module = import_module(self.package.module)
        except ImportError as error:
            raise EngineError(
                f"the engine of `{self.package}` cannot be loaded: {error}\n"
                "   = expected: a package that was built for this version of Venice; build it again"
            ) from error
        # The digest of the engine is that of the module's file.
        if not str(module.__file__).endswith(tuple(EXTENSION_SUFFIXES)):
            raise EngineError(
                f"the module `{self.package.module}` of `{self.package}` is no extension module\n"
                "   = expected: the name of the module that contains the engine, as in the entry"
                " point of `venice policy new`"
            )
        _check_version(module, self.package)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing, because importing an extension module also executes it."""


def _check_version(module: ModuleType, package: PolicyPackage) -> None:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 seldom needed

    from venice.engine.packages import EngineError  # noqa: PLC0415 see `find_spec`

    try:
        expected = version("venice-ssd")
    except PackageNotFoundError:
        return
    found = module.build_info()[0]
    if found != expected:
        raise EngineError(
            f"the engine of `{package}` is of Venice {found}, but Venice {expected} is installed\n"
            f"   = expected: the same version; build `{package.name}` again"
        )


def install_finder() -> None:
    """Register the hook that imports ``venice._native`` from the selected package."""
    sys.meta_path.insert(0, EngineFinder)
