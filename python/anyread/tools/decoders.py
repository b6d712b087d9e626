"""Images and PDFs for contracts: images fitted to a model, PDFs counted and read."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from anyread.arguments import Request, checked
from anyread.formats import Setting, loaded, read_opened

if TYPE_CHECKING:
    from anyread.decoding.host.document import OpenDocument
    from anyread.decoding.host.fitting import FittedImage
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results.pdf import PdfPages
    from anyread.running.effects import Steps

    from .files import File


def fit(
    file: File,
    model: Model,
    *,
    data: bytes | None = None,
    media_type: str | None = None,
    original: Literal["plain", "sound", "never"] = "plain",
    **limits: Any,
) -> Steps[FittedImage]:
    """Have an image decoded in full and fitted to a model; `.image` is the block that may be sent.

    Args:
        file: The image, or the file that it comes from.
        model: What it must become: `image_types`, `max_image_bytes`, `max_long_edge`, …
        data: An encoded image in place of the file's bytes.
        media_type: What errors call its type; `None`: that of the file.
        original: When the file itself will do, as in `decoding.host.fitting.wanted`.
        limits: What differs from the reader's limits.
    """
    yield from loaded("image", file.target)
    from anyread.decoding.host.fitting import fitting, wanted
    from anyread.decoding.host.lease import Subject
    from anyread.decoding.host.pool import shared_pool

    chosen = replace(file.reader.limits, **limits)
    size_bytes = file.size_bytes if data is None else len(data)
    subject = Subject(
        file.path, media_type=media_type or file.media_type, size_bytes=size_bytes, limits=chosen
    )
    job = wanted(model, chosen, original=original)
    if data is not None:
        return (yield from fitting(shared_pool(), subject, job, data=data))
    return (yield from fitting(shared_pool(), subject, job, descriptor=file.opened.fileno()))


def open_document(file: File, limits: Limits, passwords: tuple[str, ...] = ()) -> Steps[OpenDocument]:
    """Have a PDF opened in a decoder, which its `close` gives back."""
    yield from loaded("pdf", file.target)
    from anyread.decoding.host.document import OpenDocument
    from anyread.decoding.host.lease import Subject
    from anyread.decoding.host.pool import shared_pool

    subject = Subject(file.path, media_type=file.media_type, size_bytes=file.size_bytes, limits=limits)
    return (yield from OpenDocument.open(shared_pool(), subject, file.opened.fileno(), passwords))


def count_pages_of_bytes(data: bytes, limits: Limits) -> Steps[int]:
    """Have a PDF in memory opened, for which the decoder needs a file: how many pages it has."""
    from anyread.decoding.host.document import OpenDocument
    from anyread.decoding.host.lease import Subject
    from anyread.decoding.host.pool import shared_pool

    subject = Subject("document", media_type="application/pdf", size_bytes=len(data), limits=limits)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        document = yield from OpenDocument.open(shared_pool(), subject, file.fileno(), ())
        try:
            yield from document.rest()
            return document.page_count
        finally:
            document.close()


def count_pages(file: File, passwords: tuple[str, ...] = ()) -> Steps[tuple[int, bool]]:
    """Have a PDF opened: how many pages it has, and whether it is encrypted."""
    document = yield from open_document(file, file.reader.limits, passwords)
    try:
        yield from document.rest()
        return document.page_count, document.is_encrypted
    finally:
        document.close()


def read_media(file: File, request: Request, *, model: Model, **limits: Any) -> Steps[Any]:
    """Read an image, a PDF or a notebook as the reader does: an `ImageView`, `PdfPages` or `NotebookPage`.

    Args:
        file: The file, whose content decides.
        request: The arguments of the read.
        model: What the model accepts.
        limits: The limits that differ from the reader's.

    Raises:
        NoNotebookError: It is not a notebook after all.
    """
    reader = file.reader
    setting = Setting(replace(reader.limits, **limits), model, reader.gutter, reader.pdf_passwords)
    return (yield from read_opened(file.opened, request, setting, file.target))


def read_pdf(file: File, *, pages: str | None, model: Model, **limits: Any) -> Steps[PdfPages]:
    """Read pages of a PDF: text, and images where the model takes them.

    Args:
        file: It; it may also be a file that only its name calls a PDF.
        pages: "3", "1-5" or "2-"; `None`: from the first on.
        model: What pages become: text only, or images of `image_types`, `max_image_bytes`, …; the document
            itself with "pdf" among `inputs`.
        limits: What differs from the reader's limits: `max_pdf_pages`, `dpi`, `max_tokens`, …
    """
    module = yield from loaded("pdf", file.target)
    chosen = replace(file.reader.limits, **limits)
    passwords = file.reader.pdf_passwords
    request = checked(file.path, pages=pages, kind="pdf")
    result: PdfPages = yield from module.read(
        file.opened, request, limits=chosen, model=model, passwords=passwords
    )
    return result
