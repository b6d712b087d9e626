"""Every class of errors: builtin, fields, copies, and hints that can be followed.

docs/errors.md shows the text of each class, and the tests run it; the texts of other cases are here.
"""

from __future__ import annotations

import ast
import copy
import errno
import os
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import errors
from anyread.arguments.request import checked

_UNAVAILABLE = {"may_pass": False, "supported": True, "install": "", "sandboxed": True}
# The builtin, the number of the system, if it has one, and the fields of each class.
LEAVES: dict[type[errors.ReadError], tuple[type[Exception], int | None, dict[str, Any]]] = {
    errors.NotFoundError: (
        FileNotFoundError,
        errno.ENOENT,
        {"near": ("src/b.txt",), "dangling_link": None, "elsewhere": False},
    ),
    errors.AmbiguousPathError: (FileNotFoundError, errno.ENOENT, {"candidates": ("/r/one", "/r/two")}),
    errors.AccessError: (PermissionError, errno.EACCES, {"part": "src"}),
    errors.OutsideRootError: (PermissionError, errno.EACCES, {"roots": ("/repo", "/docs")}),
    errors.DeniedError: (PermissionError, errno.EACCES, {"rule": "**/.env"}),
    errors.DirectoryError: (
        IsADirectoryError,
        errno.EISDIR,
        {"entries": ("x", "y"), "more": True, "has_choice": True},
    ),
    errors.NotRegularFileError: (OSError, errno.EINVAL, {"file_type": "FIFO"}),
    errors.BadPathError: (ValueError, None, {"reason": "it contains a NUL byte"}),
    errors.FileSystemError: (OSError, errno.EIO, {"errno": errno.EIO, "operation": "read"}),
    errors.ReadTimeoutError: (TimeoutError, errno.ETIMEDOUT, {"timeout_s": 2.5, "decoding": False}),
    errors.FileChangedError: (RuntimeError, None, {"change": "truncated"}),
    errors.StoreError: (OSError, errno.EIO, {"reason": "its state cannot be read", "can_retry": True}),
    errors.StaleReadError: (RuntimeError, None, {"reason": "it was never read", "wording": None}),
    errors.BinaryFileError: (ValueError, None, {"media_type": "application/zip", "size_bytes": 12_345}),
    errors.UnsupportedFormatError: (
        ValueError,
        None,
        {"media_type": "image/heic", "size_bytes": 1, "compression": None, "is_followed": False},
    ),
    errors.DamagedFileError: (ValueError, None, {"media_type": "image/png", "reason": "it ends early"}),
    errors.PasswordRequiredError: (PermissionError, errno.EACCES, {"media_type": "application/pdf"}),
    errors.TooLargeError: (ValueError, None, {"size": 90, "maximum": 50, "unit": "pixels", "region": None}),
    errors.OverBudgetError: (
        ValueError,
        None,
        {"used": 3, "budget": 2, "unit": "tokens", "largest_limit": 120, "of": "lines", "first": 1},
    ),
    errors.OffsetPastEndError: (ValueError, None, {"offset": 99, "total_lines": 10, "unit": "lines"}),
    errors.BadArgumentError: (ValueError, None, {"argument": "limit", "value": "0", "reason": "1 or more"}),
    errors.UnknownEncodingError: (
        errors.BadArgumentError,
        None,
        {"value": "koi9-r", "near": ("koi8-r", "koi8-u"), "undecodable": None},
    ),
    errors.NoSuchPageError: (errors.BadArgumentError, None, {"value": "9", "page_count": 3}),
    errors.NotOneImageError: (
        errors.BadArgumentError,
        None,
        {"value": "(0, 0, 9, 9)", "images": 2, "first": {"offset": 7, "limit": 1}},
    ),
    errors.NoSuchPartError: (
        errors.BadArgumentError,
        None,
        {"value": "2/a/b", "last": "2/a", "kind": "object", "count": 7, "near": ("x/y", "z")},
    ),
    errors.NoSuchNameError: (
        errors.BadArgumentError,
        None,
        {"value": "instal", "unit": "heading", "near": ("Install", "Usage")},
    ),
    errors.NotOneValueError: (errors.BadArgumentError, None, {"value": "$.a[*].b", "begin": "/a"}),
    errors.NoSuchSheetError: (
        errors.BadArgumentError,
        None,
        {"sheet": "Ordres", "sheets": ("My notes", "Orders")},
    ),
    errors.WrongKindError: (errors.BadArgumentError, None, {"argument": "pages", "kind": "text"}),
    errors.DecoderTimeoutError: (RuntimeError, None, {"timeout_s": 10.0}),
    errors.DecoderMemoryError: (RuntimeError, None, {"memory_bytes": 1 << 30, "system": False}),
    errors.DecoderCrashedError: (RuntimeError, None, {"reason": "it was killed by SIGSEGV"}),
    errors.DecoderUnavailableError: (RuntimeError, None, {"reason": "no interpreter", **_UNAVAILABLE}),
}
# Errors whose hint names no argument, because none would help.
WITHOUT_ARGUMENTS = {
    *("permission_denied", "denied", "not_a_regular_file", "io_error", "password_required"),
    *("decoder_unavailable", "store_failed", "timeout"),
}
ARGUMENT = re.compile(r"(?<!Reader\()\b([a-z_]+)=(\([^)]*\)|\"[^\"]*\"|-?[0-9]+)")


