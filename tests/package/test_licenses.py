"""THIRD_PARTY_LICENSES.md lists what is linked, is part of the package, and has only accepted licenses."""

import re
import tomllib
from pathlib import Path

import pytest
from rust import licenses

from anyread.arguments import limits

WRITTEN = licenses.DOCUMENT.read_text("utf-8")
PROJECT = tomllib.loads((licenses.ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def crate(directory: Path, expression: str, **files: str) -> licenses.Crate:
    """Make a crate with these files; `__` in a name is a hyphen."""
    for name, text in files.items():
        (directory / name.replace("__", "-")).write_text(text, "utf-8")
    return licenses.Crate("some-crate", "1.0.0", expression, "", directory)


@pytest.mark.posix("cargo")
def test_document_names_the_linked_crates_with_their_notices() -> None:
    """After a change of Cargo.lock, `make licenses` updates the document or refuses a license."""
    forged = WRITTEN.replace("| MIT OR Apache-2.0 |", "| MIT |", 1).replace(
        "Copyright (c) 2017 Maiddog", "", 1
    )
    assert forged != WRITTEN
    assert licenses.document(forged) == WRITTEN


def test_document_names_the_installed_dependencies() -> None:
    _, _, section = WRITTEN.partition("## Installed beside it")
    requirements = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["mcp"]]
    names = [re.split(r"[<>=]", requirement)[0] for requirement in requirements]
    assert [name for name in names if f"`{name}`" not in section.partition("\n## ")[0]] == []


def test_document_names_the_vocabularies_that_are_compiled_in() -> None:
    vocabularies = [name for name in limits._TOKENIZERS if name is not None]
    assert vocabularies
    assert [name for name in vocabularies if f"`{name}`" not in WRITTEN] == []


@pytest.mark.parametrize(
    ("expression", "used"),
    [
        ("MIT", ["MIT"]),
        ("Unlicense OR MIT", ["MIT"]),
        ("MIT/Apache-2.0", ["MIT"]),
        ("Apache-2.0 OR BSD-3-Clause", ["BSD-3-Clause"]),
        ("BSD-3-Clause OR MIT", ["MIT"]),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", ["MIT"]),
        ("(Apache-2.0 OR MIT) AND BSD-3-Clause", ["MIT", "BSD-3-Clause"]),
        ("MIT AND (Unicode-3.0 OR GPL-3.0-only)", ["MIT", "Unicode-3.0"]),
    ],
)
def test_expression_is_met_by_accepted_licenses(expression: str, used: list[str]) -> None:
    assert licenses.chosen(expression) == used


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "GPL-3.0-only",
        "MIT AND MPL-2.0",
        "(MIT OR Apache-2.0) AND LGPL-3.0-or-later",
        "MIT WITH some-exception",
        "MIT AND",
        "MIT MIT",
        "(MIT",
        "MIT)",
    ],
)
def test_expression_that_cannot_be_met_is_refused(expression: str) -> None:
    with pytest.raises(licenses.UnacceptableLicenseError, match="cannot be met"):
        licenses.chosen(expression)


def test_crate_without_its_license_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(licenses.UnacceptableLicenseError, match="no file with the text of BSD-3-Clause"):
        list(licenses.notices_of(crate(tmp_path, "BSD-3-Clause", LICENSE__MIT="Permission is granted")))


def test_foreign_license_among_the_sources_is_refused(tmp_path: Path) -> None:
    (tmp_path / "src" / "vendored").mkdir(parents=True)
    (tmp_path / "src" / "vendored" / "LICENSE-GPL").touch()
    with pytest.raises(licenses.UnacceptableLicenseError, match="LICENSE-GPL"):
        list(licenses.notices_of(crate(tmp_path, "MIT", LICENSE="Permission is granted")))
