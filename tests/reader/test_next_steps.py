"""The hints for files that cannot be shown: each family of formats has its own next step."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

import anyread
from anyread import errors
from anyread.errors.next_steps import next_step
from helpers.media import drawing, encoded

SIGNATURES = Path(__file__).parents[2] / "rust" / "anyread-core" / "src" / "sniff" / "signatures.rs"


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return file.getvalue()


def tarred() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("inside.txt"))
    return file.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
FILES = {
    "a.zip": (zipped("x.txt"), "list its entries with `unzip -l a.zip`, then unpack it"),
    "a.tar.gz": (tarred(), "list its entries with `tar -tf a.tar.gz`, then unpack it"),
    "a.tgz": (tarred(), "list its entries with `tar -tf a.tgz`, then unpack it"),
    "a.7z": (b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(100), "list its entries with `7z l a.7z`"),
    "a.log.gz": (gzip.compress(b"x"), "decompress it into a new file with `gzip -dc a.log.gz > FILE`"),
    "a.zst": (b"\x28\xb5\x2f\xfd" + bytes(20), "decompress it into a new file with `zstd -dc a.zst > FILE`"),
    "a.odp": (zipped("mimetype", "content.xml"), "soffice --headless --convert-to pptx a.odp`"),
    "a.doc": (OLE, "convert it with `soffice --headless --convert-to docx a.doc`"),
    "a.PPT": (OLE, "convert it with `soffice --headless --convert-to pptx a.PPT`"),
    "a.msg": (OLE, "convert it to PDF with `soffice "),
    "ls": (b"\x7fELF\x02\x01\x01" + bytes(60), "inspect it with `readelf -h -d ls`"),
    "a.wasm": (b"\0asm\1\0\0\0" + bytes(20), "inspect it with `wasm-objdump -x a.wasm`"),
    "a.mp4": (b"\0\0\0\x18ftypisom" + bytes(40), "show its streams and metadata with `ffprobe "),
    "a.flac": (b"fLaC\0\0\0\x22" + bytes(40), "ffprobe -hide_banner a.flac`, or read a transcript of it"),
    "a.heic": (b"\0\0\0\x18ftypheic" + bytes(40), "convert it to PNG with `magick a.heic FILE.png`"),
    "a.parquet": (b"PAR1\x15\0\x15\0" + bytes(40), "query it with DuckDB"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_hint_names_the_next_step_for_the_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Every hint was to read the bytes as text, which is useless for an archive or a video."""
    content, step = FILES[name]
    (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises((errors.BinaryFileError, errors.UnsupportedFormatError)) as caught:
        anyread.read_sync(name)
    assert step in caught.value.hint
    assert "kind" not in caught.value.hint


def test_every_signature_has_a_next_step() -> None:
    """The hint for a format without one is to read its bytes as text."""
    detected = re.findall(r'signature\(b".*", "(.+)"\)', SIGNATURES.read_text("utf-8"))
    assert detected
    for media_type in detected:
        (hint,) = next_step(media_type, "a")
        assert "xxd" not in str(hint)


@pytest.mark.skipif(not (shutil.which("gzip") and shutil.which("tar")), reason="needs gzip and tar")
@pytest.mark.parametrize(
    ("name", "is_tar"), [("a b.txt.gz", False), ("-o'h $x.gz", False), ("a;b.tar.gz", True), ("-x.tgz", True)]
)
def test_command_of_a_hint_runs_in_a_shell_for_any_file_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_tar: bool
) -> None:
    (tmp_path / name).write_bytes(tarred() if is_tar else gzip.compress(b"x"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.BinaryFileError) as caught:
        anyread.read_sync(name)
    (command,) = re.findall("`(.*)`", caught.value.hint)
    result = subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert result.stderr == b""
    shown = result.stdout if is_tar else (tmp_path / "FILE").read_bytes()
    assert shown == (b"inside.txt\n" if is_tar else b"x")


@pytest.mark.parametrize(
    ("name", "content", "kind", "found"),
    [
        ("a.txt", b"Tyger Tyger\n", "image", "text"),
        ("a.txt", b"Tyger Tyger\n", "pdf", "text"),
        ("a.zip", zipped("x.txt"), "image", "application/zip"),
        ("a.png", encoded(drawing(4, 3), "PNG"), "pdf", "an image"),
        ("a.ipynb", b'{"cells": [], "nbformat": 4}', "image/png", "a notebook"),
    ],
)
def test_file_read_as_another_kind_is_not_called_damaged(
    tmp_path: Path, name: str, content: bytes, kind: str, found: str
) -> None:
    """A text read with kind="image" was reported as "a damaged text/plain" that must be regenerated."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(errors.WrongKindError) as caught:
        anyread.read_sync(tmp_path / name, kind=kind)
    assert (
        caught.value.message == f"the argument `kind` does not apply to `{tmp_path / name}`, which is {found}"
    )
    assert caught.value.hint.startswith("leave kind out")
