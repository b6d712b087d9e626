"""Several places of several files on one command line, and `anyread places` for those that a text names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.command_line import run, run_on_terminal
from helpers.media import text_pdf


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("".join(f"a{number}\n" for number in range(1, 201)))
    (tmp_path / "b.py").write_text("".join(f"b{number}\n" for number in range(1, 201)))
    (tmp_path / "five.pdf").write_bytes(text_pdf(5))
    return tmp_path


def test_places_of_one_file_are_shown_where_the_first_is_named(directory: Path) -> None:
    result = run("a.py:10-11,80", "five.pdf:2,4", "a.py:12-13", cwd=directory)
    headings = [line for line in result.stdout.splitlines() if line.startswith("==> ")]
    assert headings == ["==> a.py <==", "==> five.pdf <=="]
    assert "10\ta10\n11\ta11\n12\ta12\n13\ta13\n70\ta70\n" in result.stdout
    assert "page 3" not in result.stdout
    assert result.stderr == "[lines 10-13, 70-90 of 200 · around line 80]\n[pages 2, 4 of 5]\n"
    assert result.returncode == 0


def test_spellings_of_one_file_are_one(directory: Path) -> None:
    """It was shown three times, in windows that overlap."""
    result = run("a.py:4-5", "./a.py:7", f"{directory}/a.py:8-9", cwd=directory)
    assert "==>" not in result.stdout
    assert run("./a.py:4-5", "a.py:7", "a.py:8-9", "--root", ".", cwd=directory).stdout == result.stdout


def test_limit_is_the_number_of_lines_around_a_line(directory: Path) -> None:
    result = run("a.py:120", "a.py:1", "b.py:5-9", "--limit", "3", "-q", "--gutter", "none", cwd=directory)
    assert result.stdout == (
        "==> a.py <==\na1\na2\n[lines 3-118 not shown]\na119\na120\na121\n"
        "\n==> b.py <==\nb5\nb6\nb7\nb8\nb9\n"
    )


def test_footer_of_a_full_page_is_the_next_place(directory: Path) -> None:
    (directory / "a b.py").write_text((directory / "a.py").read_text())
    result = run("a b.py:1-150,190-", "--max-tokens", "300", "--gutter", "none", cwd=directory)
    last = result.stdout.splitlines()[-1].removeprefix("a")
    assert result.stderr.startswith(f"[lines 1-{last} of 200 · next: 'a b.py:{int(last) + 1}-150,190-200']\n")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["a.py:0"], "there is no line 0"),
        (["a.py:20-10"], "in rising order, such as (10, 20)"),
        (
            ["a.py:5", "--offset", "7"],
            "the argument `offset` for `a.py` must be omitted together with `ranges`",
        ),
        (["five.pdf:5", "--pages", "3"], "`pages` for `five.pdf` must be omitted together with `ranges`"),
    ],
)
def test_place_that_no_file_has_is_exit_code_2(directory: Path, arguments: list[str], error: str) -> None:
    result = run(*arguments, cwd=directory)
    assert (result.returncode, result.stdout) == (2, "")
    assert error in result.stderr
    assert result.stderr.endswith(
        "(hint: name lines, pages or cells as in `main.py:10-20,80`, without an option that chooses others)\n"
    )


def test_places_in_json_for_models_and_saved(directory: Path) -> None:
    json_lines = run("a.py:7-8", "five.pdf:2", "--json", cwd=directory).stdout.splitlines()
    assert [json.loads(line)["kind"] for line in json_lines] == ["text", "pdf"]
    assert json.loads(json_lines[0])["content"] == "a7\na8\n"
    blocks = json.loads(run("a.py:7-8", "--for", "anthropic", cwd=directory).stdout)
    assert [block["text"] for block in blocks] == ["7\ta7\n8\ta8\n[lines 7-8 of 200]"]
    run("five.pdf:2,4", "--save", "seen", cwd=directory)
    assert sorted(path.name for path in (directory / "seen").iterdir()) == [
        "five-page-2.jpg",
        "five-page-4.jpg",
    ]


def test_text_shows_what_it_names(directory: Path) -> None:
    text = (
        'Traceback:\n  File "a.py", line 50, in f\nb.py:9:2: error\n/etc/passwd:3: x\ngone.py:8: y\na.py:52\n'
    )
    result = run("places", "-", "--root", ".", "-n", "1", cwd=directory, input=text)
    assert result.stdout == (
        '==> a.py <==\n[50: File "a.py", line 50, in f]\n50\ta50\n52\ta52\n'
        "\n==> b.py <==\n[9: b.py:9:2: error]\n9\tb9\n"
    )
    codes = [line.split(": ")[1] for line in result.stderr.splitlines() if line.startswith("anyread:")]
    assert codes == ["outside_root", "not_found"]
    assert result.returncode == 0
    (directory / "out.txt").write_text(text)
    shown = run("places", "out.txt", "--list", cwd=directory).stdout
    assert shown == "a.py:50\nb.py:9:2\n/etc/passwd:3\ngone.py:8\na.py:52\n"


@pytest.mark.parametrize(("color", "shown"), [("always", "\x1b[1m2\ta2\x1b[m"), ("never", ">2\ta2")])
def test_named_line_is_marked_on_a_terminal(directory: Path, color: str, shown: str) -> None:
    (directory / "out.txt").write_text("a.py:2: \x1b[31merror\x1b[m")
    output, code = run_on_terminal("places", "out.txt", "-n", "3", "--color", color, cwd=directory)
    lines = output.splitlines()
    assert code == 0
    assert "[2: a.py:2: error]" in lines[1]
    assert shown in lines
    assert sum("a1" in line or "a3" in line for line in lines) == 2


def test_at_most_64_places_are_shown(directory: Path) -> None:
    text = "".join(f"a.py:{number}:{column}: x\n" for number in range(1, 71) for column in (1, 2))
    result = run("places", "-", "-n", "1", cwd=directory, input=text)
    assert result.stdout.splitlines()[-1] == "64\ta64"
    assert "[places not shown: 6; --list names all of them]\n" in result.stderr
    assert len(run("places", "-", "--list", cwd=directory, input=text).stdout.splitlines()) == 140


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("12:30:45 all is well\n", "anyread: the text names no place in a file, such as src/main.py:10\n"),
        ("gone.py:3: x\n", "anyread: not_found: `gone.py` does not exist"),
    ],
)
def test_text_of_which_nothing_can_be_shown_is_exit_code_1(directory: Path, text: str, error: str) -> None:
    result = run("places", "-", cwd=directory, input=text)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(error)
