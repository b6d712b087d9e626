"""Files that the core parses in a decoder, where a sandbox is required: the results are the same."""

from __future__ import annotations

import json
import random
import sys
import time
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import anyio
import openpyxl
import pptx
import pytest
from openpyxl.comments import Comment
from pptx.util import Inches
from rust import declared_types

import anyread
from anyread import Limits, Model, Reader, _native, clear_caches, errors
from anyread.batch import read_rows
from anyread.decoding.host import core_types, starters
from anyread.decoding.host import decoder as decoders
from anyread.decoding.host.pool import close_shared_pool, shared_pool
from anyread.decoding.protocol import Frame
from helpers import notebook_samples
from helpers.media import drawing, encoded
from helpers.notebooks import code, display, markdown, stream
from helpers.notebooks import png as image
from helpers.notebooks import write as write_notebook
from helpers.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="decoders have no sandbox on Windows")

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CALLS: list[dict[str, Any]] = [
    *({}, {"limit": 3}, {"offset": 2, "limit": 2}, {"offset": -2}, {"offset": 5}, {"offset": 10_000}),
    *({"around": 4}, {"ranges": [(1, 2), 4]}, {"ranges": [-1]}, {"column": 5}, {"column": 900}),
    *({"max_bytes": 700}, {"max_tokens": 150}, {"limit": 1, "max_bytes": 400}),
    *({"pages": "2"}, {"pages": "1-3"}, {"pages": "9"}, {"pages": "2", "column": 4}),
    *({"at": at} for at in ("2", "3/text", "/1", "/long/2", "/a", "/a/text", "99", "2/nowhere", "a/b")),
    *({"at": at} for at in ("Second", "Second!B2:C4", "B2", "Long!A1", "'No sheet'", "Hidden!1-2")),
    *({"at": "3/text", "offset": 2, "limit": 2}, {"at": "Long!A1", "column": 70}),
    *({"values": "formulas"}, {"values": "raw", "offset": 2}),
    *({"kind": kind} for kind in ("records", "sheet", "document", "slides", "notebook", "text")),
]
"""Calls for files of every kind: what does not apply to one is refused in the same words."""


def book(path: Path) -> Path:
    """Write a workbook with what has a form of its own."""
    made = openpyxl.Workbook()
    first: Any = made.active
    first.title = "First"
    first.append(["day", "amount", "note", "done"])
    for number in range(1, 120):
        first.append([date(2026, 1, 1), number / 4, f"note {number} Grüße", number % 2 == 0])
    first["F3"] = "=SUM(B2:B9)"
    first["A1"].comment = Comment("a comment", "an author")
    first.row_dimensions[4].hidden = True
    first.column_dimensions["C"].hidden = True
    first.merge_cells("A10:B11")
    second = made.create_sheet("Second")
    for row in range(1, 9):
        second.append([f"{row}×{column}" for column in range(1, 6)])
    second["AB300"] = 1e300
    made.create_sheet("Hidden").sheet_state = "hidden"
    made.create_sheet("Long")["A1"] = "word\n" * 3_000
    made.save(path)
    return path


def document(path: Path) -> Path:
    """Write a document with what has a form of its own."""
    texts = [f"line {number} with a few words 字" for number in range(200)]
    texts[3] = "x" * 5_000
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts)
    body += "<w:p><w:r><w:t>before</w:t><w:drawing><a:blip r:embed='r2'/></w:drawing></w:r></w:p>"
    body += (
        "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:r><w:rPr><w:vanish/></w:rPr><w:t>s</w:t></w:r></w:p>"
    )
    kind = "application/vnd.ms-word.document.macroEnabled.main+xml"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        types = f'<Types><Override PartName="/word/document.xml" ContentType="{kind}"/></Types>'
        archive.writestr("[Content_Types].xml", types)
        target = '<Relationship Id="r1" Type="x/officeDocument" Target="word/document.xml"/>'
        archive.writestr("_rels/.rels", f"<Relationships>{target}</Relationships>")
        whole = f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", whole)
        target = '<Relationship Id="r2" Type="x/image" Target="i.png"/>'
        archive.writestr("word/_rels/document.xml.rels", f"<Relationships>{target}</Relationships>")
        archive.writestr("word/i.png", encoded(drawing(30, 20), "PNG"))
    return path


