"""JavaScript modules sent as one: small files to read, and one request to wait for.

Not a bundler: it knows the two forms in which our own modules import and export, and refuses
everything else. Each module keeps a scope of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import TopologicalSorter

IMPORT = re.compile(r"^import \{([^}]*)\} from '\./(\w+)\.js';$", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def joined(modules: Mapping[str, str], first: str) -> str:
    """The module `first` after all that it needs, by their names. Raises ValueError where one is
    written in another way, or needs itself."""
    needs: dict[str, set[str]] = {}
    todo = [first]
    while todo:
        name = todo.pop()
        if name not in needs:
            needs[name] = {match[2] for match in IMPORT.finditer(modules[name])}
            todo += needs[name]
    return "\n".join(
        _scoped(name, modules[name]) for name in TopologicalSorter(needs).static_order()
    )


def _scoped(name: str, text: str) -> str:
    exported = ", ".join(EXPORT.findall(text))
    plain = EXPORT.sub("", IMPORT.sub(_imported, text))
    if left := OTHER.search(plain):
        raise ValueError(f"{name}.js cannot be joined with others: {left[0]}")
    return f"const ${name} = (() => {{\n{plain}\nreturn {{ {exported} }};\n}})();\n"


def _imported(match: re.Match[str]) -> str:
    return f"const {{{match[1].replace(' as ', ': ')}}} = ${match[2]};"
