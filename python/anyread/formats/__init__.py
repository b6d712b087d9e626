"""What becomes of an opened file, by its kind."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from anyread.errors import (
    BadArgumentError,
    DamagedFileError,
    ReadError,
    ReadTimeoutError,
    WrongKindError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from anyread.arguments import Request
    from anyread.decoding.host.fitting import Fitted
    from anyread.gutter import Gutter
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results import Page
    from anyread.results.blocks import ImageBlock

    from .opened import Hop, HopSync, Opened


class Setting(NamedTuple):
    """What a reader says of all its reads."""

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
"""The kinds by how media types begin."""
_UNKNOWN = "application/octet-stream"
_loaded: list[bool] = []
"""Empty while there is something left to be imported."""


async def loaded(hop: Hop) -> None:
    """Import all that files of these kinds need, in a thread: it would hold up the loop for a good while."""
    if not _loaded:
        await hop(_load)


def _load() -> None:
    from . import image, notebook, pdf  # noqa: F401 - the others ask for them on the loop

    _loaded.append(True)


async def read_opened(opened: Opened, request: Request, setting: Setting, hop: Hop) -> Page:
    """Read a file that is no text without blocking the event loop; `hop` runs work in a thread.

    Raises:
        NoNotebookError: It is no notebook after all, and is to be read as text.
        ReadError: What the readers of its kind raise.
    """
    _refuse_foreign(opened, request)
    limits, model = setting.limits, setting.model
    if opened.kind == "image":
        from . import image

        with _explained(opened, request):
            return await image.read(opened, request, limits=limits, model=model)
    if opened.kind == "pdf":
        from . import pdf

        with _explained(opened, request):
            return await pdf.read(
                opened, request, limits=limits, model=model, passwords=setting.pdf_passwords
            )
    from . import notebook

    async def fit(pictures: Sequence[tuple[bytes, str]]) -> list[ImageBlock | str]:
        from .image import fit_all

        return _shown(await fit_all(pictures, path=opened.path, limits=limits, model=model))

    limits = limits.in_estimated_tokens(model.token_factor)
    return await notebook.read(
        opened, request, limits=limits, model=model, fit_images=fit, hop=hop, gutter=setting.gutter
    )


def read_opened_sync(opened: Opened, request: Request, setting: Setting, hop: HopSync) -> Page:
    """Do what `read_opened` does, and wait for it; `hop` runs work so that the call's deadline can end it."""
    _refuse_foreign(opened, request)
    limits, model = setting.limits, setting.model
    if opened.kind == "image":
        from . import image

        with _explained(opened, request):
            return image.read_sync(opened, request, limits=limits, model=model)
    if opened.kind == "pdf":
        from . import pdf

        with _explained(opened, request):
            return pdf.read_sync(opened, request, limits=limits, model=model, passwords=setting.pdf_passwords)
    from . import notebook

    def fit(pictures: Sequence[tuple[bytes, str]]) -> list[ImageBlock | str]:
        from .image import fit_all_sync

        return _shown(fit_all_sync(pictures, path=opened.path, limits=limits, model=model))

    limits = limits.in_estimated_tokens(model.token_factor)
    return notebook.read_sync(
        opened, request, limits=limits, model=model, fit_images=fit, hop=hop, gutter=setting.gutter
    )


def _shown(fitted: Sequence[Fitted | ReadError]) -> list[ImageBlock | str]:
    """Give each picture's block, or the reason why there is none.

    Raises:
        ReadTimeoutError: The whole call is late, and not one picture.
    """
    for result in fitted:
        if isinstance(result, ReadTimeoutError):
            raise result
    return [_reason(result) if isinstance(result, ReadError) else result.image for result in fitted]


def _reason(error: ReadError) -> str:
    """Say why a picture of a notebook cannot be shown, as a clause."""
    return error.code.replace("_", " ")


@contextmanager
def _explained(opened: Opened, request: Request) -> Iterator[None]:
    """Name the argument that is to blame for what a decoder refuses, with its value.

    If a file of another type cannot be decoded as the requested kind, that is `kind`, and not the file.
    """
    try:
        yield
    except BadArgumentError as error:
        if error.argument != "region":
            raise
        # A decoder knows the region in its own units only.
        value = str(request.region)
        raise BadArgumentError(opened.path, argument="region", value=value, reason=error.reason) from error
    except DamagedFileError as error:
        found = next((kind for prefix, kind in _KINDS.items() if opened.media_type.startswith(prefix)), None)
        if found == opened.kind or opened.media_type == _UNKNOWN:
            raise
        kind = found or opened.media_type
        raise WrongKindError(opened.path, argument="kind", kind=kind) from error


def _refuse_foreign(opened: Opened, request: Request) -> None:
    """Refuse the arguments that other kinds of files have.

    `limit` and `gutter` are accepted because one call may read files of several kinds; `encoding` is
    ignored, and the opened file has a notice about it.
    """
    foreign = {
        "pages": bool(request.pages) and opened.kind not in {"pdf", "image"},
        "region": request.region is not None and opened.kind not in {"image", "pdf"},
        "offset": request.offset != 1 and opened.kind != "notebook",
        "column": request.column != 1 and opened.kind != "pdf",
    }
    for argument, is_given in foreign.items():
        if is_given:
            raise WrongKindError(opened.path, argument=argument, kind=opened.kind)
