"""What the recorded calls of the contracts do not show: large and hostile files, confinement, blocks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import anyread
from anyread.reading.open_file import python_fault
from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock
from helpers.media import drawing, encoded, text_pdf

NAMES = ("opencode", "deepagents", "text-editor", "gemini-cli", "pi", "mcp-filesystem", "anthropic-toolset")


def text_of(tool: anyread.tools.Tool, answer: Any) -> str:
    """Return the text of an answer as a model sees it."""
    return "\n".join(block.text for block in tool.blocks(answer) if isinstance(block, TextBlock))


@pytest.mark.parametrize("name", NAMES)
def test_fifo_is_an_error_at_once(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    tool = anyread.tool(name, cwd=tmp_path)
    answer = tool.call_sync(tool.arguments_for(tmp_path / "pipe.txt"))
    assert tool.failed(answer)
    assert text_of(tool, answer)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "gemini-cli"])
def test_window_of_a_long_file_is_small(name: str, tmp_path: Path) -> None:
    path = tmp_path / "long.log"
    path.write_bytes(b"one line of text\n" * 400_000)
    ranges: dict[str, dict[str, Any]] = {
        "opencode": {"limit": 10},
        "deepagents": {},
        "pi": {"limit": 3},
        "text-editor": {"view_range": [1, 2]},
        "mcp-filesystem": {"tail": 2},
        "anthropic-toolset": {"view_range": [2, 3]},
    }
    tool = anyread.tool(name, cwd=tmp_path)
    answer = tool.call_sync({**tool.arguments_for(path), **ranges[name]})
    assert not tool.failed(answer)
    assert len(text_of(tool, answer)) < 200_000
    assert "one line of text" in text_of(tool, answer)


@pytest.mark.parametrize("number", [10**20, 1e300, float("nan"), float("inf")])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "text-editor"])
def test_numbers_beyond_64_bits_are_answered(name: str, number: float, tmp_path: Path) -> None:
    """They raised an exception in deepagents, gemini-cli and mcp-filesystem."""
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    tool = anyread.tool(name, cwd=tmp_path)
    for argument in tool.input_schema["properties"]:
        if argument not in tool.input_schema["required"]:
            value = [1, number] if argument == "view_range" else number
            assert text_of(tool, tool.call_sync({**tool.arguments_for(path), argument: value}))


SHOW_IMAGES = ["opencode", "deepagents", "gemini-cli", "pi", "codelet", "forge", "llm-gateway", "mycode"]
SHOW_IMAGES += ["claude-code"]


@pytest.mark.parametrize("name", SHOW_IMAGES)
def test_media_become_blocks(name: str, tmp_path: Path) -> None:
    png = encoded(drawing(30, 20), "PNG")
    (tmp_path / "a.png").write_bytes(png)
    tool = anyread.tool(name, cwd=tmp_path)
    blocks = tool.blocks(tool.call_sync(tool.arguments_for(tmp_path / "a.png")))
    [image] = [block for block in blocks if isinstance(block, ImageBlock)]
    assert image.data == png
    [record] = tool.session.records
    assert record.form == "visual"


@pytest.mark.parametrize("name", [name for name in SHOW_IMAGES if name != "deepagents"])
def test_long_edge_of_the_models_images_is_kept(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encoded(drawing(400, 200), "PNG"))
    tool = anyread.tool(name, cwd=tmp_path, model=anyread.Model(max_long_edge=100))
    blocks = tool.blocks(tool.call_sync(tool.arguments_for(tmp_path / "a.png")))
    [image] = [block for block in blocks if isinstance(block, ImageBlock)]
    assert (image.width, image.height) == (100, 50)


@pytest.mark.parametrize(
    "name", ["opencode", "deepagents", "gemini-cli", "forge", "llm-gateway", "claude-code"]
)
def test_pdf_becomes_a_document(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(2))
    tool = anyread.tool(name, cwd=tmp_path)
    blocks = tool.blocks(tool.call_sync(tool.arguments_for(tmp_path / "a.pdf")))
    [document] = [block for block in blocks if isinstance(block, DocumentBlock)]
    assert document.data == text_pdf(2)
    assert name != "claude-code" or (document.name, document.page_count) == ("a.pdf", 2)


@pytest.mark.parametrize("name", ["opencode", "deepagents", "text-editor", "gemini-cli"])
@pytest.mark.parametrize("file", ["a.png", "a.pdf"])
def test_media_that_do_not_decode_are_refused_unless_unvalidated(
    name: str, file: str, tmp_path: Path
) -> None:
    if (name, file) == ("text-editor", "a.pdf"):
        pytest.skip("it reads PDFs as text")
    (tmp_path / file).write_bytes(b"neither an image nor a PDF")
    tools = [anyread.tool(name, cwd=tmp_path, validate_media=validated) for validated in (True, False)]
    answers = [tool.call_sync(tool.arguments_for(tmp_path / file)) for tool in tools]
    assert [tool.failed(answer) for tool, answer in zip(tools, answers, strict=True)] == [True, False]
    assert all(tool.blocks(answer) for tool, answer in zip(tools, answers, strict=True))


@pytest.mark.parametrize("name", ["opencode", "text-editor", "gemini-cli", "claude-code"])
def test_model_without_images_is_not_sent_any(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encoded(drawing(30, 20), "PNG"))
    tool = anyread.tool(name, cwd=tmp_path, model=anyread.Model.text_only())
    answer = tool.call_sync(tool.arguments_for(tmp_path / "a.png"))
    assert tool.failed(answer)
    assert all(isinstance(block, TextBlock) for block in tool.blocks(answer))


# -- text-editor


def test_lines_after_the_cut_of_openhands_have_their_own_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"row {number}\n" for number in range(1, 4_001)))
    for compat_numbers in (False, True):
        tool = anyread.tool("openhands", settings={"compat_numbers": compat_numbers})
        answer = tool.call_sync({"command": "view", "path": str(path)})
        lines = answer["content"][0]["text"].splitlines()[1:]
        wrong = [line for line in lines if line.split("\t")[0].strip() != line.rpartition(" ")[2]]
        assert sum("<response clipped>" in line for line in lines) == 1
        # Only the line with the cut has parts of two lines.
        assert (len(wrong) == 1) is not compat_numbers
        assert lines[-1].endswith("\trow 4000")


def test_memory_never_leaves_its_directory(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    tool = anyread.tool("anthropic-memory", cwd=tmp_path)
    (tmp_path / "memories" / "link").symlink_to(tmp_path)
    for path in ("/memories/../secret.txt", "/memories/link/secret.txt", str(tmp_path / "secret.txt")):
        assert tool.failed(tool.call_sync({"command": "view", "path": path}))


# -- deepagents


def test_deepagents_reads_only_below_its_directory(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "in" / "way").symlink_to(tmp_path)
    tool = anyread.tool("deepagents", cwd=tmp_path / "in")
    for path in ("/way/secret.txt", "/../secret.txt", str(tmp_path / "secret.txt")):
        assert tool.failed(tool.call_sync({"file_path": path}))


def test_deepagents_counts_the_characters_of_a_line_of_many_megabytes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ü" * 3_000_000 + "\nend\n")
    content = anyread.tool("deepagents", cwd=tmp_path).call_sync({"file_path": "/a.txt"})["content"]
    assert "@@ lines 1-1 of 2 | truncated mid-line | " in content
    assert " of 3000000 chars @@" in content
    assert len(content) <= 80_000


# -- pi


@pytest.mark.usefixtures("patient_decoders")
def test_pi_says_that_an_image_became_smaller_and_prefers_the_smaller_format(tmp_path: Path) -> None:
    """Noise over 4.5 MiB became JPEG of the same size without a note, and gradients JPEG instead of PNG."""
    Image.frombytes("RGB", (1300, 1100), os.urandom(1300 * 1100 * 3)).save(tmp_path / "noise.png")
    Image.linear_gradient("L").resize((2400, 1200)).convert("RGB").save(tmp_path / "smooth.jpg")
    Image.new("RGB", (30, 20)).save(tmp_path / "small.bmp")
    tool = anyread.tool("pi", cwd=tmp_path)
    shown = {
        name: tool.call_sync({"path": name})["content"][0]["text"]
        for name in ("noise.png", "smooth.jpg", "small.bmp")
    }
    multiply = "Multiply coordinates by {} to map to original image.]"
    assert shown == {
        "noise.png": "Read image file [image/jpeg]\n[Image: original 1300x1100, displayed at 1300x1100. "
        + multiply.format("1.00"),
        "smooth.jpg": "Read image file [image/png]\n[Image: original 2400x1200, displayed at 2000x1000. "
        + multiply.format("1.20"),
        "small.bmp": "Read image file [image/png]\n[Image converted from image/bmp to image/png.]",
    }


# -- openhands


# -- gemini-cli


def test_gemini_cli_reads_only_its_workspace(tmp_path: Path) -> None:
    for name in ("in", "more", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    (tmp_path / "in" / "way").symlink_to(tmp_path / "out")
    tool = anyread.tool(
        "gemini-cli", cwd=tmp_path / "in", settings={"directories": (str(tmp_path / "more"),)}
    )
    assert tool.call_sync({"file_path": "a.txt"})["llmContent"] == "in"
    assert tool.call_sync({"file_path": "../more/a.txt"})["llmContent"] == "more"
    for path in ("../out/a.txt", "way/a.txt"):
        answer = tool.call_sync({"file_path": path})
        assert answer["error"].startswith("Path not in workspace: Attempted path ")


def test_gemini_cli_closes_names_in_every_directory_of_its_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It showed `.env`, `.git` and `node_modules`, which the tool refuses, and no memory of the user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    cwd = tmp_path / "node_modules" / "in"
    more, memory = tmp_path / "more", tmp_path / ".gemini"
    for directory in (cwd, more, memory):
        directory.mkdir(parents=True)
        for name in ("a.txt", ".env", "GEMINI.md"):
            (directory / name).write_text("words")
    tool = anyread.tool("gemini-cli", cwd=cwd, settings={"directories": (str(more),)})
    for path in (cwd / "a.txt", more / "a.txt", memory / "GEMINI.md"):
        assert tool.call_sync({"file_path": str(path)})["llmContent"] == "words"
    for path in (cwd / ".env", more / ".env", memory / "a.txt", memory / ".env"):
        answer = tool.call_sync({"file_path": str(path)})
        assert answer["error"].startswith(
            f'Path not in workspace: Attempted path "{os.path.normpath(path)}" resolves outside'
        )


def test_gemini_cli_refuses_files_over_20_mib(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x\n")
    tool = anyread.tool("gemini-cli", cwd=tmp_path)
    os.truncate(path, 20 * 1024**2)
    assert "error" not in tool.call_sync({"file_path": "a.txt"})
    os.truncate(path, 20 * 1024**2 + 1)
    error = tool.call_sync({"file_path": "a.txt"})["error"]
    assert error["type"] == "file_too_large"
    assert error["message"].endswith("(20.00MB)")


def test_gemini_cli_reads_ignore_files_by_the_rules_of_its_reader(tmp_path: Path) -> None:
    """The files were opened without the reader: through links out of its roots, and FIFOs without end."""
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (tmp_path / "outside").write_text("a.txt\n")
    (root / "a.txt").write_text("words\n")
    os.mkfifo(root / ".geminiignore")
    (root / ".gitignore").symlink_to(tmp_path / "outside")
    tool = anyread.tool("gemini-cli", cwd=root, roots=[root])
    assert tool.call_sync({"file_path": "a.txt"})["llmContent"] == "words\n"
    assert anyread.tool("gemini-cli", cwd=root).call_sync({"file_path": "a.txt"})["is_error"]
    (root / ".gitignore").unlink()
    (root / ".gitignore").write_text("a.txt\n")
    denying = anyread.tool("gemini-cli", cwd=root, deny=[".gitignore"])
    assert denying.call_sync({"file_path": "a.txt"})["llmContent"] == "words\n"


@pytest.mark.anyio
async def test_gemini_cli_bounds_its_ignore_files(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A project's `.gitignore` files took any amount of memory, and more with each call that timed out."""
    (tmp_path / ".geminiignore").write_text("?" * 1000 + "\n" + "*x?y*\n" * 20_000)
    (tmp_path / "a.txt").write_text("words\n")
    (tmp_path / "s").mkdir()
    (tmp_path / "s/b.txt").write_text("words\n")
    tool = anyread.tool("gemini-cli", cwd=tmp_path)
    assert (await tool.call({"file_path": "a.txt"}))["llmContent"] == "words\n"
    (tmp_path / ".geminiignore").write_text("*x?y*\n" * 22_000)
    with caplog.at_level("WARNING", "anyread"):
        answer = await anyread.tool("gemini-cli", cwd=tmp_path).call({"file_path": "a.txt"})
    assert answer["llmContent"] == "words\n"
    assert f"rules in `{tmp_path}/.geminiignore` do not apply" in caplog.text


