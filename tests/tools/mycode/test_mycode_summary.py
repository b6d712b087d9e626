"""What a person sees of an answer, as in the samples of the proposal."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import anyread
from helpers.media import drawing, encoded


def test_part_of_a_file_is_between_a_header_and_a_footer(tmp_path: Path) -> None:
    path = tmp_path / "large-file.ts"
    path.write_text("\n".join(f"  line {number}\té" for number in range(1, 1_235)))
    tool = anyread.tool("mycode", cwd=tmp_path)
    answer = tool.call_sync({"file_path": "large-file.ts", "offset": 100, "limit": 50})
    lines = "\n".join(f"   {number}\t  line {number}\té" for number in range(100, 150))
    expected = f"Reading lines 100-149 of large-file.ts:\n\n{lines}\n\n(Showing 50 of 1,234 total lines)"
    assert tool.summary(answer) == expected
    for kept in (copy.deepcopy(answer), pickle.loads(pickle.dumps(answer))):
        assert tool.summary(kept) == expected
    assert json.dumps(answer) == json.dumps(dict(answer))
    of_json = tool.summary(json.loads(json.dumps(answer)))
    assert of_json == f"Reading lines 100-149:\n\n{lines}\n\n(Showing 50 lines)"
    past_the_end = tool.call_sync({"file_path": "large-file.ts", "offset": 2_000})
    assert tool.summary(past_the_end) == "(Showing 0 of 1,234 total lines)"
    path.write_text("one\ntwo")
    whole = tool.call_sync({"file_path": "large-file.ts"})
    assert tool.summary(whole) == "     1\tone\n     2\ttwo" == tool.summary(dict(whole))


def test_image_is_a_box(tmp_path: Path) -> None:
    data = encoded(drawing(120, 80), "PNG")
    (tmp_path / "architecture.png").write_bytes(data + b"\0" * (245 * 1024 - len(data)))
    long_name = "a\n" + "b" * 60 + ".svg"
    (tmp_path / long_name).write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    tool = anyread.tool("mycode", cwd=tmp_path)
    answer = tool.call_sync({"file_path": "architecture.png"})
    assert tool.summary(answer).split("\n") == [
        "┌─ Image: architecture.png ─────────────────────────┐",
        "│ [Displayed as image in conversation]              │",
        "│                                                   │",
        "│ Size: 245 KB                                      │",
        "│ Dimensions: 120 x 80                              │",
        "│ Type: PNG                                         │",
        "└───────────────────────────────────────────────────┘",
    ]
    rows = tool.summary(tool.call_sync({"file_path": long_name})).split("\n")
    assert len({len(row) for row in rows}) == 1
    assert rows[-2].strip("│ ") == "Type: SVG"


def test_other_contracts_show_texts_and_describe_images(tmp_path: Path) -> None:
    data = encoded(drawing(3, 2), "PNG")
    (tmp_path / "a.png").write_bytes(data)
    tool = anyread.tool("opencode", cwd=tmp_path)
    shown = tool.summary(tool.call_sync({"filePath": "a.png"}))
    assert shown == f"Image read successfully\n[image/png: {len(data):,} bytes]"
