"""Prepare what mkdocstrings shows; it loads this module as an extension of griffe."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

from griffe import (
    Class,
    ExprSubscript,
    Extension,
    Function,
    Module,
    Object,
    Parameter,
    ParameterKind,
    Parameters,
)


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
        _show_plain_types(pkg, pkg)
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


def _show_plain_types(obj: Object, package: Module) -> None:
    """Replace `Annotated[T, …]` by `T`, and `**arguments: Unpack[T]` by the keys of `T`."""
    for member in obj.members.values():
        if member.is_alias:
            continue
        if member.is_function:
            member.parameters = Parameters(
                *(plain for each in member.parameters for plain in _unpacked(each, package))
            )
        elif member.is_attribute:
            member.annotation = _plain(member.annotation)
        else:
            _show_plain_types(member, package)


def _unpacked(parameter: Parameter, package: Module) -> Iterator[Parameter]:
    annotation = parameter.annotation
    is_unpacked = isinstance(annotation, ExprSubscript) and str(annotation.left) == "Unpack"
    name = str(annotation.slice) if is_unpacked else ""
    if name not in package["arguments"].members:
        parameter.annotation = _plain(annotation)
        yield parameter
        return
    for key, value in _keys(package["arguments"][name]).items():
        yield Parameter(key, annotation=value, kind=ParameterKind.keyword_only, default="...")


def _keys(mapping: Class) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for base in mapping.bases:
        parent = mapping.module.members.get(str(base))
        found |= _keys(parent) if isinstance(parent, Class) else {}
    return found | {name: _plain(each.annotation) for name, each in mapping.attributes.items()}


def _plain(annotation: Any) -> Any:
    if isinstance(annotation, ExprSubscript) and annotation.canonical_path.endswith("Annotated"):
        return annotation.slice.elements[0]
    return annotation
