"""Lines are recognized in the formats of other readers, and replies in the shapes in which they come."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from PIL import Image

from anyread_conformance.lines import difference, line_of, shown_lines, wrong_number
from anyread_conformance.reply import Reply, reply_of

FORMATS = {
    "cat -n": "     7\t{}",
    "arrow": "     7→{}",
    "pipe": "  7 | {}",
    "colon": "7: {}",
    "codex": "L7: {}",
    "xml": '<line number="7">{}</line>',
    "json key": '  "7": "{}",',
    "hashline": "7:4f|{}",
}


@pytest.mark.parametrize("shown", FORMATS.values(), ids=FORMATS)
def test_line_is_recognized_in_any_format(shown: str) -> None:
    text = f"File: a12.txt (60 lines)\n{shown.format(line_of(7))}\n\n12 more lines"
    [line] = shown_lines(text)
    assert (line.line_number, line.shown_number) == (7, 7)
    assert wrong_number(text) is None
    assert wrong_number(text.replace("7", "8", 1).replace("zq000008x", "zq000007x")) is not None


@pytest.mark.parametrize(
    "value",
    [
        {"lines": [{"line": 1, "text": line_of(1)}, {"line": 2, "text": line_of(2)}]},
        {"total": 60, "content": f"1\t{line_of(1)}\n2\t{line_of(2)}"},
        json.dumps({"content": f"1\t{line_of(1)}\n2\t{line_of(2)}\n"}),
        [{"type": "text", "text": f"1|{line_of(1)}\n2|{line_of(2)}"}],
    ],
)
def test_lines_are_found_in_values(value: Any) -> None:
    shown = [(line.line_number, line.shown_number) for line in shown_lines(reply_of(value).text)]
    assert shown == [(1, 1), (2, 2)]


def test_line_without_number_has_none() -> None:
    assert [line.shown_number for line in shown_lines(f"{line_of(1)}\n{line_of(2)}")] == [None, None]


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((1, 3), "line 2 is missing from the window"),
        ((1, 2, 3, 4), "line 4 is shown, which the window does not contain"),
        ((1, 2, 2, 3), "line 2 is shown more than once"),
        ((1, 3, 2), "the lines are not in their order"),
        ((1, 2, 3), None),
    ],
)
def test_difference_is_put_in_words(numbers: tuple[int, ...], words: str | None) -> None:
    assert difference("\n".join(map(line_of, numbers)), (1, 2, 3)) == words


def png() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(data, "PNG")
    return data.getvalue()


PNG = png()
BASE64 = base64.b64encode(PNG).decode()


@pytest.mark.parametrize(
    "value",
    [
        {"type": "image", "data": BASE64, "mimeType": "image/png"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BASE64}"}},
        {"media_type": "image/png", "data": PNG},
        {"mimeType": "image/png", "blob": BASE64, "uri": "file:///a.png"},
        f"data:image/png;base64,{BASE64}",
    ],
)
def test_image_is_found_in_any_block(value: Any) -> None:
    reply = reply_of([value])
    [image] = reply.images
    assert (image.media_type, image.data) == ("image/png", PNG)
    assert BASE64 not in reply.text


@pytest.mark.parametrize(
    "value", [{"error": "no"}, {"status": "error", "message": "no"}, {"isError": True, "content": "no"}]
)
def test_error_as_a_value_is_a_refusal(value: dict[str, Any]) -> None:
    reply = reply_of(value)
    assert reply.outcome == "refused"
    assert "no" in reply.text


def test_text_that_is_not_utf_8_is_noticed() -> None:
    assert not reply_of(b"a\xff").is_utf8
    assert not reply_of("a\ud800").is_utf8
    assert reply_of("é") == Reply("é")


def test_line_number_of_more_than_six_digits_is_recognized() -> None:
    """The last lines of a log of 1 GB were not found."""
    [line] = shown_lines(f"10000001\t{line_of(10_000_001)}")
    assert (line.line_number, line.shown_number) == (10_000_001, 10_000_001)
