"""`anyread read`: pipes, terminals, exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest

from helpers.command_line import COMMAND, environment, run_on_terminal, run_process
from helpers.command_line import run_bytes as run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def poem(tmp_path: Path) -> Path:
    path = tmp_path / "poem.txt"
    path.write_text(
        "Tyger Tyger, burning bright,\nIn the forests of the night;\nWhat immortal hand or eye,\n"
    )
    return path


# ---------------------------------------------------------------- output


def test_whole_file_is_its_numbered_lines(poem: Path) -> None:
    result = run("read", poem)
    numbered = "".join(f"{n}\t{line}" for n, line in enumerate(poem.read_text().splitlines(True), 1))
    assert (result.stdout.decode(), result.stderr, result.returncode) == (numbered, b"", 0)


def test_columns_of_a_sheet_are_aligned_on_a_terminal_only(tmp_path: Path) -> None:
    book: Any = openpyxl.Workbook()
    for row in (["id", "customer", "note"], [1, "Ada", None], [20, "Grace", "x" * 50], [3, "Al", "y"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    shown, _ = run_on_terminal("read", tmp_path / "a.xlsx", "--color", "never")
    assert shown.replace("\r", "").splitlines()[1:6] == [
        "\tA   B         C",
        "1\tid  customer  note",
        "2\t1   Ada",
        f"3\t20  Grace     {'x' * 50}",
        "4\t3   Al        y",
    ]
    assert b"\n3\t20\tGrace\t" in run("read", tmp_path / "a.xlsx").stdout


def test_all_pages_are_shown_with_one_footer(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("".join(f"line {n}\n" for n in range(1, 5_001)))
    (tmp_path / "b.txt").write_text("b\n")
    result = run("a.log", "b.txt", "--all", "--gutter", "none", "-n", "700", cwd=tmp_path)
    text = (tmp_path / "a.log").read_text()
    assert result.stdout.decode() == f"==> a.log <==\n{text}\n==> b.txt <==\nb\n"
    assert result.stderr == b"[lines 4,901-5,000 of 5,000]\n"
    shown = run("a.log", "--all", "--json", cwd=tmp_path).stdout.splitlines()
    assert [json.loads(line)["start_line"] for line in shown] == [1, 2001, 4001]


def test_window_goes_to_stdout_and_its_footer_to_stderr(poem: Path) -> None:
    result = run("read", poem, "--offset", "2", "--limit", "1")
    assert result.stdout == b"2\tIn the forests of the night;\n"
    assert result.stderr.decode() == "[line 2 of 3 · next: --offset 3]\n"


def test_several_files_have_headings_like_those_of_head(poem: Path, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("b\n")
    result = run("read", "poem.txt", "b.txt", "--limit", "1", "--gutter", "none", cwd=tmp_path)
    assert result.stdout == b"==> poem.txt <==\nTyger Tyger, burning bright,\n\n==> b.txt <==\nb\n"


def test_name_with_control_characters_forges_no_heading(poem: Path, tmp_path: Path) -> None:
    (tmp_path / "b\r\n\x1b[2K").write_text("b\n")
    result = run("read", "b\r\n\x1b[2K", "poem.txt", "--limit", "1", "--gutter", "none", cwd=tmp_path)
    assert result.stdout.startswith(b"==> b\\r\\n\\x1b[2K <==\nb\n\n==> poem.txt <==\n")


def test_relative_path_starts_from_the_root(poem: Path, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "a.txt").write_text("a\n")
    root = tmp_path / "inside"
    assert run("read", "a.txt", "--root", root).stdout == b"1\ta\n"
    refused = run("read", poem, "--root", root)
    assert refused.returncode == 1
    assert refused.stderr.startswith(b"anyread: outside_root: ")


def test_kind_reads_a_binary_file_as_its_hint_says(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(range(256)))
    refused = run("read", tmp_path / "data.bin").stderr.decode()
    assert refused.endswith(" or pass --kind text to read them as text)\n")
    assert run("read", tmp_path / "data.bin", "--kind", "text", "--limit", "1").returncode == 0


def test_next_window_is_reported_without_room_for_a_footer(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{n}\n" for n in range(1, 401)))
    result = run("read", tmp_path / "a.txt", "--max-tokens", "12")
    shown = result.stdout.count(b"\n")
    assert result.stderr.decode() == f"next: --offset {shown + 1}\n"
    assert run("read", tmp_path / "a.txt", "--offset", str(shown + 1)).stdout.startswith(
        b"%d\t" % (shown + 1)
    )


# ---------------------------------------------------------------- JSON


def test_json_has_all_fields_on_one_line(poem: Path) -> None:
    result = run("read", poem, "--limit", "1", "--json")
    assert result.stdout.count(b"\n") == 1
    page = json.loads(result.stdout)
    assert page["kind"] == "text"
    assert page["path"] == str(poem)
    assert page["text"] == "1\tTyger Tyger, burning bright,\n[line 1 of 3 · next: offset=2]"
    assert page["content"] == "Tyger Tyger, burning bright,\n"
    assert page["next"]["arguments"]["offset"] == 2
    assert (page["total_lines"], page["truncated"], page["encoding"]) == (3, True, "utf-8")
    assert not any(name.startswith("_") for name in page)


# ---------------------------------------------------------------- failures


def test_failed_read_is_one_line_with_code_and_hint(tmp_path: Path) -> None:
    result = run("read", tmp_path / "absent\nfile")
    assert (result.stdout, result.returncode) == (b"", 1)
    assert result.stderr.count(b"\n") == 1
    assert result.stderr.startswith(b"anyread: not_found: `")
    assert result.stderr.rstrip().endswith(b")")
    assert b" (hint: " in result.stderr


def test_other_files_are_read_after_a_failure(poem: Path, tmp_path: Path) -> None:
    result = run("read", tmp_path / "absent", poem, "--limit", "1", "--gutter", "none")
    assert result.stdout.decode() == f"==> {poem} <==\nTyger Tyger, burning bright,\n"
    assert result.returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["read", "x", "--limit", "0"],
        ["read", "x", "--limit", "many"],
        ["read", "x", "--kind", "movie"],
        ["read", "x", "--offset", "1", "--tail", "1"],
        ["read", "x", "--nonsense"],
    ],
)
def test_invalid_command_line_is_exit_code_2(arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (2, b"")
    usage, error = result.stderr.decode().splitlines()
    assert usage.startswith("usage: anyread")
    assert usage.endswith("--help)")
    assert error.startswith("anyread")
    assert "error: " in error


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--offset", "9"], "pass --offset 3 for the last line or --offset -100 for the last 100 lines"),
        (["--encoding", "koi9-r"], "pass --encoding koi8-r, or leave it out to have it detected"),
        (["--encoding", ""], "pass --encoding utf-8, or leave it out to have it detected"),
    ],
)
def test_hint_names_options(poem: Path, arguments: list[str], hint: str) -> None:
    assert run("read", poem, *arguments).stderr.decode().endswith(f" (hint: {hint})\n")
    assert json.loads(run("read", poem, *arguments, "--json").stdout)["error"]["hint"] == hint


@pytest.mark.parametrize("arguments", [["--help"], ["read", "--help"], ["info", "--help"]])
def test_help_is_printed_in_any_locale(arguments: list[str]) -> None:
    ascii_only = environment(LC_ALL="C", PYTHONIOENCODING="ascii", COLUMNS="80")
    result = run_process(*arguments, env=ascii_only)
    assert result.returncode == 0
    assert b"examples:" in result.stdout or b"exit status:" in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 100


# ---------------------------------------------------------------- pipes and locales


def test_pipe_gets_exact_bytes_in_utf8_in_any_locale(tmp_path: Path) -> None:
    content = "\x1b[31mred\x1b[0m \x07 \u202eevil\u202c é 日本\n"
    (tmp_path / "a.txt").write_text(content, "utf-8")
    ascii_only = environment(LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    result = run_process("read", tmp_path / "a.txt", "--gutter", "none", env=ascii_only)
    assert result.stdout == content.encode()
    assert result.returncode == 0


def test_closed_pipe_is_silent(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("0123456789\n" * 20_000)
    process = subprocess.Popen(
        [*COMMAND, "read", tmp_path / "a.txt", "--limit", "20000", "--max-tokens", "10000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert b"Traceback" not in errors
    assert b"BrokenPipe" not in errors
    assert process.wait(timeout=60) == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110 - a device
def test_full_disk_is_reported_in_one_line(poem: Path) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        result = run_process("read", poem, stdout=full)
    assert result.returncode == 1
    assert result.stderr == b"anyread: io_error: cannot write the output: No space left on device\n"


# ---------------------------------------------------------------- terminals


def test_terminal_gets_control_characters_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        "\x1b]0;title\x07\t\x7f\x85\x9b31m\u202ea\u2066\u200f\u061c\u2028\ufeff\U000e0041é\n", "utf-8"
    )
    shown, _ = run_on_terminal("read", tmp_path / "a.txt", "--gutter", "none")
    line = shown.splitlines()[0]
    assert line == (
        "^[]0;title^G\t^?\\x{85}\\x{9b}31m\\x{202e}a\\x{2066}\\x{200f}\\x{61c}\\x{2028}\\x{feff}\\x{e0041}é"
    )


# ---------------------------------------------------------------- Ctrl-C


@pytest.mark.parametrize(
    "module", ["anyread.cli.parser", "argparse", "anyread.cli.terminal", "anyread.cli.read"]
)
def test_interrupt_while_modules_load_is_silent(poem: Path, module: str) -> None:
    """A traceback was printed, because the imports of `main` were outside its `try`."""
    code = f"""
