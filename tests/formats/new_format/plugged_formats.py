"""A plugin of pytest that adds four formats as a developer would, each with a line of the list and a module.

Nothing else of the package is changed. It must be loaded before anyread is imported.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

HERE = Path(__file__).parent
LIST = "ALL = (\n"
ENTRIES = """
    Format(
        "album",
        "an album",
        "albums",
        "summer.album:2",
        ("page", "pages"),
        ("application/x-album",),
        _WINDOW | {"region"},
        extensions=("album",),
    ),
    Format(
        "letter",
        "a letter",
        "letters",
        "reply.odt:2",
        ("paragraph", "paragraphs"),
        ("application/vnd.oasis.opendocument.text",),
        _WINDOW,
    ),
    Format(
        "records",
        "a stream of records",
        "streams of records",
        "stream.gz:2",
        ("record", "records"),
        ("application/gzip",),
        _WINDOW,
    ),
    Format(
        "table",
        "a table",
        "tables",
        "prices.tbl:2",
        ("row", "rows"),
        ("application/x-table", "text/csv"),
        _WINDOW,
        extensions=("tbl",),
        is_text=True,
    ),
"""


class _Source(importlib.machinery.SourceFileLoader):
    """Loads the list of formats with four more entries."""

    def get_data(self, path: str) -> bytes:
        source = super().get_data(path).decode()
        assert source.count(LIST) == 1
        return source.replace(LIST, f"{LIST}{ENTRIES}").encode()

    def get_code(self, fullname: str) -> object:  # type: ignore[override] # no cached code
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == "anyread.kinds":
            found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
            assert found is not None
            assert found.origin is not None
            return importlib.util.spec_from_file_location(
                fullname, found.origin, loader=_Source(fullname, found.origin)
            )
        parent, _, name = fullname.rpartition(".")
        if parent == "anyread.formats" and name in {"album", "letter", "records", "table"}:
            return importlib.util.spec_from_file_location(fullname, HERE / f"{name}.py")
        return None


assert "anyread" not in sys.modules
sys.meta_path.insert(0, _Finder())
