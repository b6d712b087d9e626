"""Judgements that several rules share: what a clear message is, and what an image is worth."""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING

from .lines import MARKER
from .stopping import RuleBrokenError
from .trial import quoted

if TYPE_CHECKING:
    from .reply import Reply, ShownImage

_WORD = re.compile(r"[A-Za-z]{3,}")
_UNREADABLE = re.compile(r"[\ufffd\x00-\x08\x0e-\x1a\x1c-\x1f]")
_TRACE = re.compile(r"Traceback \(most recent call last\)|^\s+at .+:\d+:\d+\)?$", re.MULTILINE)
_MESSAGE_CHARACTERS = 4_000
MAX_EDGE = 8_000
"""Pixels: the longest edge that `anyread.Model.anthropic` and `anyread.Model.bedrock` allow."""
MAX_IMAGE_BASE64_BYTES = 10_000_000
"""The largest image that `anyread.Model.anthropic` allows."""


def is_message(reply: Reply) -> bool:
    """Return whether an answer is a sentence about the file instead of its content."""
    if reply.images or MARKER.search(reply.text) or _UNREADABLE.search(reply.text):
        return False
    return bool(_WORD.search(reply.text)) and len(reply.text) <= _MESSAGE_CHARACTERS


def expect_message(reply: Reply, about: str) -> None:
    """Stop the rule unless an answer is a clear message.

    Args:
        reply: The answer.
        about: What was read, for the verdict.
    """
    if not reply.text.strip() and not reply.images:
        raise RuleBrokenError(f"the answer about {about} is empty")
    if _UNREADABLE.search(reply.text):
        raise RuleBrokenError(f"the answer about {about} is bytes shown as text")
    if not is_message(reply):
        raise RuleBrokenError(f"the answer about {about} is no message: {quoted(reply.text)}")
    if _TRACE.search(reply.text):
        raise RuleBrokenError(f"the answer about {about} is a stack trace")


def expect_usable_images(reply: Reply) -> None:
    """Stop the rule unless Pillow decodes every image of an answer, within the limits of model APIs."""
    for image in reply.images:
        _expect_usable(image)


def _expect_usable(image: ShownImage) -> None:
    from PIL import Image

    encoded = (len(image.data) + 2) // 3 * 4
    if encoded > MAX_IMAGE_BASE64_BYTES:
        raise RuleBrokenError(f"an image block of {encoded:,} bytes in base64; model APIs refuse it")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(image.data)) as decoded:
                width, height = decoded.size
                found = (decoded.get_format_mimetype() or "") if decoded.format else ""
                if max(width, height) <= MAX_EDGE:
                    decoded.load()
    except Exception as failure:
        reason = str(failure).partition(" <")[0]  # the rest is an address in memory
        raise RuleBrokenError(f"an image block that does not decode: {reason}") from failure
    if max(width, height) > MAX_EDGE:
        raise RuleBrokenError(f"an image block of {width:,} × {height:,} pixels")
    if image.media_type and image.media_type != found:
        raise RuleBrokenError(f"an image block that states {image.media_type} and holds {found}")


def expect_image_or_message(reply: Reply, about: str) -> None:
    """Stop the rule unless an answer is usable images or a clear message."""
    if reply.images:
        expect_usable_images(reply)
    else:
        expect_message(reply, about)
