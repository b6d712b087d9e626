"""The other programs in `examples`, on small files."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import anyread
from examples import log_at, repository_prompt, review_notebook
from helpers.media import encoded
from helpers.notebooks import code, write
from helpers.waiting import until

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def output(*arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def test_examples_page_names_every_program() -> None:
    page = (ROOT / "docs" / "examples.md").read_text("utf-8")
    programs = [*(ROOT / "examples").rglob("*.py"), *(ROOT / "examples").rglob("*.ipynb")]
    missing = [path.name for path in programs if f"`{path.relative_to(ROOT).as_posix()}`" not in page]
    assert missing == []


# ------------------------------------------------------------------------------------------------------------
# log_at


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "hour.log"
    log_at.make_log(path, 0.005)
    return path


def test_errors_of_a_moment_are_found(log: Path) -> None:
    lines = log.read_text().splitlines()
    during = [line for line in lines if "2026-11-22T14:30:00" <= line[:19] < "2026-11-22T14:30:10"]
    found = log_at.report(log, "2026-11-22T14:30:00", 10)
    assert found.total_lines == len(lines)
    assert lines[found.first_line - 1] == during[0]
    assert found.lines == len(during)
    (count,) = found.errors.values()
    assert count == sum(" ERROR " in line for line in during) > 0
    number = 1 + next(number for number, line in enumerate(lines) if " ERROR " in line)
    assert f"{number}\t{lines[number - 1]}\n" in found.excerpt


@pytest.mark.parametrize("start", ["2026-11-22T13:00:00", "2026-11-22T15:00:00"])
def test_moments_outside_of_the_log_have_no_errors(log: Path, start: str) -> None:
    found = log_at.report(log, start, 60)
    assert (found.lines, found.errors) == (0, {})


def test_program_writes_a_log_and_reports_it(tmp_path: Path) -> None:
    path = tmp_path / "made.log"
    assert output("examples.log_at", "--make", "0.001", str(path)) == ""
    printed = output("examples.log_at", str(path), "2026-11-22T14:30:00", "10")
    assert "cannot reach the database, attempt" in printed


def test_lines_without_a_time_belong_to_the_line_before(tmp_path: Path) -> None:
    path = tmp_path / "trace.log"
    path.write_text(
        "2026-01-01T00:00:01 INFO a\n"
        "2026-01-01T00:00:02 ERROR b\n  at c\n  at d\n"
        "2026-01-01T00:00:03 INFO e\n"
    )
    assert log_at.report(path, "2026-01-01T00:00:03", 1).first_line in {3, 5}
    assert log_at.report(path, "2026-01-01T00:00:02", 1).lines == 3


# ------------------------------------------------------------------------------------------------------------
# repository_prompt


def test_prompt_of_a_repository_stays_within_its_budget(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for number in range(20):
        lines = 2_000 if number % 4 == 0 else 5
        (tmp_path / "src" / f"{number:02}.py").write_text("value = compute(1, 2)\n" * lines)
    (tmp_path / ".env").write_text("TOKEN=secret-token\n")
    (tmp_path / "data.bin").write_bytes(bytes(range(256)))
    (tmp_path / "logo.png").write_bytes(encoded(Image.new("RGB", (40, 30)), "PNG"))
    made = repository_prompt.prompt(tmp_path, 10_000)
    assert 8_000 < anyread.TextPage(path="", text=made.text).token_estimate <= 10_000
    assert (made.complete, made.cut) == (16, 5)
    assert "secret-token" not in made.text
    assert [each.split(" ")[0] for each in made.left_out] == ["reading", "`data.bin`"]
    assert "===== src/01.py =====\n1\tvalue = compute(1, 2)\n" in made.text
    assert made.text.rstrip() in output("examples.repository_prompt", str(tmp_path), "10000")


def test_only_tracked_files_of_a_repository_are_listed(tmp_path: Path) -> None:
    (tmp_path / "kept.py").write_text("1\n")
    (tmp_path / "build.log").write_text("2\n")
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "kept.py"], check=True)
    assert repository_prompt.tracked_files(tmp_path) == ["kept.py"]


# ------------------------------------------------------------------------------------------------------------
# review_notebook


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    def output(kind: str, **fields: Any) -> dict[str, Any]:
        return {"output_type": kind, **fields}

    failed = output("error", ename="KeyError", evalue="'x'", traceback=["KeyError: 'x'"])
    return write(
        tmp_path,
        code("a = 1", execution_count=5),
        code("b = a", execution_count=2),
        code("c['x']", failed, execution_count=6),
        code("print('y' * 200_000)", output("stream", name="stdout", text="y" * 200_000), execution_count=7),
        code("later()", execution_count=None),
        code(" ", execution_count=None),
    )


def test_problems_of_a_notebook_are_found(notebook: Path) -> None:
    assert review_notebook.findings(notebook) == [
        (2, "ran before the cell above it, as In [2]"),
        (3, "failed: KeyError: 'x'"),
        (4, "has an output of 200,000 bytes"),
        (5, "was not run"),
        (6, "is empty"),
    ]
    assert "cell 5 was not run\n" in output("examples.review_notebook", str(notebook))


def test_model_is_sent_the_problems_and_the_cells(notebook: Path) -> None:
    sent: list[dict[str, Any]] = []

    def ask(content: list[dict[str, Any]]) -> str:
        sent.extend(content)
        return "Run all cells again."

    assert review_notebook.review(notebook, ask) == "Run all cells again."
    first, second, *_ = sent
    assert first["text"].startswith(review_notebook.QUESTION + "- cell 2 ran before")
    assert "[cell 1 · code · In [5]" in second["text"]


# ------------------------------------------------------------------------------------------------------------
# tour.ipynb


def test_tour_prints_the_outputs_that_it_contains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    notebook = json.loads((ROOT / "examples" / "tour.ipynb").read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]

    async def run_all() -> list[list[dict[str, Any]]]:
        names: dict[str, Any] = {}
        return [outputs(await run_cell("".join(cell["source"]), names), capsys) for cell in cells]

    found = asyncio.run(run_all())
    assert found == [[written(output) for output in cell["outputs"]] for cell in cells]
    assert any("image/png" in output for outputs in found for output in outputs)


async def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell as Jupyter does, with `await` at its top level, and return the value of its last line."""
    body = ast.parse(source).body
    last = body[-1]
    parts: list[tuple[ast.Module | ast.Expression, str]] = [(ast.Module(body, []), "exec")]
    if isinstance(last, ast.Expr) and not source.endswith(";"):
        parts = [(ast.Module(body[:-1], []), "exec"), (ast.Expression(last.value), "eval")]
    value = None
    for part, mode in parts:
        code = compile(part, "tour.ipynb", mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        value = eval(code, names)
        if code.co_flags & inspect.CO_COROUTINE:
            value = await value
    return value


def outputs(value: Any, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return what Jupyter shows of a cell with this value."""
    printed = capsys.readouterr().out
    found: list[dict[str, Any]] = [{"text": printed}] if printed else []
    if value is not None:
        shown = {"text/plain": repr(value)}
        if hasattr(value, "_repr_markdown_"):
            shown["text/markdown"] = value._repr_markdown_()
        if getattr(value, "_repr_png_", lambda: None)() is not None:
            shown["image/png"] = "shown"
        found.append(shown)
    return found


def written(output: dict[str, Any]) -> dict[str, Any]:
    """Return an output of the notebook, without the bytes of images, which depend on Pillow."""
    if output["output_type"] == "stream":
        return {"text": "".join(output["text"])}
    return {name: "shown" if name == "image/png" else "".join(data) for name, data in output["data"].items()}


# ------------------------------------------------------------------------------------------------------------
# web_service


@pytest.fixture
def client(tmp_path: Path) -> Any:
    from examples.web_service import make_app
    from starlette.testclient import TestClient

    (tmp_path / "notes.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / ".env").write_text("TOKEN=1\n")
    (tmp_path / "data.bin").write_bytes(bytes(range(256)))
    (tmp_path / "logo.png").write_bytes(encoded(Image.new("RGB", (40, 30)), "PNG"))
    until(lambda: bool(anyread.read_sync(tmp_path / "notes.txt").version))
    return TestClient(make_app(str(tmp_path)))


def test_service_returns_pages_and_images(client: Any) -> None:
    page = client.get("/files/notes.txt", params={"offset": 2, "limit": 1})
    assert page.json()["text"] == "2\ttwo\n[line 2 of 3 · next: offset=3]"
    version = page.headers["etag"].strip('"')
    assert client.get("/files/notes.txt", params={"version": version}).status_code == 304
    image = client.get("/images/logo.png")
    assert image.headers["content-type"] == "image/png"
    assert image.content.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("/files/gone.txt", 404, "not_found"),
        ("/files/.env", 403, "denied"),
        ("/files/%2e%2e/etc/passwd", 403, "outside_root"),
        ("/files/data.bin", 422, "binary"),
        ("/files/notes.txt?offset=9", 422, "offset_past_end"),
    ],
)
def test_service_returns_errors_as_statuses(client: Any, path: str, status: int, error: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, error)


async def test_service_streams_appended_lines(tmp_path: Path) -> None:
    from examples.web_service import make_app

    log = tmp_path / "app.log"
    log.write_text("started\n")
    routes: list[Any] = make_app(str(tmp_path)).routes
    (endpoint,) = (route.endpoint for route in routes if route.path.startswith("/tail"))
    events = (await endpoint("app.log", lines=1)).body_iterator
    shown = [await anext(events)]
    with log.open("a") as file:
        file.write("ready\n")
    shown.append(await anext(events))
    await events.aclose()
    assert shown == [
        'data: {"line": 1, "text": "started\\n"}\n\n',
        'data: {"line": 2, "text": "ready\\n"}\n\n',
    ]