def leaves(root: type[errors.ReadError]) -> set[type[errors.ReadError]]:
    return {leaf for child in root.__subclasses__() for leaf in {child, *leaves(child)}}


def test_every_leaf_has_a_row() -> None:
    assert set(LEAVES) == leaves(errors.ReadError)


@pytest.mark.parametrize("leaf", LEAVES)
def test_leaf_has_its_builtin_fields_and_copies(leaf: type[errors.ReadError]) -> None:
    builtin, number, fields = LEAVES[leaf]
    error = leaf("src/a.txt", **fields)
    assert isinstance(error, builtin)
    assert isinstance(error, OSError) == (number is not None)
    if isinstance(error, OSError):
        assert (error.errno, error.strerror, error.filename) == (number, os.strerror(number or 0), error.path)
    assert error.data == {name: getattr(error, name) for name in fields} == fields
    assert "`src/a.txt`" in error.message
    assert str(error) == f"{error.message}\nhint: {error.hint}"
    error.add_note("while testing")
    for twin in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert (type(twin), str(twin), twin.__notes__) == (leaf, str(error), ["while testing"])
        assert (twin.path, twin.code, twin.data, twin.args) == (error.path, error.code, fields, error.args)
        assert getattr(twin, "errno", None) == number


@pytest.mark.parametrize("leaf", LEAVES)
def test_hint_is_a_valid_next_call_in_any_syntax(leaf: type[errors.ReadError]) -> None:
    error = pickle.loads(pickle.dumps(leaf("src/a.txt", **LEAVES[leaf][2])))
    arguments = ARGUMENT.findall(error.hint)
    for name, value in arguments:
        checked("src/a.txt", **{name: ast.literal_eval(value)})
    assert arguments or "`" in error.hint or ".py" in error.hint or error.code in WITHOUT_ARGUMENTS
    named: list[str] = []

    def spell(argument: object) -> str:
        named.append(str(argument))
        return "<>"

    assert not ARGUMENT.search(error.hint_as(spell))
    # "leave pages out" names an argument without a value.
    assert [part for part in named if "=" in part] == [f"{name}={value}" for name, value in arguments]


@pytest.mark.parametrize("argument", ["offset", "limit", "column", "pages", "encoding", "kind", "region"])
def test_bad_argument_hint_names_the_argument_with_a_value_that_passes(argument: str) -> None:
    corrected = ARGUMENT.findall(
        errors.BadArgumentError("a", argument=argument, value="x", reason="right").hint
    )
    assert corrected
    for name, value in corrected:
        assert name == argument
        checked("a", **{name: ast.literal_eval(value)})


_HIDDEN_LAST = (*(f".{n}" for n in range(5)), *(f"f{n}" for n in range(7)))
_TEN_NAMES = ", ".join([*(f"`f{n}`" for n in range(1, 7)), *(f"`.{n}`" for n in range(3))])
CASES: list[tuple[errors.ReadError, str | None, str | None]] = [
    (
        errors.NotFoundError("a.txt"),
        None,
        "no similar name was found; read the directory `.` to see the names in it",
    ),
    (errors.NotFoundError("/a.txt"), None, "no similar name was found; read the directory `/` to see"),
    # Similar paths were joined to the directory of the path once more: `notes.txt/notes.txt`.
    (errors.NotFoundError("notes.txt/x", near=("notes.txt",)), None, "read `notes.txt`"),
    (
        errors.NotFoundError("a", dangling_link="a"),
        "`a` is a symbolic link whose target does not exist",
        "read the file that the link was meant to point to",
    ),
    (
        errors.NotFoundError("a/x", near=("b",), dangling_link="a"),
        "`a/x` does not exist, because `a` is a symbolic link whose target does not exist",
        "read `b`",
    ),
    (errors.AccessError("a.txt", part="a.txt"), "permission denied for `a.txt`", None),
    (errors.DirectoryError("src"), None, "it is empty; read another path"),
    # A directory that may not be read, or in which every name is denied, was called empty.
    (
        errors.DirectoryError("src", more=True),
        None,
        "its entries cannot be listed; pass the path of a file in `src/`",
    ),
    # The hint for a home directory was twenty full paths of hidden files.
    (
        errors.DirectoryError("d/", entries=_HIDDEN_LAST),
        None,
        f"read one of its entries, for example `d/f0`; it also contains {_TEN_NAMES}, …",
    ),
    (
        errors.OffsetPastEndError("a.txt", offset=5, total_lines=0),
        "line 5 is past the end of `a.txt`, which has no lines",
        "pass offset=1, because the file is empty",
    ),
    (
        errors.DecoderMemoryError("a.pdf", memory_bytes=1, system=True),
        "the system ran out of memory and killed the decoder of `a.pdf`",
        None,
    ),
    # The hint was to pass `offset`, which an image or PDF refuses.
    (
        errors.ReadTimeoutError("a.png", timeout_s=1.0, decoding=True),
        "reading `a.png` took longer than 1 s",
        "retry once when fewer images and PDFs are being read, or read another file",
    ),
    (errors.NotFoundError("a\nhint: b\r"), "`a\\nhint: b\\r` does not exist", None),
]


