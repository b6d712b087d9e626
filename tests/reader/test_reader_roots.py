"""Roots, deny rules and path repair through the public `Reader`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import errors

# Reads are declared to return any kind of page; the files of these tests are text.
from helpers.texts import TextReader


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory with a file and a directory, next to a file outside."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("inside\n")
    (root / "top.txt").write_text("top\n")
    (tmp_path / "outside.txt").write_text("outside\n")
    return root


def content(reader: Any, path: str | bytes | os.PathLike[str]) -> str:
    """Read a file's content."""
    text: str = reader.text(path).content
    return text


# ---------------------------------------------------------------- roots


@pytest.mark.parametrize("spelling", ["src/a.py", "./src/a.py", "src//a.py", "src/../src/a.py", "src/./a.py"])
def test_root_relative_path_is_read(root: Path, spelling: str) -> None:
    assert content(TextReader(roots=[root]), spelling) == "inside\n"


def test_root_relative_path_does_not_depend_on_the_working_directory(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "src/deep").mkdir()
    (root / "src/deep/here.py").write_text("here\n")
    monkeypatch.chdir(root / "src/deep")
    assert content(TextReader(roots=[root]), "top.txt") == "top\n"
    with pytest.raises(errors.NotFoundError):
        TextReader(roots=[root]).text("here.py")


@pytest.mark.parametrize("spelling", ["../outside.txt", "src/../../outside.txt", "/etc/passwd", "/", ".."])
def test_root_path_that_leads_outside_is_refused(root: Path, spelling: str) -> None:
    with pytest.raises(errors.OutsideRootError) as caught:
        TextReader(roots=[root]).text(spelling)
    assert caught.value.roots == (str(root),)
    assert str(root) in caught.value.hint


def test_root_link_inside_is_followed(root: Path) -> None:
    (root / "relative.py").symlink_to("src/a.py")
    (root / "absolute.py").symlink_to(root / "src" / "a.py")
    (root / "directory").symlink_to("src")
    reader = TextReader(roots=[root])
    for name in ("relative.py", "absolute.py", "directory/a.py"):
        page = reader.text(name)
        assert page.content == "inside\n"
        assert page.resolved_path == str(root / "src" / "a.py")


def test_root_link_to_the_outside_is_refused(root: Path) -> None:
    (root / "file").symlink_to("../outside.txt")
    (root / "absolute").symlink_to(root.parent / "outside.txt")
    (root / "directory").symlink_to("..")
    (root / "chain").symlink_to("file")
    reader = TextReader(roots=[root])
    for name in ("file", "absolute", "directory/outside.txt", "chain"):
        with pytest.raises(errors.OutsideRootError):
            reader.text(name)