def deck(path: Path) -> Path:
    """Write a presentation with what has a form of its own."""
    made = pptx.Presentation()
    for number in range(1, 8):
        slide: Any = made.slides.add_slide(made.slide_layouts[5])
        slide.shapes.title.text = f"Slide {number} 😀"
        frame = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1)).text_frame
        frame.text = "some words " * 20 * number
    slide = made.slides[6]
    slide.shapes.add_picture(picture(path.with_name("picture.png")), Inches(1), Inches(3))
    slide.notes_slide.notes_text_frame.text = "a note"
    made.slides[2]._element.set("show", "0")
    made.save(str(path))
    return path


def picture(path: Path) -> str:
    path.write_bytes(encoded(drawing(30, 20), "PNG"))
    return str(path)


def record(number: int) -> str:
    text = "line one\nline two Grüße\n" + "x" * 3_000
    return json.dumps({"id": number, "text": text, "list": [*range(40)], "": None}, ensure_ascii=False)


def samples(directory: Path) -> list[Path]:
    """Write files of all kinds, sound and damaged."""
    lines = [*map(record, range(1, 60)), "", '{"broken": [1, }', '{"twice": 1, "twice": NaN}']
    (directory / "lines.jsonl").write_text("\n".join(lines))
    (directory / "torn.jsonl").write_bytes("\n".join(lines[:5]).encode()[:-30] + b"\xff")
    (directory / "list.json").write_text(f"[{','.join(map(record, range(9)))}]")
    (directory / "object.json").write_text(json.dumps({"a": {"text": "b\nc"}, "long": [{"n": 1}] * 500}))
    (directory / "numbers.json").write_text("1 2 3 'x'")
    (directory / "empty.json").write_text("")
    book(directory / "book.xlsx")
    document(directory / "document.docm")
    deck(directory / "deck.pptx")
    outputs = [display(**{"image/png": image(40, 30), "text/plain": "<Figure>"}), stream("out\n" * 900)]
    cells = [markdown("# Title\n" * 20), code("print(1)\n" * 300, *outputs), code("2", count=-3)]
    write_notebook(directory, *cells, name="images.ipynb")
    for name in ("oldest", "older", "many_cells"):
        (directory / f"{name}.ipynb").write_text(json.dumps(getattr(notebook_samples, name)()))
    (directory / "broken.ipynb").write_text(json.dumps(notebook_samples.older())[:-100])
    with zipfile.ZipFile(directory / "plain.zip", "w") as archive:
        archive.writestr("a.txt", "text")
    found = "EncryptedPackage\0".encode("utf-16-le")
    entry = found.ljust(64, b"\0") + bytes([len(found)])
    magic = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    (directory / "encrypted.xlsx").write_bytes(magic.ljust(512, b"\0") + entry.ljust(512, b"\0"))
    rng = random.Random(7)
    for name in ("book.xlsx", "document.docm", "deck.pptx", "images.ipynb"):
        whole = (directory / name).read_bytes()
        (directory / f"cut-{name}").write_bytes(whole[: len(whole) * 2 // 3])
        damaged = bytearray(whole)
        for _ in range(9):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        (directory / f"damaged-{name}").write_bytes(damaged)
    return sorted(path for path in directory.iterdir() if path.suffix != ".png")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return samples(tmp_path_factory.mktemp("samples"))


def readers(**limits: Any) -> tuple[Reader, Reader]:
    """Return a reader of this process, and one that requires a sandbox."""
    limits = {"decode_timeout_s": 60, **limits}
    return Reader(limits=Limits(**limits)), Reader(limits=Limits(**limits, require_sandbox=True))


def outcome(call: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result, or what describes the error; without memory of other calls."""
    clear_caches()
    try:
        return call(*arguments)
    except errors.ReadError as error:
        return type(error), str(error), error.to_dict()


def page_of(reader: Reader, path: Path, arguments: dict[str, Any]) -> Any:
    return reader.read_sync(path, **arguments)


def facts_of(reader: Reader, path: Path) -> Any:
    return reader.info_sync(path).to_dict()


def pages_of(reader: Reader, path: Path, max_bytes: int) -> Any:
    return [*reader.pages_sync(path, max_bytes=max_bytes)]


def many_of(reader: Reader, paths: list[str]) -> Any:
    found = reader.read_many_sync(paths, budget_tokens=20_000)
    return [result.to_dict(include_bytes=True) for result in found]


def column_of(reader: Reader, paths: list[str], name: str) -> Any:
    return read_rows({"path": paths}, limits=reader.limits)[name]


def assert_same(call: Callable[..., Any], *arguments: Any) -> Any:
    here, sandboxed = readers()
    expected = outcome(call, here, *arguments)
    assert outcome(call, sandboxed, *arguments) == expected, arguments
    return expected


@pytest.mark.no_cover
@pytest.mark.slow
def test_every_call_gives_the_same_as_in_this_process(files: list[Path]) -> None:
    kinds = set()
    for path in files:
        for arguments in CALLS:
            found = assert_same(page_of, path, arguments)
            kinds.add(found[0].__name__ if isinstance(found, tuple) else found.kind)
        assert_same(facts_of, path)
    assert kinds >= {"records", "sheet", "document", "slides", "notebook", "text"}
    assert kinds >= {"DamagedFileError", "PasswordRequiredError", "NoSuchSheetError", "NoSuchPartError"}
    assert not any(kind.startswith("Decoder") for kind in kinds)


@pytest.mark.slow
def test_pages_places_and_batches_give_the_same(files: list[Path]) -> None:
    names = [*map(str, files)]
    for path in files:
        assert_same(pages_of, path, 3_000)
    for paths in (names, [f"{name}:2" for name in names], [f"{name}:2-3,5" for name in names]):
        assert len(assert_same(many_of, paths)) == len(paths)
    for column in ("text", "error"):
        assert len(assert_same(column_of, names, column)) == len(names)


@pytest.mark.slow
def test_models_tokenizers_and_line_numbers_make_no_difference(files: list[Path]) -> None:
    settings: list[dict[str, Any]] = [{"model": Model.named("text-only")}, {"gutter": anyread.Gutter.NONE}]
    limits: list[dict[str, Any]] = [
        {"tokenizer": lambda text: len(text.split()), "max_tokens": 200},
        {"tokenizer": "o200k_base", "max_tokens": 500, "exact_total": True},
        {"over_budget": "error", "max_bytes": 2_000, "max_line_chars": 50},
    ]
    for path in files:
        for own in limits:
            for more in settings:
                found = [
                    outcome(page_of, Reader(limits=each.limits, **more), path, {}) for each in readers(**own)
                ]
                assert found[0] == found[1], (path, own)


def changed(found: Any, rng: random.Random) -> Any:
    """Return a JSON value with one change somewhere in it."""
    odd = [
        -1,
        0,
        1,
        7,
        2**31,
        2**53,
        2**64,
        -(2**63),
        10**30,
        1.5,
        1e400,
        "",
        "x\ny",
        "\ud800",
        None,
        True,
        [],
        {},
    ]
    if not isinstance(found, list) or not found or rng.random() < 0.15:
        return rng.choice(odd)
    index = rng.randrange(len(found))
    match rng.randrange(8):
        case 0:
            return found[:index] + found[index + 1 :]
        case 1:
            return [*found, found[index]]
        case 2:
            return found[::-1]
    return [*found[:index], changed(found[index], rng), *found[index + 1 :]]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_answers_that_lie_give_pages_or_typed_errors(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else is raised, and nothing takes longer than decoding may."""
    rng = random.Random(3)
    answer = decoders.Decoder.answer

    def lying(self: decoders.Decoder, *, max_payload_bytes: int) -> Frame:
        frame = answer(self, max_payload_bytes=max_payload_bytes)
        if not frame.text or rng.random() < 0.3:
            return frame
        found, header, payload = json.loads(frame.text), dict(frame.header), frame.payload
        if isinstance(found, dict):
            name = rng.choice([*found])
            found = {**found, name: changed(found[name], rng)}
        elif rng.random() < 0.03:
            header["raised"] = rng.choice(["LookupError", "ValueError", "damaged", 1])
        else:
            found = changed(found, rng)
        return Frame(
            header, json.dumps(found).encode(), payload[rng.choice([0, 0, 0, 1]) :], frame.descriptors
        )

    monkeypatch.setattr(decoders.Decoder, "answer", lying)
    reader = Reader(limits=Limits(require_sandbox=True, decode_timeout_s=3), model=Model.named("anthropic"))
    seen: dict[str, int] = {}
    chosen = [path for path in files if not path.name.startswith(("cut", "damaged"))]
    for number in range(400):
        path, arguments = chosen[number % len(chosen)], rng.choice(CALLS)
        started = time.monotonic()
        try:
            name = reader.read_sync(path, **arguments).kind if number % 9 else reader.info_sync(path).kind
        except errors.ReadError as error:
            name = type(error).__name__
        assert time.monotonic() - started < 30, (path, arguments)
        seen[name] = seen.get(name, 0) + 1
    assert seen["DecoderCrashedError"] > 40


def test_answer_that_is_too_long_is_refused(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyread.decoding.host.core_calls._LEAST_ANSWER_BYTES", 0)
    monkeypatch.setattr("anyread.decoding.host.core_calls._ANSWER_FACTOR", 0)
    path = next(path for path in files if path.name == "lines.jsonl")
    reader = readers(max_notebook_bytes=10)[1]
    with pytest.raises(errors.DecoderCrashedError, match="too large"):
        reader.read_sync(path, kind="records")


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """Return a JSON file in which a search takes longer than a test waits."""
    path = tmp_path / "long.json"
    with path.open("wb") as file:
        file.write(b'["begin' + b"x" * 20_000)
        file.truncate(1 << 36)
    return path


@pytest.mark.slow
def test_search_that_takes_too_long_is_stopped(long: Path) -> None:
    with pytest.raises(errors.DecoderTimeoutError):
        readers(decode_timeout_s=0.5)[1].read_sync(long, at="/5")
    with pytest.raises(errors.ReadTimeoutError):
        readers(timeout_s=0.5)[1].read_sync(long, at="/5")


@pytest.mark.slow
async def test_cancelled_search_ends_its_decoder(long: Path, files: list[Path]) -> None:
    reader = readers()[1]
    with anyio.move_on_after(0.5) as scope:
        await reader.read(long, at="/5")
    assert scope.cancelled_caught
    assert (await reader.read(files[0])).path == str(files[0])
    until(lambda: not any(child for child in shared_pool()._working))


@pytest.mark.slow
def test_memory_of_a_decoder_is_limited(tmp_path: Path) -> None:
    path = write_notebook(tmp_path, *(code("x = 1\n" * 3_000) for _ in range(1_000)))
    here, sandboxed = readers(decode_memory_bytes=8 << 20)
    assert here.read_sync(path, limit=1).kind == "notebook"
    with pytest.raises(errors.DecoderMemoryError):
        sandboxed.read_sync(path, limit=1)
    assert readers(decode_memory_bytes=1 << 30)[1].read_sync(path, limit=1).kind == "notebook"


def test_system_without_decoders_refuses_files(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is parsed in this process instead."""
    close_shared_pool()
    monkeypatch.setattr(starters, "is_supported", lambda: False)
    for path in files:
        kind = "records" if path.suffix in {".json", ".jsonl"} else None
        with pytest.raises(errors.DecoderUnavailableError) as caught:
            readers()[1].read_sync(path, kind=kind)
        assert not caught.value.supported
    close_shared_pool()


def test_decoder_learns_no_path(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    ask = decoders.Decoder.ask

    def noted(self: decoders.Decoder, header: dict[str, Any], payload: bytes = b"", **named: Any) -> None:
        sent.append(json.dumps(header) + payload.decode("latin-1"))
        ask(self, header, payload, **named)

    monkeypatch.setattr(decoders.Decoder, "ask", noted)
    for path in files:
        outcome(page_of, readers()[1], path, {})
    assert any('"call"' in text for text in sent)
    assert not any(str(files[0].parent) in text for text in sent)


def test_installation_without_types_of_the_core_refuses_files(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = (core_types.returned, core_types._declared)
    for function in cached:
        function.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(core_types, "files", lambda _: tmp_path)
        with pytest.raises(errors.DecoderUnavailableError, match="missing"):
            readers()[1].read_sync(files[0])
    assert readers()[1].read_sync(files[0]).kind == "sheet"


def test_everything_that_the_core_may_return_can_be_compared() -> None:
    """A function with a type that is not known would fail only when it is first called in a decoder."""
    assert declared_types.TABLE.read_text("utf-8") == declared_types.table(), "run rust/declared_types.py"
    names = ("Notebook", "Json", "Presentation", "Workbook", "document_lines", "package_type")
    for name in names:
        found = getattr(_native, name)
        assert core_types.returned(name)
        for method in () if name.islower() else vars(found):
            if not method.startswith("_") and callable(getattr(found, method)):
                assert core_types.returned(f"{name}.{method}")