@pytest.mark.parametrize(("error", "message", "hint"), CASES)
def test_error_is_worded_for_its_case(error: errors.ReadError, message: str | None, hint: str | None) -> None:
    assert message in {None, error.message}
    assert error.hint.startswith(hint or "")
    assert str(error).count("\n") == 1


@pytest.mark.posix("a path without a drive")
@pytest.mark.parametrize(
    ("argument", "value", "fault"),
    [
        ("roots", "/nowhere/at/all", ""),
        ("deny", "", "globs such as `**/.env` (it is empty)"),
        ("deny", "a[", "globs such as `**/.env` (unclosed character class; missing ']')"),
    ],
)
def test_hint_about_a_restriction_does_not_lift_it(argument: str, value: str, fault: str) -> None:
    """The hint was `leave roots out`, which allows every file to be read."""
    named: dict[str, Any] = {argument: [value]}
    with pytest.raises(errors.BadArgumentError) as caught:
        anyread.Reader(**named)
    assert fault in {"", caught.value.reason}
    assert caught.value.message == f"{argument} must be {caught.value.reason}: `{value}`"
    assert caught.value.hint.endswith(f" with {argument}=[…]")
    assert "out" not in caught.value.hint.split()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    (tmp_path / "data.bin").write_bytes(bytes(range(256)) * 10)
    return tmp_path / "notes.txt"


@pytest.mark.parametrize(
    ("name", "near", "undecodable", "hint"),
    [
        ("koi9-r", ("koi8-r", "koi8-t", "koi8-u"), None, 'pass encoding="koi8-r", or leave it out'),
        ("johab", (), "johab", "convert the file to UTF-8 first, or leave encoding out"),
        ("qqqqqqqqqq", (), None, 'pass encoding="utf-8"'),
    ],
)
def test_unknown_encoding_has_the_nearest_names(
    notes: Path, name: str, near: tuple[str, ...], undecodable: str | None, hint: str
) -> None:
    with pytest.raises(errors.UnknownEncodingError) as caught:
        anyread.read_sync(notes, encoding=name)
    assert (caught.value.near, caught.value.undecodable) == (near, undecodable)
    assert caught.value.hint.startswith(hint)


def follow(error: errors.ReadError) -> anyread.Page:
    """Make the first call that the hint names; if it fails too, make the one that its hint names."""
    for _ in range(2):
        argument = ARGUMENT.search(error.hint)
        named = re.search("`([^`]*)`", error.hint)
        arguments: Any = {argument[1]: ast.literal_eval(argument[2])} if argument is not None else {}
        assert argument is not None or named is not None, error.hint
        try:
            page: anyread.Page = anyread.read_sync(error.path if arguments else named[1], **arguments)  # type: ignore[index] # one of them is there
        except errors.ReadError as failure:
            # For example, `pages="1-5"` does not apply to text: the next hint names an argument that does.
            error = failure
        else:
            return page
    raise error


@pytest.mark.parametrize(
    ("name", "arguments", "leaf"),
    [
        ("nts.txt", {}, errors.NotFoundError),
        ("notes.txt/", {}, errors.FileSystemError),
        ("", {}, errors.DirectoryError),
        ("data.bin", {}, errors.BinaryFileError),
        ("notes.txt", {"offset": 99}, errors.OffsetPastEndError),
        ("notes.txt", {"encoding": "utf-99"}, errors.BadArgumentError),
        ("notes.txt", {"encoding": "koi9-r"}, errors.BadArgumentError),
        ("notes.txt", {"limit": 0}, errors.BadArgumentError),
        ("notes.txt", {"pages": "5-1"}, errors.BadArgumentError),
        ("notes.txt", {"pages": "1"}, errors.WrongKindError),
        ("notes.txt", {"region": (0, 0, 5, 5)}, errors.WrongKindError),
    ],
)
def test_hint_of_a_real_failure_can_be_followed(
    notes: Path, name: str, arguments: dict[str, Any], leaf: type[errors.ReadError]
) -> None:
    path = f"{notes.parent}/{name}" if name else str(notes.parent)
    with pytest.raises(leaf) as caught:
        anyread.read_sync(path, **arguments)
    assert f"`{path.rstrip('/')}" in str(caught.value)
    assert follow(caught.value).text
