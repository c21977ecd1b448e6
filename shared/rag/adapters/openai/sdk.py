"""The vendor's SDK, imported without the types of every API that it has: we use two of them.

`import openai` builds 500 modules of pydantic models, which is a quarter of a cold start. Here the
packages below `openai.types` run their own `__init__` only when a name is asked of them that is
none of their modules; what is used is imported from its own module, as ever.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import get_ident
from types import ModuleType

TYPES = "openai.types"
_running: set[tuple[str, int]] = set()  # packages whose own code runs, and in which thread


def prepare() -> None:
    """Make the next `import openai` a light one. Once is enough; after the import it is too late,
    and harmless."""
    if TYPES not in sys.modules and not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != TYPES and not name.startswith(f"{TYPES}."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None and spec.submodule_search_locations:
            spec.loader = _Later(spec.loader)
        return spec


class _Later(Loader):
    """Makes a package whose own code waits."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Package(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Not now."""


class _Package(ModuleType):
    def __getattr__(self, name: str) -> object:
        spec, thread = self.__spec__, get_ident()
        assert spec is not None  # noqa: S101
        is_module = PathFinder.find_spec(f"{spec.name}.{name}", spec.submodule_search_locations)
        if name.startswith("__") or is_module or (spec.name, thread) in _running:
            raise AttributeError(name)  # the import system then looks for the module
        # No lock: it would be held while waiting for those of the import system, and the other way
        # round. Two threads that run this at once import the same modules.
        if isinstance(spec.loader, _Later):
            _running.add((spec.name, thread))
            try:
                spec.loader.loader.exec_module(self)
            finally:
                _running.discard((spec.name, thread))
            self.__class__ = ModuleType  # type: ignore[assignment]
        return getattr(self, name)
