"""Reads of text files: they assert the type of the page, so that tests can use its fields."""

from __future__ import annotations

from typing import Unpack

import anyread
from anyread import TextPage
from anyread.arguments.paths import AnyPath
from anyread.arguments.request import ReadArguments


class TextReader(anyread.Reader):
    """A reader with methods that read text only."""

    def text(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> TextPage:
        page = self.read_sync(path, **arguments)
        assert isinstance(page, TextPage)
        return page

    async def text_async(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> TextPage:
        page = await self.read(path, **arguments)
        assert isinstance(page, TextPage)
        return page


def read_text(path: AnyPath, **arguments: Unpack[ReadArguments]) -> TextPage:
    """Read with the default reader."""
    page = anyread.read_sync(path, **arguments)
    assert isinstance(page, TextPage)
    return page
