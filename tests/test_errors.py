"""Every leaf of the error tree: type, builtin, code, fields, text, hint, pickle, copy, cause."""

from __future__ import annotations

import ast
import copy
import errno
import os
import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest

import anyread
from anyread import errors
from anyread.arguments.request import checked
from anyread.errors.from_core import from_core

if TYPE_CHECKING:
    from pathlib import Path

# class, builtin bases, code, errno, fields, message, hint
LEAVES: list[tuple[type[errors.ReadError], type[Exception], str, int | None, dict[str, Any], str, str]] = [
    (
        errors.NotFoundError,
        FileNotFoundError,
        "not_found",
        errno.ENOENT,
        {"near": ("src/b.txt", "src/c.txt"), "dangling_link": None},
        "`src/a.txt` does not exist",
        "read `src/b.txt` or `src/c.txt`",
    ),
    (
        errors.AmbiguousPathError,
        FileNotFoundError,
        "ambiguous_path",
        errno.ENOENT,
        {"candidates": ("/r/one", "/r/two", "/r/three")},
        "`src/a.txt` does not exist, but 3 names differ only in spelling",
        "read `/r/one`, `/r/two` or `/r/three`",
    ),
    (
        errors.AccessError,
        PermissionError,
        "permission_denied",
        errno.EACCES,
        {"part": "src"},
        "permission denied for `src/a.txt` at `src`",
        "read another file, or ask for the permissions of `src` to be changed",
    ),
    (
        errors.OutsideRootError,
        PermissionError,
        "outside_root",
        errno.EACCES,
        {"roots": ("/repo", "/docs")},
        "`src/a.txt` is outside the directories that may be read",
        "read a path inside `/repo` or `/docs`",
    ),
    (
        errors.DeniedError,
        PermissionError,
        "denied",
        errno.EACCES,
        {"rule": "**/.env"},
        "reading `src/a.txt` is forbidden by the deny rule `**/.env`",
        "read another file; the rule also applies to other spellings and links",
    ),
    (
        errors.DirectoryError,
        IsADirectoryError,
        "is_a_directory",
        errno.EISDIR,
        {"entries": ("x", "y"), "more": True},
        "`src/a.txt` is a directory",
        "read one of its entries, for example `src/a.txt/x`; it also contains `y`, …",
    ),
    (
        errors.NotRegularFileError,
        OSError,
        "not_a_regular_file",
        errno.EINVAL,
        {"file_type": "FIFO"},
        "`src/a.txt` is not a regular file but a FIFO",
        "copy the data that you need into a regular file, and read that",
    ),
    (
        errors.BadPathError,
        ValueError,
        "bad_path",
        None,
        {"reason": "it contains a NUL byte"},
        "`src/a.txt` cannot be a path: it contains a NUL byte",
        'pass the path of one file as text, such as "src/main.py"',
    ),
    (
        errors.FileSystemError,
        OSError,
        "io_error",
        errno.EIO,
        {"errno": errno.EIO, "operation": "read"},
        f"cannot read `src/a.txt`: {os.strerror(errno.EIO)} (EIO)",
        "retry once, then give up",
    ),
    (
        errors.ReadTimeoutError,
        TimeoutError,
        "timeout",
        errno.ETIMEDOUT,
        {"timeout_s": 2.5, "decoding": False},
        "reading `src/a.txt` took longer than 2.5 s",
        "retry once, because a scan resumes where it stopped; if that fails too, read another file",
    ),
    (
        errors.FileChangedError,
        RuntimeError,
        "changed_during_read",
        None,
        {"change": "truncated"},
        "`src/a.txt` was truncated while it was being read",
        "read it again with offset=1, because line numbers may have changed",
    ),
    (
        errors.StaleReadError,
        RuntimeError,
        "stale_read",
        None,
        {"reason": "it was modified after it was read", "wording": None},
        "`src/a.txt` must be read again: it was modified after it was read",
        "read it with offset=1 before you write to it",
    ),
    (
        errors.BinaryFileError,
        ValueError,
        "binary",
        None,
        {"media_type": "application/zip", "size_bytes": 12_345},
        "`src/a.txt` is binary: application/zip, 12,345 bytes",
        (
            "list its entries with `unzip -l src/a.txt`, "
            "then unpack it into a new directory and read the files there"
        ),
    ),
    (
        errors.UnsupportedFormatError,
        ValueError,
        "unsupported_format",
        None,
        {"media_type": "image/heic", "size_bytes": 1},
        "`src/a.txt` has a format that cannot be shown: image/heic, 1 byte",
        "convert it to PNG with `magick src/a.txt FILE.png`, and read that",
    ),
    (
        errors.DamagedFileError,
        ValueError,
        "damaged",
        None,
        {"media_type": "image/png", "reason": "it ends early"},
        "`src/a.txt` is a damaged image/png: it ends early",
        "regenerate `src/a.txt`, or restore an intact copy of it",
    ),
    (
        errors.PasswordRequiredError,
        PermissionError,
        "password_required",
        errno.EACCES,
        {},
        "`src/a.txt` needs a password",
        "read a copy without a password, or ask whoever runs this tool to configure the password",
    ),
    (
        errors.TooLargeError,
        ValueError,
        "too_large",
        None,
        {"size": 90_000_000, "maximum": 50_000_000, "unit": "pixels", "region": None},
        "`src/a.txt` exceeds the limit of 50,000,000 pixels: 90,000,000 pixels",
        "create a copy of `src/a.txt` with at most 50,000,000 pixels, and read that",
    ),
    (
        errors.OverBudgetError,
        ValueError,
        "over_budget",
        None,
        {
            "used": 30_000,
            "budget": 25_000,
            "unit": "tokens",
            "largest_limit": 120,
            "of": "lines",
            "first": 1,
        },
        "this window of `src/a.txt` takes at least 30,000 tokens, and the budget is 25,000",
        "pass limit=120, the most lines that fit",
    ),
    (
        errors.OffsetPastEndError,
        ValueError,
        "offset_past_end",
        None,
        {"offset": 99, "total_lines": 10, "unit": "lines"},
        "line 99 is past the end of `src/a.txt`, which has 10 lines",
        "pass offset=10 for the last line or offset=-100 for the last 100 lines",
    ),
    (
        errors.BadArgumentError,
        ValueError,
        "bad_argument",
        None,
        {"argument": "limit", "value": "0", "reason": "1 or more"},
        "the argument `limit` for `src/a.txt` must be 1 or more: `0`",
        "pass limit=200, or leave it out to get as many lines as the reader allows",
    ),
    (
        errors.UnknownEncodingError,
        errors.BadArgumentError,
        "bad_argument",
        None,
        {"value": "koi9-r", "near": ("koi8-r", "koi8-u"), "undecodable": None},
        (
            "the argument `encoding` for `src/a.txt` must be the name of an encoding; "
            "similar names are koi8-r, koi8-u: `koi9-r`"
        ),
        'pass encoding="koi8-r", or leave it out to have it detected',
    ),
    (
        errors.NoSuchPageError,
        errors.BadArgumentError,
        "bad_argument",
        None,
        {"value": "9", "page_count": 3},
        "the argument `pages` for `src/a.txt` must be within the 3 pages of the file: `9`",
        'pass pages="1-3"',
    ),
    (
        errors.WrongKindError,
        errors.BadArgumentError,
        "wrong_kind",
        None,
        {"argument": "pages", "kind": "text"},
        "the argument `pages` does not apply to `src/a.txt`, which is text",
        "leave pages out and pass offset=1, limit=200 to choose lines",
    ),
    (
        errors.DecoderTimeoutError,
        RuntimeError,
        "decoder_timeout",
        None,
        {"timeout_s": 10.0},
        "decoding `src/a.txt` took longer than 10 s",
        "convert `src/a.txt` to a simpler or smaller file, and read that",
    ),
    (
        errors.DecoderMemoryError,
        RuntimeError,
        "decoder_memory",
        None,
        {"memory_bytes": 1 << 30, "system": False},
        "decoding `src/a.txt` needed more than 1,073,741,824 bytes of memory",
        "convert `src/a.txt` to a simpler or smaller file, and read that",
    ),
    (
        errors.DecoderCrashedError,
        RuntimeError,
        "decoder_crashed",
        None,
        {"reason": "it was killed by SIGSEGV"},
        "the decoder failed on `src/a.txt`: it was killed by SIGSEGV",
        "convert `src/a.txt` to a simpler or smaller file, and read that",
    ),
    (
        errors.DecoderUnavailableError,
        RuntimeError,
        "decoder_unavailable",
        None,
        {
            "reason": "no interpreter was found",
            "may_pass": False,
            "supported": True,
            "install": "",
            "sandboxed": True,
        },
        "cannot start a decoder for `src/a.txt`: no interpreter was found",
        "ask whoever runs this tool to set ANYREAD_PYTHON to a Python interpreter that has anyread",
    ),
]
by_leaf = pytest.mark.parametrize(
    ("leaf", "builtin", "code", "number", "fields", "message", "hint"), LEAVES, ids=[row[2] for row in LEAVES]
)
# Errors whose hint names no argument, because none would help.
WITHOUT_ARGUMENTS = {
    "permission_denied",
    "denied",
    "not_a_regular_file",
    "io_error",
    "password_required",
    "decoder_unavailable",
    "timeout",
}
ARGUMENT = re.compile(r"\b([a-z_]+)=(\([^)]*\)|\"[^\"]*\"|-?[0-9]+)")


