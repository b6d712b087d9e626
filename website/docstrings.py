"""Prepare what mkdocstrings shows; it loads this module as an extension of griffe."""

from __future__ import annotations

import copy
import re
from typing import Any

from griffe import Alias, ExprSubscript, Extension, Function, Module, Object, Parameters


class Docstrings(Extension):
    """Show examples as code, types without metadata, and the functions of the default reader as functions."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Name the section of examples as griffe does."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = re.sub(r"^( *)Example:$", r"\1Examples:", text, flags=re.MULTILINE)

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Replace `read = _default.read` by the method that it is."""
        if pkg.name != "anyread":
            return
        _show_plain_types(pkg)
        for name in pkg.exports or ():
            # These modules make their `__all__` when they are imported, which griffe does not do.
            parts = [pkg[each] for each in ("errors", "results") if name in pkg[each].members]
            if parts and name not in pkg.members:
                pkg.set_member(name, Alias(name, parts[0].members[name], parent=pkg))
        module = pkg["reader"]
        for name, member in list(module.members.items()):
            if member.is_alias:
                continue
            value = str(member.value) if member.is_attribute else ""
            if value.startswith("_default."):
                method = value.removeprefix("_default.")
                module.set_member(name, _as_function(module["Reader"][method]))


def _as_function(method: Function) -> Function:
    function = copy.copy(method)
    function.parameters = Parameters(*(each for each in method.parameters if each.name != "self"))
    return function


def _show_plain_types(obj: Object) -> None:
    """Replace `Annotated[T, …]` by `T`, and `lazy.T` by the public name `T`; drop labels without meaning."""
    for member in obj.members.values():
        if member.is_alias:
            continue
        if member.is_function:
            member.returns = _plain(member.returns)
            for parameter in member.parameters:
                parameter.annotation = _plain(parameter.annotation)
        elif member.is_attribute:
            member.annotation = _plain(member.annotation)
            member.labels -= {"class-attribute", "instance-attribute"}
        else:
            _show_plain_types(member)


def _plain(annotation: Any) -> Any:
    if isinstance(annotation, ExprSubscript) and annotation.canonical_path.endswith("Annotated"):
        return annotation.slice.elements[0]
    return None if annotation is None else re.sub(r"\blazy\.", "", str(annotation))
