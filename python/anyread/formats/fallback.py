"""What a reader of a format reports when the file is of no such format."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyread.results import Notice


class NoNotebookError(Exception):
    """The file is no notebook after all: it is to be read as text, with this notice."""

    def __init__(self, notice: Notice) -> None:
        self.notice = notice
        super().__init__(notice.message)
