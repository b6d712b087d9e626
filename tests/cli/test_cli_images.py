"""`--images`: images inside a terminal, decoded again with other programs."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageChops, ImageStat

import anyread
from anyread.cli import main
from anyread.cli.inline_images import InlineImages, supported
from helpers.command_line import environment, run_on_terminal
from helpers.media import drawing, encoded, text_pdf

if TYPE_CHECKING:
    from collections.abc import Mapping

KITTY = re.compile(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\")
ITERM = re.compile(r"\x1b\]1337;File=([^:]*):([^\x07]*)\x07")
SIZE = (40, 100, 1_000, 800)


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo.jpg"
    path.write_bytes(encoded(drawing(300, 200), "JPEG"))
    return path


def kitty_image(shown: str) -> Image.Image:
    chunks = KITTY.findall(shown)
    assert all(len(data) <= 4_096 for _, data in chunks)
    assert [keys.rpartition("m=")[2] for keys, _ in chunks] == ["1"] * (len(chunks) - 1) + ["0"]
    image = Image.open(io.BytesIO(base64.b64decode("".join(data for _, data in chunks), validate=True)))
    assert image.format == "PNG"
    return image


def difference(first: Image.Image, second: Image.Image) -> float:
    """Return how different two images look, from 0 to 255."""
    small = [each.convert("RGB").resize((48, 32), Image.Resampling.BOX) for each in (first, second)]
    return max(ImageStat.Stat(ImageChops.difference(*small)).mean)


@pytest.mark.parametrize(
    ("variables", "protocol"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-ghostty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, "iterm"),
        ({"TERM": "foot"}, None),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "dumb"}, None),
        ({}, None),
        # A multiplexer inherits the variables of the terminal in which it was started.
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0/default,1,0"}, None),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "WezTerm"}, None),
        ({"TERM": "screen.xterm-kitty", "LC_TERMINAL": "iTerm2"}, None),
    ],
)
def test_protocol_is_known_from_the_environment(variables: Mapping[str, str], protocol: str | None) -> None:
    assert supported(variables) == protocol


@pytest.mark.slow
def test_kitty_gets_a_png(photo: Path) -> None:
    shown, code = run_on_terminal("read", photo, env=environment(TERM="xterm-kitty"), size=SIZE)
    assert code == 0
    assert difference(kitty_image(shown), Image.open(photo)) < 6
    assert "a=T,f=100,q=2,c=30,m=" in shown
    # The text is the same as without images.
    assert KITTY.sub("", shown).removesuffix("\n") == run_on_terminal("read", photo, "--images", "never")[0]


@pytest.mark.slow
def test_iterm_gets_the_image_that_a_model_sees(photo: Path) -> None:
    shown, _ = run_on_terminal("read", photo, env=environment(TERM_PROGRAM="iTerm.app"), size=SIZE)
    ((keys, data),) = ITERM.findall(shown)
    block = anyread.read_sync(photo).blocks[1]
    assert isinstance(block, anyread.ImageBlock)
    assert base64.b64decode(data, validate=True) == block.data
    assert keys == f"inline=1;size={len(block.data)};width=30;preserveAspectRatio=1"


@pytest.mark.parametrize("options", [["--images", "never"], ["--json"], ["--for", "anthropic"]])
@pytest.mark.slow
def test_images_are_not_shown_where_they_are_not_wanted(photo: Path, options: list[str]) -> None:
    shown, _ = run_on_terminal("read", photo, *options, env=environment(TERM="xterm-kitty"))
    assert "\x1b_G" not in shown


@pytest.mark.slow
def test_terminal_without_images_says_so(photo: Path, tmp_path: Path) -> None:
    """It also did where the options say that no image is shown, or where images go."""
    notice = "this terminal shows no images"
    assert notice in run_on_terminal("read", photo)[0]
    assert notice not in run_on_terminal("read", photo, "--images", "never")[0]
    assert notice not in run_on_terminal("read", photo, "--save", tmp_path / "saved")[0]


def test_image_that_cannot_be_read_again_is_an_error_about_the_file(
    photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def changed(page: anyread.Page, *_: object, **_named: object) -> None:
        raise anyread.FileChangedError(page.path, change="replaced")

    monkeypatch.setattr("anyread.cli.read.show", changed)
    assert main(["read", str(photo)]) == 1
    assert "anyread: changed_during_read: " in capsys.readouterr().err


def test_pages_of_a_pdf_are_between_their_texts(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(2))
    page = anyread.read_sync(tmp_path / "a.pdf")

    def again(model: anyread.Model) -> Any:
        return anyread.Reader(model=model).read_sync(tmp_path / "a.pdf")

    for protocol in ("kitty", "iterm"):
        pieces = InlineImages(protocol, again).pieces(page)
        assert [type(piece) for piece in pieces] == [str, bytes, str, bytes]
        assert str(pieces[2]).startswith("[page 2 of 2]")