# -- texts that are not UTF-8


@pytest.mark.parametrize(
    "data", [b"a\xe9\n", b"a\xe6\xbc", b"\xff", b"\xe2\x82", b"ab\xf0\x9f\x98\n", b"\xed\xa0\x80"]
)
def test_fault_of_utf8_is_worded_as_python_words_it(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(UnicodeDecodeError) as caught:
        data.decode()
    error = caught.value
    assert python_fault(data[error.start :], error.start) == str(error)
    (tmp_path / "a.txt").write_bytes(data)
    answer = anyread.tool("deepagents", cwd=tmp_path).call_sync({"file_path": "/a.txt"})
    assert answer["content"] == f"Error: Error reading file '/a.txt': {error}"


# -- arguments


def test_arguments_for_a_file_are_those_of_the_contract(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words\n")
    for name in anyread.tools.CONTRACTS:
        for path in ("a.txt", tmp_path / "a.txt", os.fsencode(tmp_path / "a.txt")):
            tool = anyread.tool(name, cwd=tmp_path)
            answer = tool.call_sync(tool.arguments_for(path))
            assert "words" in text_of(tool, answer), name
    virtual = anyread.tool("deepagents", cwd=tmp_path)
    assert virtual.arguments_for("a.txt") == {"file_path": "/a.txt"}
    outside = tmp_path.parent / "a.txt"
    assert os.path.normpath(virtual.arguments_for(outside)["file_path"]) == os.path.normpath(outside)
    plain = anyread.tool("deepagents", cwd=tmp_path, settings={"virtual_mode": False})
    assert plain.arguments_for("a.txt") == {"file_path": os.path.normpath(tmp_path / "a.txt")}