def test_roots_may_all_be_read(root: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    (second / "b.txt").write_text("second\n")
    reader = TextReader(roots=[root, second])
    assert content(reader, "top.txt") == "top\n"
    assert content(reader, second / "b.txt") == "second\n"
    with pytest.raises(errors.OutsideRootError):
        reader.text(tmp_path / "outside.txt")


def test_root_is_named_by_its_normalized_path(root: Path) -> None:
    """Messages named a root as it was passed, such as `/repo/src/../`, which models copy."""
    for spelling in (f"{root}//./", f"{root}/src/..", f"{root}/src/../"):
        with pytest.raises(errors.OutsideRootError) as caught:
            TextReader(roots=[spelling]).text("/etc/passwd")
        assert caught.value.roots == (str(root),)
        assert caught.value.hint == f"read a path inside `{root}`"


def test_root_with_dots_after_a_link_is_relative_to_its_target(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root / "src")
    assert content(TextReader(roots=[f"{tmp_path}/link/.."]), "top.txt") == "top\n"


def test_single_root_is_resolved_when_the_reader_is_made(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative root was named as `.` in messages, and a single path was refused."""
    monkeypatch.chdir(root)
    readers = [TextReader(roots=roots) for roots in (".", Path(), b".", ["."])]
    monkeypatch.chdir("/")
    for reader in readers:
        assert reader.roots == (os.fsencode(root),)
        assert content(reader, "top.txt") == "top\n"


def test_reader_without_roots_reads_anything(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    assert content(TextReader(), "../outside.txt") == "outside\n"


# ---------------------------------------------------------------- deny rules


@pytest.mark.parametrize("spelling", [".env", "./.env", "src/../.env", "deep/.env"])
def test_deny_rule_matches_every_spelling(root: Path, spelling: str) -> None:
    (root / "deep").mkdir()
    for directory in (root, root / "deep"):
        (directory / ".env").write_text("KEY=1\n")
    with pytest.raises(errors.DeniedError) as caught:
        TextReader(roots=[root], deny=["**/.env"]).text(spelling)
    assert caught.value.rule == "**/.env"
    assert "**/.env" in str(caught.value)


def test_deny_rule_matches_the_resolved_path_of_a_link(root: Path) -> None:
    (root / ".env").write_text("KEY=1\n")
    (root / "notes.txt").symlink_to(".env")
    with pytest.raises(errors.DeniedError):
        TextReader(roots=[root], deny=["**/.env"]).text("notes.txt")


def test_deny_rule_matches_the_given_path_of_a_link(root: Path) -> None:
    (root / "id_rsa").symlink_to("top.txt")
    with pytest.raises(errors.DeniedError):
        TextReader(roots=[root], deny=["**/id_rsa"]).text("id_rsa")


def test_deny_rule_applies_without_roots(root: Path) -> None:
    with pytest.raises(errors.DeniedError):
        TextReader(deny=["**/src/**"]).text(root / "src" / "a.py")
    assert content(TextReader(deny=["**/src/**"]), root / "top.txt") == "top\n"


def test_deny_rule_applies_to_a_repaired_path(root: Path) -> None:
    (root / "my\u00a0secret.txt").write_text("x\n")
    with pytest.raises(errors.DeniedError):
        TextReader(roots=[root], deny=["**/*secret*"]).text("my secret.txt")


def test_denied_names_are_not_listed(root: Path) -> None:
    (root / ".env").write_text("KEY=1\n")
    reader = TextReader(roots=[root], deny=["**/.env"])
    with pytest.raises(errors.NotFoundError) as caught:
        reader.text(".enw")
    assert ".env" not in caught.value.near


# ---------------------------------------------------------------- repair and near names


def test_repaired_path_has_a_notice_that_names_the_file(root: Path) -> None:
    (root / "a\u202fb.txt").write_text("found\n")
    page = TextReader(roots=[root]).text("a b.txt")
    assert page.content == "found\n"
    assert page.path == "a b.txt"
    assert page.resolved_path == str(root / "a\u202fb.txt")
    (notice,) = page.notices
    assert notice.code == "path_repaired"


def test_directory_name_is_repaired(root: Path) -> None:
    (root / "my\u00a0directory").mkdir()
    (root / "my\u00a0directory" / "x.txt").write_text("found\n")
    assert content(TextReader(roots=[root]), "my directory/x.txt") == "found\n"


def test_repair_never_leaves_the_roots(root: Path) -> None:
    reader = TextReader(roots=[root])
    for spelling in (f"file://{root.parent}/outside.txt", '"../outside.txt"', "../outside\u00a0.txt"):
        with pytest.raises((errors.OutsideRootError, errors.NotFoundError)):
            reader.text(spelling)


# ---------------------------------------------------------------- paths that are too long


@pytest.mark.parametrize("length", [4_096, 100_000, 3_000_000])
def test_path_beyond_path_max_is_refused_at_once(root: Path, length: int) -> None:
    """The search for names like a path of 400 KB took minutes, and the error repeated the whole path."""
    for reader in (TextReader(), TextReader(roots=[root])):
        with pytest.raises(errors.BadPathError) as caught:
            reader.text("a/" * (length // 2))
        assert "longer than 4,095 bytes" in str(caught.value)
        assert len(str(caught.value)) < 5_000
        assert len(caught.value.path) < 5_000


def test_deep_missing_path_has_a_similar_name(root: Path) -> None:
    with pytest.raises(errors.NotFoundError) as caught:
        TextReader(roots=[root]).text("srcc/" + "a/" * 2_000)
    assert caught.value.near == ("src",)


# ---------------------------------------------------------------- spellings of one path


@pytest.mark.parametrize("spelling", ["{}//src/a.py", "/{}/src/a.py", "{}/./src/a.py", "{}/src/../src/a.py"])
def test_resolved_path_is_normalized(root: Path, spelling: str) -> None:
    """`resolved_path` kept `//` and `/./`, so that a session did not find the file under its plain path."""
    plain = str(root.resolve() / "src" / "a.py")
    session = anyread.Session()
    page = TextReader(session=session).text(spelling.format(root.resolve()))
    assert page.resolved_path == plain
    assert session.check(plain) == "fresh"


# ---------------------------------------------------------------- rules that go through links


def test_deny_rule_through_a_link_applies_to_every_path(root: Path) -> None:
    """A rule for `/var/run/x/**` did not cover `/run/x/token`."""
    (root.parent / "alias").symlink_to(root)
    reader = TextReader(deny=[f"{root.parent}/alias/src/**"])
    for directory in (root.parent / "alias", root):
        with pytest.raises(errors.DeniedError):
            reader.text(directory / "src" / "a.py")
    assert content(reader, root / "top.txt") == "top\n"


@pytest.mark.anyio
async def test_deny_rule_through_a_link_applies_to_inline_reads(root: Path) -> None:
    (root.parent / "alias").symlink_to(root)
    reader = TextReader(deny=[f"{root.parent}/alias/src/**"])
    await reader.read(root / "top.txt")
    for _ in range(2):
        with pytest.raises(errors.DeniedError):
            await reader.read(root / "src" / "a.py")
        assert (await reader.text_async(root / "top.txt")).content == "top\n"
