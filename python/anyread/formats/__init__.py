"""Reads a file that is made of parts with the format of its kind."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from anyread.arguments import foreign
from anyread.errors import BadArgumentError, DamagedFileError, WrongKindError
from anyread.kinds import BY_KIND, Format, of_media_type
from anyread.running.calls import once, with_decoder, work

from .fallback import unchanged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from anyread._native import Cancel, Opened
    from anyread.arguments import Request
    from anyread.budget import Budget
    from anyread.gutter import Gutter
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results import Page
    from anyread.running.calls import WorkTarget

    from .composing import Composed
    from .parts import ReadsFormat


class Setting(NamedTuple):
    """The settings of a reader, which apply to all its reads."""

    limits: Limits
    model: Model
    gutter: Gutter
    pdf_passwords: tuple[str, ...]


_UNKNOWN = "application/octet-stream"
_loaded: dict[str, ReadsFormat] = {}
"""The modules of this package by kind, once each has been imported."""


def read_opened(
    opened: Opened,
    request: Request,
    setting: Setting,
    target: WorkTarget,
    *,
    budget: Budget | None = None,
    whole: bool = False,
) -> Page | None:
    """Read a file that is not text; `target` describes it to the threads that work on it.

    Args:
        opened: The file.
        request: The call.
        setting: The settings of the reader.
        target: The description of the file for threads.
        budget: What the page may cost; `None`: what the call and the reader say.
        whole: Whether only whole parts are shown, perhaps none.

    Raises:
        NoNotebookError: It is not a notebook, and must be read as text.
        ReadError: As the reader for its kind.
    """
    form = form_of(opened, request)
    argument = foreign(request, form.kind)
    if argument is not None:
        raise WrongKindError(opened.path, argument=argument, kind=form.kind)
    if form.in_decoder:
        with_decoder(target)
    module = loaded(form.kind, target)
    limits = setting.limits.lowered(max_tokens=request["max_tokens"], max_bytes=request["max_bytes"])
    gutter = request["gutter"] or setting.gutter

    # Not a function in this one: an error would keep its closure, and with it the open file.
    settings = limits, setting.model, gutter, setting.pdf_passwords, budget, whole
    drafted = partial(_drafted, form, module, opened, request, settings)
    with _explained(opened, request):
        if form.in_decoder:
            with unchanged(opened):
                page = drafted(None)
        else:
            # Its images may be decoded in another thread.
            page = once((form.kind, id(opened), budget), lambda: work(drafted, target))
            if any(part.pictures for part in page.parts):
                with_decoder(target)
                page.source.settle(page.parts)
        if whole and not page.parts and page.chosen.ranges and not page.source.is_whole:
            return None
        return cast("Page", page.page())


def _drafted(
    form: Format,
    module: ReadsFormat,
    opened: Opened,
    request: Request,
    settings: tuple[Any, ...],
    cancel: Cancel | None,
) -> Composed:
    from .composing import composed
    from .parts import How

    return composed(form, module, opened, request, How(*settings, cancel))


def describe_opened(opened: Opened, setting: Setting, target: WorkTarget) -> Mapping[str, Any]:
    """Return the facts of `anyread.Info` that only files of this kind have; none for a binary file.

    Raises:
        NoNotebookError: It is not a notebook.
        ReadError: It cannot be examined, for example because it is damaged.
    """
    if opened.kind == "binary":
        return {}
    form = form_of(opened)
    if form.in_decoder:
        with_decoder(target)
    module: Any = loaded(form.kind, target)

    def facts(cancel: Cancel | None) -> Mapping[str, Any]:
        from anyread.arguments import DEFAULTS

        from .parts import How

        how = How(setting.limits, setting.model, setting.gutter, setting.pdf_passwords, cancel=cancel)
        if hasattr(module, "describe"):
            return cast("Mapping[str, Any]", module.describe(opened, how))
        parts = module.open(opened, DEFAULTS, how)
        try:
            found = parts.facts()
            parts.end(())
        finally:
            parts.close()
        return cast("Mapping[str, Any]", found)

    return facts(None) if form.in_decoder else work(facts, target)


def form_of(opened: Opened, request: Request | None = None) -> Format:
    """Return the format as which a file is read."""
    if opened.kind in BY_KIND:
        return BY_KIND[opened.kind]
    asked = None if request is None else request["kind"]
    if asked in BY_KIND:
        return BY_KIND[cast("str", asked)]
    found = of_media_type(asked or opened.media_type)
    if found is None:
        raise WrongKindError(opened.path, argument="kind", kind=opened.kind)
    return found


def loaded(kind: str, target: WorkTarget) -> ReadsFormat:
    """Import the reader for a kind, in a thread, because the import would block an event loop too long."""
    if kind not in _loaded:
        name = BY_KIND[kind].module or kind
        _loaded[kind] = work(lambda _: cast("ReadsFormat", import_module(f"{__name__}.{name}")), target)
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
        found = of_media_type(opened.media_type)
        if (found and found.kind == opened.kind) or opened.media_type == _UNKNOWN:
            raise
        kind = found.kind if found else opened.media_type
        raise WrongKindError(opened.path, argument="kind", kind=kind) from error
