"""What `print(page)` shows of a page whose content is in images."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

import anyread


def test_printed_page_names_the_blocks_that_it_cannot_show(tmp_path: Path) -> None:
    """A scan printed "no text layer", and nothing said where its image is."""
    Image.new("RGB", (40, 30)).save(tmp_path / "a.png")
    Image.effect_noise((400, 300), 80).save(tmp_path / "a.pdf")
    for name in ("a.png", "a.pdf"):
        page = anyread.read_sync(tmp_path / name)
        assert str(page) == f"{page.text}\n[1 image or document is in `.blocks`]"
    text = anyread.Reader(model="text-only").read_sync(tmp_path / "a.png")
    assert str(text) == text.text
    (tmp_path / "a.txt").write_text("a\n")
    assert str(anyread.read_sync(tmp_path / "a.txt")) == "1\ta"