import sys
class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from anyread.cli import main
sys.exit(main(["read", {str(poem)!r}]))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60)
    assert (result.returncode, result.stdout, result.stderr) == (130, b"", b"")


@pytest.mark.slow
def test_interrupt_stops_a_scan_at_once(tmp_path: Path) -> None:
    with (tmp_path / "huge.log").open("wb") as huge:
        huge.write(b"line\n" * 4_000)
        # A sparse file, in which the scan to line 10**9 takes minutes.
        huge.truncate(1 << 40)
    with subprocess.Popen(
        [*COMMAND, "read", tmp_path / "huge.log", "--offset", "1000000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            wait_until_it_scans(process)
            process.send_signal(signal.SIGINT)
            output = process.communicate(timeout=60)
        finally:
            process.kill()
    assert output == (b"", b"")
    assert process.returncode == 130


def wait_until_it_scans(process: subprocess.Popen[bytes]) -> None:
    """Wait until the process has used more CPU time than its start takes."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as stat:  # noqa: PTH123 - no file
            user, system = stat.read().rpartition(")")[2].split()[11:13]
        if int(user) + int(system) > 1.5 * os.sysconf("SC_CLK_TCK"):
            return
        time.sleep(0.02)
    pytest.fail("the scan did not start")


# ---------------------------------------------------------------- directories


def test_directory_is_listed(poem: Path) -> None:
    (poem.parent / "src").mkdir()
    (poem.parent / ".gitignore").write_text("*.log\n")
    (poem.parent / "a.log").write_text("")
    root = ("--root", poem.parent)
    result = run(".", *root, "--limit", "2")
    assert result.stdout == b".gitignore\t6 bytes\npoem.txt\t85 bytes\n"
    assert result.stderr.decode() == "[entries 1-2 of 3 \u00b7 1 entry is ignored \u00b7 next: --offset 3]\n"
    assert run(".:3-3", *root).stdout == b"src/\n"
    assert json.loads(run(".", "--json", *root).stdout)["entries"][2]["type"] == "directory"
    assert run("info", ".", *root).stdout.split() == [
        *b"kind: directory media type: inode/directory entries: 3".split()
    ]
    refused = run(".", "--tool", "claude-code", *root)
    assert (refused.returncode, b"EISDIR" in refused.stdout) == (1, True)


# ---------------------------------------------------------------- start


@pytest.mark.parametrize("command", [["read"], []])
def test_command_line_imports_only_what_it_needs(poem: Path, command: list[str]) -> None:
    code = (
        "import sys; from anyread.cli import main; "
        f"main({[*command, str(poem)]!r}); print(*sys.modules, file=sys.stderr)"
    )
    # Measuring coverage loads modules too.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env=environment,
    )
    loaded = set(result.stderr.split())
    assert not loaded & {
        "asyncio",
        "anyio",
        "trio",
        "PIL",
        "mcp",
        "anyread.models.model",
        "anyread.reading.many",
        "anyread.cli.info",
        "anyread.cli.follow",
        "anyread.cli.inline_images",
        "anyread.cli.media",
        "difflib",
        "json",
        "random",
        "tempfile",
    }
