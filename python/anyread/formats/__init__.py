"""Passes an opened file to the reader for its kind."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.arguments import foreign
from anyread.errors import BadArgumentError, DamagedFileError, WrongKindError
from anyread.running.calls import with_decoder, work

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyread._native import Opened
    from anyread.arguments import Request
    from anyread.gutter import Gutter
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results import Page
    from anyread.running.calls import WorkTarget


class Setting(NamedTuple):
    """The settings of a reader, which apply to all its reads."""

    limits: Limits
    model: Model
    gutter: Gutter
    pdf_passwords: tuple[str, ...]


_KINDS = {
    "application/x-ipynb+json": "notebook",
    "application/pdf": "pdf",
    "image/svg+xml": "text",
    "image/": "image",
    "text/": "text",
}
"""The kinds, by prefix of the media type."""
_UNKNOWN = "application/octet-stream"
_loaded: dict[str, Any] = {}
"""The modules of this package by kind, once each has been imported."""


def read_opened(opened: Opened, request: Request, setting: Setting, target: WorkTarget) -> Page:
    """Read a file that is not text; `target` describes it to the threads that work on it.

    Raises:
        NoNotebookError: It is not a notebook, and must be read as text.
        ReadError: As the reader for its kind.
    """
    _refuse_foreign(opened, request)
    if opened.kind != "notebook":
        with_decoder(target)
    module = loaded(opened.kind, target)
    limits = setting.limits.lowered(max_tokens=request["max_tokens"], max_bytes=request["max_bytes"])
    model = setting.model
    page: Page
    with _explained(opened, request):
        if opened.kind == "image":
            page = module.read(opened, request, limits=limits, model=model)
        elif opened.kind == "pdf":
            page = module.read(opened, request, limits=limits, model=model, passwords=setting.pdf_passwords)
        else:
            gutter = setting.gutter
            page = module.read(opened, request, target, limits=limits, model=model, gutter=gutter)
    return page


def describe_opened(opened: Opened, setting: Setting, target: WorkTarget) -> dict[str, Any]:
    """Return the facts of `anyread.Info` that only files of this kind have; none for a binary file.

    Raises:
        NoNotebookError: It is not a notebook.
        ReadError: It cannot be examined, for example because it is damaged.
    """
    if opened.kind == "binary":
        return {}
    if opened.kind != "notebook":
        with_decoder(target)
    module = loaded(opened.kind, target)
    facts: dict[str, Any]
    if opened.kind == "notebook":
        facts = module.describe(opened, target, limits=setting.limits)
    elif opened.kind == "pdf":
        facts = module.describe(opened, limits=setting.limits, passwords=setting.pdf_passwords)
    else:
        facts = module.describe(opened, limits=setting.limits)
    return facts


def loaded(kind: str, target: WorkTarget) -> Any:
    """Import the reader for a kind, in a thread, because the import would block an event loop too long."""
    if kind not in _loaded:
        _loaded[kind] = work(lambda _: import_module(f"{__name__}.{kind}"), target)
    return _loaded[kind]


@contextmanager
def _explained(opened: Opened, request: Request) -> Iterator[None]:
    """Replace a decoder's refusal with an error that names the argument which caused it, and its value.

    If a file of another type cannot be decoded as the requested kind, the cause is `kind`, not the file.
    """
    try:
        yield
    except BadArgumentError as error:
        if error.argument != "region":
            raise
        # A decoder knows the region only in its own units.
        value = str(request["region"])
        raise BadArgumentError(opened.path, argument="region", value=value, reason=error.reason) from error
    except DamagedFileError as error:
        found = next((kind for prefix, kind in _KINDS.items() if opened.media_type.startswith(prefix)), None)
        if found == opened.kind or opened.media_type == _UNKNOWN:
            raise
        kind = found or opened.media_type
        raise WrongKindError(opened.path, argument="kind", kind=kind) from error


def _refuse_foreign(opened: Opened, request: Request) -> None:
    """Refuse arguments that are for other kinds of files.

    `limit` and `gutter` are accepted because one call may read files of several kinds; `encoding` is
    ignored, and the opened file has a notice about it.
    """
    argument = foreign(request, opened.kind)
    if argument is not None:
        raise WrongKindError(opened.path, argument=argument, kind=opened.kind)
