"""Images shown inside a terminal, between the text of a page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anyread.models.model import Model
from anyread.results import ImageBlock, TextBlock
from anyread.results.image import ImageView

from .media import image_names
from .screen import screen_of_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from anyread.results import Page

_KITTY_TERMS = ("xterm-kitty", "xterm-ghostty")
_ITERM_PROGRAMS = ("iTerm.app", "WezTerm", "mintty")
_MULTIPLEXERS = ("tmux", "screen")
_KITTY_CHUNK = 4_096
"""The maximum number of characters in one escape sequence."""


def supported(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return how this terminal shows images: "kitty" or "iterm"; `None` if it probably does not.

    The terminal itself is not queried: its answer would be typed into the shell if it came late.
    tmux and screen remove the escape sequences of images, or show them in the wrong place.
    """
    term = environment.get("TERM", "")
    if "TMUX" in environment or "STY" in environment or term.startswith(_MULTIPLEXERS):
        return None
    if term in _KITTY_TERMS:
        return "kitty"
    if environment.get("TERM_PROGRAM") in _ITERM_PROGRAMS or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    return None


class InlineImages:
    """Show the images of a page in a terminal.

    Args:
        protocol: "kitty" or "iterm".
        again: Reads the page again for another model, because kitty accepts only PNG.
    """

    def __init__(self, protocol: str, again: Callable[[Model], Page]) -> None:
        self._protocol, self._again = protocol, again
        self._screen = screen_of_output()

    def pieces(self, page: Page) -> list[str | bytes]:
        """Return the text of a page and, where its images are, escape sequences; empty: it has no images."""
        blocks = list(page.blocks)
        if not any(isinstance(block, ImageBlock) for block in blocks):
            return []
        names = image_names(page)
        images = self._sequences(page)
        pieces: list[str | bytes] = []
        for block in blocks:
            if isinstance(block, TextBlock) and not isinstance(page, ImageView):
                pieces.append(block.text)
            elif isinstance(block, ImageBlock):
                sequence = next(images.get(names.get(id(block)), iter(())), None)
                pieces.append(sequence or "[image: this terminal cannot show it]")
        return pieces

    def _sequences(self, page: Page) -> dict[str | None, Iterator[bytes | None]]:
        """Return the escape sequences of the images of each page or cell, in their order."""
        source = page
        if self._protocol == "kitty":
            source = self._again(Model(image_types=("image/png",), max_long_edge=self._screen.edge))
        names = image_names(source)
        found: dict[str | None, list[ImageBlock]] = {}
        for block in source.blocks:
            if isinstance(block, ImageBlock):
                found.setdefault(names.get(id(block)), []).append(block)
        return {name: map(self._sequence, blocks) for name, blocks in found.items()}

    def _sequence(self, image: ImageBlock) -> bytes | None:
        """Return the escape sequence that shows an image at the cursor; `None`: its format is another one."""
        columns = self._screen.columns_for(image.width, image.height)
        if self._protocol == "iterm":
            # Source: iterm2.com/documentation-images.html, 2026-11.
            keys = f"inline=1;size={len(image.data)};width={columns};preserveAspectRatio=1"
            return f"\x1b]1337;File={keys}:{image.base64}\x07".encode()
        return _kitty(image.base64, columns) if image.media_type == "image/png" else None


def _kitty(base64: str, columns: int) -> bytes:
    """Return the escape sequences that show a PNG in kitty and Ghostty.

    Source: sw.kovidgoyal.net/kitty/graphics-protocol, 2026-11.
    """
    # a=T: show; f=100: PNG; q=2: send no reply, which the shell would read as typed text.
    keys = f"a=T,f=100,q=2,c={columns},"
    parts = []
    for start in range(0, len(base64), _KITTY_CHUNK):
        has_more = start + _KITTY_CHUNK < len(base64)
        parts.append(f"\x1b_G{keys}m={has_more:d};{base64[start : start + _KITTY_CHUNK]}\x1b\\")
        keys = ""
    return "".join(parts).encode()
