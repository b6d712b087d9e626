"""The formats that are read as parts: one line each, and one module each, which is loaded on first use.

What a line says is all that the rest of the package knows about a format. Checks of arguments, hints,
footers, `info`, `survey`, the schema of the tool and the core's detection come from this list.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

ParsedIn: TypeAlias = Literal["core", "decoder", "host"]


class Format(NamedTuple):
    """The declaration of a format."""

    kind: str
    """Its kind: of `kind=…`, of a page, of `Info`."""
    a_kind: str
    """What a file of it is called in a sentence."""
    files: str
    """What its files are called in a list of all kinds; everything that names kinds to people or models must
    have these words."""
    example: str
    """A file of `anyread demo`, and a place in it, as Python, the command line and the tool take it."""
    unit: tuple[str, str]
    """What one part is called, and several."""
    media_types: tuple[str, ...]
    """The media types of its files; one that ends in "/" is the beginning of several.

    A file has the most special format of its type. Without any, its files are text unless the call names the
    kind.
    """
    takes: frozenset[str]
    """The arguments that choose and show its parts; all formats take those of `COMMON`."""
    parsed_in: ParsedIn | None = "host"
    """What parses its files: the Rust core, which can do so in a decoder process too; a decoder process; or
    Python in this process, which is refused where a sandbox is required. `None`: nothing is parsed."""
    extensions: tuple[str, ...] = ()
    """Extensions that the core does not know, in lower case; such files have the first of its media types."""
    is_text: bool = False
    """Whether files with these extensions are text, and only files that are text."""
    module: str = ""
    """The module below `anyread.formats` with its `open`; by default its kind."""


COMMON = frozenset({"max_tokens", "max_bytes", "since_version", "unless_version", "kind"})
_WINDOW = frozenset({"offset", "limit", "around", "ranges", "column"})
_PAGES = frozenset({"offset", "limit", "pages", "ranges", "region"})

TEXT = Format(
    "text",
    "text",
    "text",
    "server.log:400000",
    ("line", "lines"),
    ("text/", "image/svg+xml"),
    _WINDOW | {"encoding", "gutter", "find"},
    parsed_in="core",
)
"""Text, which the core reads itself."""
ALL = (
    Format(
        "image",
        "an image",
        "images",
        "chart.png",
        ("page", "pages"),
        ("image/",),
        _PAGES,
        parsed_in="decoder",
    ),
    Format(
        "pdf",
        "a PDF",
        "PDFs",
        "trial.pdf:2",
        ("page", "pages"),
        ("application/pdf",),
        _PAGES | {"column", "find"},
        parsed_in="decoder",
    ),
    Format(
        "notebook",
        "a notebook",
        "notebooks",
        "pump.ipynb:2",
        ("cell", "cells"),
        ("application/x-ipynb+json",),
        _WINDOW | {"gutter", "at", "find"},
        parsed_in="core",
    ),
    Format(
        "sheet",
        "a workbook",
        "Excel workbooks",
        "report.xlsx:Orders!A2:D4",
        ("row", "rows"),
        (
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
            "application/vnd.ms-excel.sheet.macroEnabled.12",
            "application/vnd.ms-excel.template.macroEnabled.12",
        ),
        _WINDOW | {"gutter", "at", "values", "region", "find"},
        parsed_in="core",
    ),
    Format(
        "document",
        "a document",
        "Word documents",
        "report.docx#Results",
        ("line", "lines"),
        (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
            "application/vnd.ms-word.document.macroEnabled.12",
            "application/vnd.ms-word.template.macroEnabled.12",
        ),
        _WINDOW | {"gutter", "at", "region", "find"},
        parsed_in="core",
    ),
    Format(
        "slides",
        "a presentation",
        "presentations",
        "plan.pptx:1",
        ("slide", "slides"),
        (
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
            "application/vnd.openxmlformats-officedocument.presentationml.template",
            "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
            "application/vnd.ms-powerpoint.slideshow.macroEnabled.12",
            "application/vnd.ms-powerpoint.template.macroEnabled.12",
        ),
        _PAGES | {"column", "at", "find"},
        parsed_in="core",
    ),
    Format(
        "records",
        "a file of JSON records",
        "JSON records",
        "trace.jsonl#2/output",
        ("record", "records"),
        (),
        _WINDOW | {"gutter", "at", "find"},
        parsed_in="core",
    ),
    Format(
        "directory",
        "a directory",
        "directories",
        ".",
        ("entry", "entries"),
        ("inode/directory",),
        _WINDOW | {"find"},
        parsed_in=None,
    ),
)
"""All formats but text."""
_FILES = [form.files for form in (TEXT, *ALL)]
ALL_FILES = f"{', '.join(_FILES[:-1])} and {_FILES[-1]}"
"""The files of all formats, in words."""
BY_KIND = {form.kind: form for form in (TEXT, *ALL)}
_OF_TYPES = {name: form for form in (TEXT, *ALL) for name in form.media_types}
_OF_BEGINNINGS = sorted((name for name in _OF_TYPES if name.endswith("/")), key=len, reverse=True)
OF_ADDRESSES = next(form for form in ALL if "at" in form.takes and not form.media_types)
"""The format of files of text in which `at` names a place."""
PACKAGES = frozenset({"application/zip", "application/x-ole-storage"})
"""The media types of files of which only the directory inside tells what they are."""
OF_MEDIA_TYPES = [
    *((name, form.kind) for form in ALL for name in form.media_types or (form.kind,)),
    *((name, "package") for name in sorted(PACKAGES)),
]
"""The media types of all formats but text, each with its kind, as the core gets them.

A format without any has its kind instead, which no file has.
"""
OF_EXTENSIONS = [(name, form.media_types[0], form.is_text) for form in ALL for name in form.extensions]
"""The extensions that formats declare, with the media type, and whether these files are text."""
_OF_NAMES = frozenset(media_type for _, media_type, is_text in OF_EXTENSIONS if not is_text)


def of_media_type(media_type: str) -> Format | None:
    """Return the format of a media type; `None` if no format has it."""
    found = _OF_TYPES.get(media_type)
    if found is None:
        beginnings = (_OF_TYPES[name] for name in _OF_BEGINNINGS if media_type.startswith(name))
        found = next(beginnings, None)
    return found


def kind_of(media_type: str, *, is_text: bool) -> str:
    """Return as which kind a file of a media type is read, or "binary"."""
    form = of_media_type(media_type)
    return form.kind if form is not None else "text" if is_text else "binary"


def by_content(media_type: str) -> str:
    """Return a media type, or the unknown one in place of a type that only the names of files tell."""
    return "application/octet-stream" if media_type in _OF_NAMES else media_type


def takers(argument: str) -> frozenset[str]:
    """Return the kinds of files that accept an argument."""
    return frozenset(form.kind for form in BY_KIND.values() if argument in form.takes or argument in COMMON)
