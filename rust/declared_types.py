"""Write what calls of the core return, by `_native.pyi`, for `decoding/host/core_types.py`.

A test compares it; `python rust/declared_types.py` writes it.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "python" / "anyread"
TABLE = PACKAGE / "decoding" / "host" / "core_types.json"


def table() -> str:
    """Return the type of the result of each call, those of the attributes of each class, and the aliases."""
    calls: dict[str, str] = {}
    aliases: dict[str, str] = {}
    classes: dict[str, dict[str, str]] = {}
    for node in ast.parse((PACKAGE / "_native.pyi").read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.returns:
            calls[node.name] = ast.unparse(node.returns)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            aliases[node.target.id] = ast.unparse(node.value)
        elif isinstance(node, ast.ClassDef):
            calls[node.name] = node.name
            own = classes[node.name] = {}
            members = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            for each in sorted(members, key=lambda each: each.name):
                if each.returns is None:
                    continue
                if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in each.decorator_list):
                    own[each.name] = ast.unparse(each.returns)
                elif not each.name.startswith("_"):
                    calls[f"{node.name}.{each.name}"] = ast.unparse(each.returns)
    return json.dumps({"calls": calls, "classes": classes, "aliases": aliases}, indent=1) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
