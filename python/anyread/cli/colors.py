"""Colors on a terminal: when they are used, and which."""

from __future__ import annotations

import os
import re
from typing import Any

CHOICES = ("auto", "always", "never")

# The parameters of the escape sequence SGR (ECMA-48, section 8.3.117).
BOLD = "1"
"""Headings and labels: bold."""
GUTTER = "2"
"""Line numbers: faint."""
FOOTER = "36"
"""Footers and markers: cyan."""
NOTICE = "33"
"""The start of a notice: yellow."""
ERROR = "1;31"
"""The start of an error: bold red."""


def is_colored(choice: str, stream: Any) -> bool:
    """Return whether what is written to `stream` is colored.

    `NO_COLOR` and `FORCE_COLOR` apply if they are not empty (no-color.org, force-color.org), except that
    `FORCE_COLOR=0` means not forced.

    Args:
        choice: "always", "never", or "auto": colors on a terminal, unless the environment says otherwise.
        stream: Standard output or standard error; `None`: it is closed.
    """
    if stream is None or choice != "auto":
        return stream is not None and choice == "always"
    environment = os.environ
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    is_capable = environment.get("TERM", "dumb") != "dumb" or "WT_SESSION" in environment
    return is_capable and bool(stream.isatty())


def painted(text: str, style: str) -> str:
    """Put a text without line endings in a color."""
    return f"\x1b[{style}m{text}\x1b[m"


def repainted(text: str, pattern: re.Pattern[str], style: str) -> str:
    """Put each match of a pattern in a color."""
    return pattern.sub(lambda found: painted(found[0], style), text)
