"""Contracts whose answer is what the model sees: a text, with images beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from anyread.errors import ReadError

from .contract import Contract, NoSettings, Output
from .media import attachment, blocks_of

if TYPE_CHECKING:
    from anyread.reading.open_file import OpenFile
    from anyread.results import Block

C = TypeVar("C")


class ContentContract(Contract[NoSettings, C]):
    """The contract of a tool that answers with a text; failures have a flag, which only some tools have."""

    def failure(self, message: str) -> Output:
        """Return the message with a flag for hosts."""
        return {"content": message, "is_error": True}

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, followed by the images."""
        return [*blocks_of(output, "content", empty="[empty]"), *blocks_of(output.get("media", ()))]

    def with_image(self, said: str, fault: str, file: OpenFile, media_type: str) -> dict[str, Any]:
        """Answer with an image, which must decode, or else `fault` is the answer."""
        sees = self.context.sees("image") is not False
        context = replace(self.context, validate_media=True, model=self.context.model if sees else None)
        try:
            media_type, data = attachment(context, file, media_type, kind="image")
        except ReadError as error:
            raise self.refusal(fault) from error
        media = {"media": [{"mimeType": media_type, "data": data}]} if sees else {}
        return {"content": said, **media}
