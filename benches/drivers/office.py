"""Libraries that read a whole document.

`office.py LIBRARY FILE TEXT` prints the seconds of a read, and how often its answer has the text.

It runs in the environment of `requirements/office.txt`, and imports are not timed.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def markitdown() -> Callable[[str], str]:
    from markitdown import MarkItDown

    converter: Any = MarkItDown(enable_plugins=False)
    return lambda path: str(converter.convert(path).text_content)


def office_oxide() -> Callable[[str], str]:
    from office_oxide import Document

    return lambda path: str(Document.open(path).to_markdown())


def anydoc() -> Callable[[str], str]:
    from anydoc import to_markdown

    return lambda path: str(to_markdown(path))


def python_docx() -> Callable[[str], str]:
    from docx import Document

    return lambda path: "\n".join(paragraph.text for paragraph in Document(path).paragraphs)


def python_pptx() -> Callable[[str], str]:
    from pptx import Presentation

    def read(path: str) -> str:
        shapes = [shape for slide in Presentation(path).slides for shape in slide.shapes]
        return "\n".join(shape.text_frame.text for shape in shapes if shape.has_text_frame)

    return read


LIBRARIES = {each.__name__: each for each in (markitdown, office_oxide, anydoc, python_docx, python_pptx)}

if __name__ == "__main__":
    library, file, expected = sys.argv[1:]
    read = LIBRARIES[library]()
    started = time.perf_counter()
    answer = read(file)
    print(json.dumps({"seconds": time.perf_counter() - started, "found": answer.count(expected)}))