def leaves(root: type[errors.ReadError]) -> set[type[errors.ReadError]]:
    return {leaf for child in root.__subclasses__() for leaf in {child, *leaves(child)}}


def test_every_leaf_has_a_row() -> None:
    assert {row[0] for row in LEAVES} == leaves(errors.ReadError)


@by_leaf
def test_leaf_has_its_type_code_fields_and_text(
    leaf: type[errors.ReadError],
    builtin: type[Exception],
    code: str,
    number: int | None,
    fields: dict[str, Any],
    message: str,
    hint: str,
) -> None:
    error = leaf("src/a.txt", **fields)
    assert isinstance(error, errors.ReadError)
    assert isinstance(error, builtin)
    assert error.code == code
    assert error.path == "src/a.txt"
    assert error.data == fields
    assert {name: getattr(error, name) for name in fields} == fields
    assert str(error) == f"{message}\nhint: {hint}"
    assert (error.message, error.hint) == (message, hint)
    assert "`src/a.txt`" in error.message
    if isinstance(error, OSError):
        assert number is not None
        assert (error.errno, error.strerror, error.filename) == (number, os.strerror(number), "src/a.txt")
    else:
        assert number is None


@by_leaf
def test_leaf_survives_pickle_and_copy(
    leaf: type[errors.ReadError],
    builtin: type[Exception],
    code: str,
    number: int | None,
    fields: dict[str, Any],
    message: str,
    hint: str,
) -> None:
    error = leaf("src/a.txt", **fields)
    error.add_note("while testing")
    twins = [copy.copy(error), copy.deepcopy(error)]
    twins += [
        pickle.loads(pickle.dumps(error, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ]
    for twin in twins:
        assert type(twin) is leaf
        assert isinstance(twin, builtin)
        assert str(twin) == str(error) == f"{message}\nhint: {hint}"
        assert (twin.path, twin.code, twin.data, twin.args) == (error.path, code, fields, error.args)
        assert twin.__notes__ == ["while testing"]
        assert getattr(twin, "errno", None) == number


@by_leaf
def test_leaf_keeps_its_cause(
    leaf: type[errors.ReadError],
    builtin: type[Exception],
    code: str,
    number: int | None,
    fields: dict[str, Any],
    message: str,
    hint: str,
) -> None:
    cause = OSError(errno.EIO, "broken")
    with pytest.raises(builtin, match=re.escape(message)) as caught:
        raise leaf("src/a.txt", **fields) from cause
    assert caught.value.__cause__ is cause


@by_leaf
def test_hint_is_a_valid_next_call(
    leaf: type[errors.ReadError],
    builtin: type[Exception],
    code: str,
    number: int | None,
    fields: dict[str, Any],
    message: str,
    hint: str,
) -> None:
    error = leaf("src/a.txt", **fields)
    arguments = ARGUMENT.findall(error.hint)
    for name, value in arguments:
        checked("src/a.txt", **{name: ast.literal_eval(value)})
    names_a_path = "`" in error.hint or ".py" in error.hint
    assert arguments or names_a_path or code in WITHOUT_ARGUMENTS


@pytest.mark.parametrize("argument", ["offset", "limit", "column", "pages", "encoding", "kind", "region"])
def test_bad_argument_hint_names_the_argument_with_a_value_that_passes(argument: str) -> None:
    error = errors.BadArgumentError("a", argument=argument, value="x", reason="right")
    corrected = ARGUMENT.findall(error.hint)
    assert corrected
    for name, value in corrected:
        assert name == argument
        checked("a", **{name: ast.literal_eval(value)})


@pytest.mark.parametrize("kind", ["text", "image", "pdf", "notebook"])
def test_wrong_kind_hint_names_an_argument_that_applies(kind: str) -> None:
    right = {"text": "offset", "image": "region", "pdf": "pages", "notebook": "offset"}[kind]
    assert f"{right}=" in errors.WrongKindError("a", argument="column", kind=kind).hint


def test_not_found_without_similar_names_points_to_the_directory() -> None:
    assert "`src`" in errors.NotFoundError("src/a.txt").hint
    assert "`/`" in errors.NotFoundError("/a.txt").hint
    bare = errors.NotFoundError("a.txt").hint
    assert bare == "no similar name was found; read the directory `.` to see the names in it"


def test_similar_paths_can_be_passed_as_shown() -> None:
    """Similar paths were joined to the directory of the path once more: `notes.txt/notes.txt`."""
    assert errors.NotFoundError("notes.txt/x", near=("notes.txt",)).hint == "read `notes.txt`"


def test_not_found_names_a_dangling_link() -> None:
    """A link to nothing was said not to exist, although a listing of its directory has it."""
    link = errors.NotFoundError("a", dangling_link="a")
    assert link.message == "`a` is a symbolic link whose target does not exist"
    assert link.hint == "read the file that the link was meant to point to"
    below = errors.NotFoundError("a/x", near=("b",), dangling_link="a")
    assert below.message == "`a/x` does not exist, because `a` is a symbolic link whose target does not exist"
    assert below.hint == "read `b`"


def test_access_error_names_the_path_once_if_access_to_itself_was_denied() -> None:
    assert errors.AccessError("a.txt", part="a.txt").message == "permission denied for `a.txt`"


def test_empty_directory_has_no_entries_to_suggest() -> None:
    assert errors.DirectoryError("src").hint == "it is empty; read another path"


def test_directory_whose_names_cannot_be_listed_is_not_called_empty() -> None:
    """A directory that may not be read, or in which every name is denied, was called empty."""
    hint = errors.DirectoryError("src", more=True).hint
    assert hint == "its entries cannot be listed; pass the path of a file in `src/`"


def test_directory_hint_shows_ten_names_hidden_ones_last() -> None:
    """The hint for a home directory was twenty full paths of hidden files."""
    entries = (*(f".{n}" for n in range(5)), *(f"f{n}" for n in range(7)))
    error = errors.DirectoryError("d/", entries=entries)
    others = [*(f"`f{n}`" for n in range(1, 7)), *(f"`.{n}`" for n in range(3))]
    assert (
        error.hint == f"read one of its entries, for example `d/f0`; it also contains {', '.join(others)}, …"
    )
    assert error.entries == entries
    assert "…" not in errors.DirectoryError("d", entries=entries[:10]).hint


def test_over_budget_hint_without_a_line_that_fits_names_the_limit_to_raise() -> None:
    error = errors.OverBudgetError("a", used=9, budget=1, unit="bytes", largest_limit=0)
    assert error.message == "this window of `a` takes at least 9 bytes, and the budget is 1"
    assert 'over_budget="page"' in error.hint
    assert "max_bytes over 1" in error.hint
    assert not {"offset", "limit", "column"} & {name for name, _ in ARGUMENT.findall(error.hint)}


def test_over_budget_hint_for_a_line_that_never_fits_can_be_followed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Tyger Tyger, burning bright,\n" * 50)
    error = errors.OverBudgetError("a", used=9, budget=1, unit="tokens", largest_limit=0)
    named = dict(re.findall(r'(over_budget)="(\w+)"', error.hint))
    page = anyread.Reader(limits=anyread.Limits(max_tokens=8, **named)).read_sync(tmp_path / "a.txt")
    assert page.next is not None
    assert page.next.arguments["column"] > 1


def test_hint_for_a_file_with_a_trailing_slash_removes_the_slash(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\n")
    with pytest.raises(errors.FileSystemError) as caught:
        anyread.read_sync(f"{tmp_path}/notes.txt/")
    assert caught.value.errno == errno.ENOTDIR
    assert caught.value.hint == f"read `{tmp_path}/notes.txt` without the slash, because it is a file"
    assert follow(caught.value).text


@pytest.mark.parametrize(
    ("argument", "value", "shown"),
    [
        ("encoding", "koi9-r", "`koi9-r`"),
        ("encoding", "it's \ud800", "`it's \\ud800`"),
        ("encoding", " ", "`' '`"),
        ("kind", "it's", "`it's`"),
        ("kind", "x" * 90, f"`{'x' * 79}…`"),
        ("pages", "a\nb", "`a\\nb`"),
        # A string of digits is quoted, because the wrong type is what must be corrected.
        ("offset", "5", "`'5'`"),
    ],
)
def test_bad_value_is_quoted_the_same_by_every_layer(
    argument: str, value: str, shown: str, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    named: dict[str, Any] = {argument: value}
    with pytest.raises(errors.BadArgumentError) as caught:
        anyread.read_sync(tmp_path / "a.txt", **named)
    assert caught.value.message.endswith(f": {shown}")


def test_unsupported_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    with pytest.raises(errors.UnknownEncodingError) as caught:
        anyread.read_sync(tmp_path / "a.txt", encoding="johab")
    assert (caught.value.near, caught.value.undecodable) == ((), "johab")
    assert caught.value.message.endswith("a supported encoding, which johab is not: `johab`")
    assert caught.value.hint == "convert the file to UTF-8 first, or leave encoding out to have it detected"


def test_hint_for_an_encoding_without_similar_names_is_utf_8(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    with pytest.raises(errors.UnknownEncodingError) as caught:
        anyread.read_sync(tmp_path / "a.txt", encoding="qqqqqqqqqq")
    assert (caught.value.near, caught.value.undecodable) == ((), None)
    assert 'encoding="utf-8"' in caught.value.hint


@pytest.mark.parametrize(
    ("kind", "code"), [(errors.NotFoundError, "not_found"), (errors.FileChangedError, "changed_during_read")]
)
def test_error_class_is_found_by_its_code(kind: type[errors.ReadError], code: str) -> None:
    facts = {"near": ()} if code == "not_found" else {"change": "truncated"}
    assert type(from_core(code, "a", facts)) is kind


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"fault": "empty"}, "it is empty"),
        ({"fault": "nul"}, "it contains a NUL byte"),
        ({"fault": "name_too_long"}, "one of its names is too long"),
        ({"fault": "path_too_long", "max_bytes": 4096}, "it is longer than 4,096 bytes"),
    ],
)
def test_fault_of_a_path_is_worded(facts: dict[str, Any], reason: str) -> None:
    error = from_core("bad_path", "a", facts)
    assert isinstance(error, errors.BadPathError)
    assert error.reason == reason


@pytest.mark.parametrize(
    ("rule", "fault"), [("", "it is empty"), ("a[", "unclosed character class; missing ']'")]
)
def test_fault_of_a_deny_rule_is_worded(rule: str, fault: str) -> None:
    with pytest.raises(errors.BadArgumentError) as caught:
        anyread.Reader(deny=[rule])
    assert caught.value.reason == f"globs such as `**/.env` ({fault})"
    assert (caught.value.argument, caught.value.value) == ("deny", rule)


def test_encoding_hint_is_the_nearest_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    with pytest.raises(errors.BadArgumentError) as caught:
        anyread.read_sync(tmp_path / "a.txt", encoding="koi9-r")
    assert caught.value.message.endswith("; similar names are koi8-r, koi8-t, koi8-u: `koi9-r`")
    assert caught.value.hint == 'pass encoding="koi8-r", or leave it out to have it detected'
    assert follow(caught.value).text == "1\tone"


@pytest.mark.parametrize(("argument", "value"), [("roots", "/nowhere/at/all"), ("deny", "[")])
def test_hint_about_a_restriction_does_not_lift_it(argument: str, value: str) -> None:
    """The hint was `leave roots out`, which allows every file to be read."""
    named: dict[str, Any] = {argument: [value]}
    with pytest.raises(errors.BadArgumentError) as caught:
        anyread.Reader(**named)
    assert caught.value.message.startswith(f"{argument} must be ")
    assert caught.value.message.endswith(f": `{value}`")
    assert caught.value.hint.endswith(f" with {argument}=[…]")
    assert "out" not in caught.value.hint.split()


@by_leaf
def test_hint_can_spell_its_arguments_in_another_syntax(
    leaf: type[errors.ReadError],
    builtin: type[Exception],
    code: str,
    number: int | None,
    fields: dict[str, Any],
    message: str,
    hint: str,
) -> None:
    error = pickle.loads(pickle.dumps(leaf("src/a.txt", **fields)))
    named: list[str] = []

    def spell(argument: object) -> str:
        named.append(str(argument))
        return "<>"

    worded = error.hint_as(spell)
    assert not ARGUMENT.search(worded)
    assert hint == error.hint_as(str)
    # "leave pages out" names an argument without a value.
    assert [part for part in named if "=" in part] == [f"{n}={v}" for n, v in ARGUMENT.findall(hint)]


def test_offset_past_the_end_of_an_empty_file() -> None:
    error = errors.OffsetPastEndError("a.txt", offset=5, total_lines=0)
    assert str(error) == (
        "line 5 is past the end of `a.txt`, which has no lines\n"
        "hint: pass offset=1, because the file is empty"
    )


@pytest.mark.parametrize(
    "number", [errno.EAGAIN, errno.ELOOP, errno.ENAMETOOLONG, errno.EMFILE, errno.ESTALE]
)
def test_file_system_errors_with_a_remedy_have_their_own_hint(number: int) -> None:
    general = errors.FileSystemError("a", errno=errno.EIO).hint
    assert errors.FileSystemError("a", errno=number).hint != general


def test_unknown_errno_is_named_by_its_number() -> None:
    assert "(errno 9999)" in errors.FileSystemError("a", errno=9999).message


def test_line_feed_in_a_name_does_not_break_the_message() -> None:
    assert str(errors.NotFoundError("a\nhint: b\r")).count("\n") == 1


def test_builtin_exception_handlers_still_catch_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        anyread.read_sync(tmp_path / "absent.txt")
    assert caught.value.errno == errno.ENOENT
    assert caught.value.filename == str(tmp_path / "absent.txt")


# ---------------------------------------------------------------- hints of real failures, followed


def follow(error: errors.ReadError) -> anyread.Page:
    """Make the first call that the hint names; if it fails too, make the one that its hint names."""
    for _ in range(2):
        argument = ARGUMENT.search(error.hint)
        named = re.search("`([^`]*)`", error.hint)
        try:
            if argument is not None:
                page: anyread.Page = anyread.read_sync(
                    error.path, **{argument[1]: ast.literal_eval(argument[2])}
                )
                return page
            assert named is not None, error.hint
            return anyread.read_sync(named[1])
        except errors.ReadError as failure:
            # For example, `pages="1-5"` does not apply to text: the next hint names an argument that does.
            error = failure
    raise error


@pytest.mark.parametrize(
    ("name", "arguments", "leaf"),
    [
        ("nptes.txt", {}, errors.NotFoundError),
        ("", {}, errors.DirectoryError),
        ("data.bin", {}, errors.BinaryFileError),
        ("notes.txt", {"offset": 99}, errors.OffsetPastEndError),
        ("notes.txt", {"encoding": "utf-99"}, errors.BadArgumentError),
        ("notes.txt", {"limit": 0}, errors.BadArgumentError),
        ("notes.txt", {"pages": "5-1"}, errors.BadArgumentError),
        ("notes.txt", {"pages": "1"}, errors.WrongKindError),
        ("notes.txt", {"region": (0, 0, 5, 5)}, errors.WrongKindError),
    ],
)
def test_hint_of_a_real_failure_can_be_followed(
    tmp_path: Path, name: str, arguments: dict[str, Any], leaf: type[errors.ReadError]
) -> None:
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    (tmp_path / "data.bin").write_bytes(bytes(range(256)) * 10)
    path = str(tmp_path / name) if name else str(tmp_path)
    with pytest.raises(leaf) as caught:
        anyread.read_sync(path, **arguments)
    assert f"`{path.rstrip('/')}" in str(caught.value)
    assert follow(caught.value).text


def test_error_says_that_the_system_ran_out_of_memory() -> None:
    error = errors.DecoderMemoryError("a.pdf", memory_bytes=1, system=True)
    assert error.message == "the system ran out of memory and killed the decoder of `a.pdf`"
    assert pickle.loads(pickle.dumps(error)).system


def test_timeout_hint_for_an_image_names_no_argument_that_images_refuse() -> None:
    """The hint was to pass `offset`, which an image or PDF refuses."""
    error = errors.ReadTimeoutError("a.png", timeout_s=1.0, decoding=True)
    assert error.message == "reading `a.png` took longer than 1 s"
    assert "offset" not in error.hint
