"""Every door of the reader knows mounts, or says that it does not; paths, rules and limits of mounts."""

from __future__ import annotations

import asyncio
import gc
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import errors
from anyread.arguments.limits import Limits
from anyread.cli.demo import FILES
from anyread.mcp_server.tools import Tools
from anyread.sources import BLOCK, Commands, Fetched, copies
from helpers.readme import create_files
from helpers.stores import Files, Shell

LINES = b"".join(b"line %d\n" % number for number in range(1, 400_001))
SECRET = {"/a.txt": b"text\n", "/.env": b"SECRET=1\n", "/link.txt": b"SECRET=1\n"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    create_files(folder)
    return folder


async def first_pages(reader: anyread.Reader, path: str | Path) -> list[Any]:
    pages: list[Any] = []
    async for page in reader.pages(path, max_tokens=4_000):
        pages.append(page)
        if len(pages) == 4:
            break
    return pages


@pytest.mark.usefixtures("patient_decoders")
@pytest.mark.parametrize("fault", ["honest", "short"])
async def test_every_kind_is_read_as_the_local_file(folder: Path, fault: str) -> None:
    """Text, image, PDF, notebook, workbook, document, presentation and records: all pages."""
    files = {f"/{name}": (folder / name).read_bytes() for name in FILES}
    far = anyread.Reader(mounts={"/far": Files(files, fault)})
    for name in FILES:
        shown, local = (
            await first_pages(far, f"/far/{name}"),
            await first_pages(anyread.Reader(), folder / name),
        )
        assert [page.kind for page in shown] == [page.kind for page in local], name
        assert [page.text for page in shown] == [page.text for page in local], name
        assert [len(page.blocks) for page in shown] == [len(page.blocks) for page in local], name
        facts = [await far.info(f"/far/{name}"), await anyread.info(folder / name)]
        for fact in ("kind", "media_type", "size_bytes", "lines", "encoding", "facts"):
            assert getattr(facts[0], fact) == getattr(facts[1], fact), (name, fact)
        with await far.open(f"/far/{name}") as file:
            assert file.sha256() == anyread.Reader().open_sync(folder / name).sha256()


async def test_tool_places_many_and_versions() -> None:
    store = Files({"/src/a.txt": LINES, "/b.txt": b"one\n"})
    reader = anyread.Reader(mounts={"/far": store})
    read = anyread.tool(reader=reader)
    for path in ("/far/src/a.txt", "src/a.txt", "./src//a.txt"):
        answer = await read.call({"path": path, "offset": 350_000, "limit": 1})
        assert "line 350000" in str(answer["content"]), path
    answer = await read.call({"places": ["src/a.txt:20", "b.txt", "src/a.txt:300000-300001", "none.txt"]})
    for shown in ("line 20", "one", "line 300001", "none.txt"):
        assert shown in str(answer), shown
    many = [result async for result in reader.read_many(["src/a.txt:5-6", "b.txt", "none.txt"])]
    assert [getattr(result, "text", "").split("\n")[0] for result in many[:2]] == ["5\tline 5", "1\tone"]
    assert isinstance(many[2], anyread.Failed)
    page = await reader.read("b.txt")
    assert page.version.startswith("m-")
    assert page.resolved_path == "/far/b.txt"
    asked = len(store.asked)
    assert isinstance(await reader.read("b.txt", unless_version=page.version), anyread.Unchanged)
    assert store.asked[asked:] == [("get", ())]
    store.version += 1
    again = await reader.read("b.txt", unless_version=page.version)
    assert isinstance(again, anyread.TextPage)


async def test_mcp() -> None:
    tools = Tools(roots=[], mounts={"/far": Files({"/a.txt": LINES})})
    answer = await tools.for_one_model().call({"path": "a.txt", "offset": 350_000, "limit": 1})
    assert "line 350000" in str(answer["content"])


async def test_what_mounts_do_not_do(tmp_path: Path) -> None:
    reader = anyread.Reader(mounts={"/far": Files({"/a.txt": LINES})}, directories="list")
    calls = (reader.files, "/far"), (reader.follow, "/far/a.txt"), (reader.follow_sync, "a.txt")
    for function, path in calls:
        with pytest.raises(errors.StoreError):
            function(path)
    (tmp_path / "local.txt").write_text("here\n")
    with pytest.raises(errors.OutsideRootError):
        await reader.read(tmp_path / "local.txt")
    both = anyread.Reader(roots=tmp_path, mounts={"/far": Files({"/a.txt": b"there\n"})})
    assert [(await both.read(path)).text for path in ("local.txt", "/far/a.txt")] == ["1\there", "1\tthere"]
    with pytest.raises(ValueError, match="claude-code"):
        anyread.tool("claude-code", reader=reader)
    for path in ("/far/../etc/passwd", "/far/a/../../b", "../far/a.txt", "/far/a\0b"):
        with pytest.raises((errors.BadPathError, errors.OutsideRootError)):
            await reader.read(path)
    with pytest.raises(errors.NotFoundError):
        await reader.read("/far/a.txt/")
    for mounts in ({"far": Files({})}, {"/far/": Files({})}, {"/a/../b": Files({})}):
        with pytest.raises(ValueError, match="absolute"):
            anyread.Reader(mounts=mounts)
    with pytest.raises(TypeError, match="get"):
        anyread.Reader(mounts={"/far": object()})  # type: ignore[dict-item] # so it is


@pytest.mark.posix("rules without a drive")
async def test_deny_rules_see_the_path_and_the_real_path() -> None:
    class Linked(Files):
        async def get(self, path: str, wanted: Any, version: str | None) -> Fetched:
            found = await super().get(path, wanted, version)
            return found._replace(real_path="/.env" if path == "/link.txt" else path)

    for deny in (["**/.env"], "secrets", ["/far/.env", "/far/link.txt"]):
        store = Linked(SECRET)
        reader = anyread.Reader(mounts={"/far": store}, deny=deny)
        assert (await reader.read("/far/a.txt")).text == "1\ttext"
        asked = len(store.asked)
        with pytest.raises(errors.DeniedError):
            await reader.read("/far/.env")
        assert len(store.asked) == asked
        with pytest.raises(errors.DeniedError):
            await reader.read("/far/link.txt")


async def test_limits_of_what_is_fetched_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_copies", type(copies._copies)())
    limits = Limits(max_copied_bytes=1_200_000, copies_bytes=3_000_000)
    files = {f"/{number}.txt": b"%d\n" % number + LINES for number in range(8)}
    reader = anyread.Reader(mounts={"/far": Files(files)}, limits=limits)
    for name in files:
        assert (
            await reader.read(f"/far{name}", offset=300_000, limit=1, kind="text")
        ).content == "line 299999\n"
        with pytest.raises(errors.TooLargeError):
            await reader.read(f"/far{name}", find="line 7$")
    kept = [copy.native.present_bytes for copy in copies._copies.values()]
    assert sum(kept) <= limits.copies_bytes
    # A store that does not count: what is far from both ends needs all of the file.
    plain = anyread.Reader(mounts={"/far": Files(files, counts=False)}, limits=limits)
    page = await plain.read("/far/1.txt", offset=-3, limit=1, kind="text")
    assert (page.content, page.total_lines) == ("line 399998\n", None)
    with pytest.raises(errors.TooLargeError):
        await plain.read("/far/1.txt", offset=200_000, limit=1)


class Answering:
    """A store that always gives one answer."""

    def __init__(self, answer: Fetched) -> None:
        self._answer = answer

    async def get(self, *_: Any) -> Fetched:
        return self._answer


@pytest.mark.parametrize(
    "answer",
    [
        Fetched(10_000_000, "1", [(2 * number, b"x") for number in range(1_000_000)]),
        Fetched(10_000_000, "1" * 1_000_000, [(0, b"x")]),
        Fetched(10_000_000, "1", [(0, b"x")], real_path="/" + "x" * 1_000_000),
        Fetched(2**60, "1", [(0, b"x")]),
        Fetched(10_000_000, "1", [(0, b"x")] * 2),
        Fetched(10_000_000, "1", [(9_999_999, b"xx")]),
    ],
)
async def test_answers_that_no_store_may_give(answer: Fetched) -> None:
    reader = anyread.Reader(mounts={"/far": Answering(answer)})
    with pytest.raises(errors.StoreError) as refused:
        await reader.read("/far/a.txt", offset=100)
    assert len(str(refused.value)) < 1_000


async def test_an_answer_over_the_limit_is_not_written() -> None:
    store = Answering(Fetched(len(LINES), "1", [(0, LINES)]))
    reader = anyread.Reader(mounts={"/far": store}, limits=Limits(max_copied_bytes=1_200_000))
    with pytest.raises(errors.TooLargeError):
        await reader.read("/far/a.txt")


async def test_the_limit_of_a_call_counts_all_its_parts() -> None:
    """A column far inside a line is looked for part by part, each in another attempt of the call."""
    store = Files({"/a.txt": b"x" * 5_000_000}, counts=False)
    limits = Limits(max_copied_bytes=1_200_000)
    reader = anyread.Reader(mounts={"/far": store}, limits=limits)
    with pytest.raises(errors.TooLargeError):
        await reader.read("/far/a.txt", column=4_000_000)
    fetched = sum(length for name, wanted in store.asked if name == "get" for _, length in wanted) * BLOCK
    assert fetched < 2 * limits.max_copied_bytes


async def test_nothing_is_kept_of_a_file_without_a_version() -> None:
    store = Files({"/a.txt": LINES}, settled=False)
    reader = anyread.Reader(mounts={"/far": store})
    assert not (await reader.read("/far/a.txt", limit=1)).version
    asked = store.asked.copy()
    await reader.read("/far/a.txt", limit=1)
    assert store.asked[len(asked) :] == asked


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_many_readers_fetch_each_block_once() -> None:
    store = Files({"/a.txt": LINES}, "slow")
    reader = anyread.Reader(mounts={"/far": store})
    pages = await asyncio.gather(
        *(reader.read("/far/a.txt", offset=n % 4 * 90_000 + 1, limit=5) for n in range(64))
    )
    assert len({page.text for page in pages}) == 4
    blocks = [
        block
        for name, wanted in store.asked
        if name == "get"
        for first, length in wanted
        for block in range(first or 0, (first or 0) + length)
        if first is not None and block * BLOCK < len(LINES)
    ]
    assert len(blocks) == len(set(blocks))
    # Each call asks for the state itself, because it may have to show what was written just before.
    assert sum(name == "get" and not wanted for name, wanted in store.asked) == 63


def test_no_descriptor_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(LINES)
    gc.collect()
    open_before = len([*Path("/proc/self/fd").iterdir()])
    for _ in range(20):
        reader = anyread.Reader(mounts={"/": Commands(Shell("sh"))})
        reader.read_sync(str(path), offset=200_000, limit=1)
        with pytest.raises(errors.NotFoundError):
            reader.read_sync(str(tmp_path / "none"))
        del reader
    gc.collect()
    assert len([*Path("/proc/self/fd").iterdir()]) == open_before


def test_blocking_and_asynchronous_functions_on_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(LINES)
    shell = Shell("sh")

    async def later(argv: list[str]) -> tuple[int, bytes]:
        await asyncio.sleep(0)
        return shell(argv)

    for run in (shell, later, partial(later), lambda argv, *_: later(argv)):
        reader = anyread.Reader(mounts={"/": Commands(run)}, limits=Limits(timeout_s=20))
        page = asyncio.run(reader.read(str(path), offset=300_000, limit=1, kind="text"))
        assert page.content == "line 300000\n"
        if run is shell:
            assert (
                reader.read_sync(str(path), offset=300_000, limit=1, kind="text").content == "line 300000\n"
            )
        else:
            with pytest.raises(TypeError, match="await"):
                reader.read_sync(str(path))
