"""`anyread read --save`: which files it creates, and that it never changes one that exists."""

from __future__ import annotations

import resource
from functools import partial
from typing import TYPE_CHECKING

import pytest

from anyread.cli.media import save
from anyread.results.blocks import ImageBlock
from helpers import command_line, notebooks
from helpers.media import drawing, encoded, text_pdf

if TYPE_CHECKING:
    from pathlib import Path

PNG = encoded(drawing(40, 30), "PNG")


run = partial(command_line.run, "read")


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.slow
def test_source_in_the_same_directory_is_not_overwritten(tmp_path: Path) -> None:
    """`--save .` wrote a smaller copy over the photo that it was made from, and the photo was lost."""
    big = encoded(drawing(3_000, 2_000), "JPEG")
    (tmp_path / "hill.jpg").write_bytes(big)
    for name in ("hill-2.jpg", "hill-3.jpg"):
        result = run("hill.jpg", "--save", ".", cwd=tmp_path)
        assert (result.returncode, result.stderr) == (0, f"saved {name}\n")
    found = contents(tmp_path)
    assert found.pop("hill.jpg") == big
    assert set(found) == {"hill-2.jpg", "hill-3.jpg"}
    assert found["hill-2.jpg"] == found["hill-3.jpg"]
    assert ImageBlock.from_bytes(found["hill-2.jpg"]).width < 3_000


@pytest.mark.slow
def test_two_sources_of_the_same_name_are_both_saved(tmp_path: Path) -> None:
    """The second file of a name overwrote the image that was saved for the first."""
    for directory, size in (("a", (40, 30)), ("b", (50, 20))):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / "hill.png").write_bytes(encoded(drawing(*size), "PNG"))
    result = run("a/hill.png", "b/hill.png", "--save", "seen", cwd=tmp_path)
    assert result.stderr == "saved seen/hill.png\nsaved seen/hill-2.png\n"
    found = {name: ImageBlock.from_bytes(data).width for name, data in contents(tmp_path / "seen").items()}
    assert found == {"hill.png": 40, "hill-2.png": 50}


@pytest.mark.slow
def test_pages_of_a_pdf_are_named_by_their_numbers(tmp_path: Path) -> None:
    """Pages were counted from 1 in every call, so pages 3-4 overwrote pages 1-2."""
    (tmp_path / "trial.pdf").write_bytes(text_pdf(4))
    assert run("trial.pdf", "--pages", "3-4", "--save", "seen", cwd=tmp_path).returncode == 0
    stems = sorted(path.stem for path in (tmp_path / "seen").iterdir())
    assert stems == ["trial-page-3", "trial-page-4"]


@pytest.mark.slow
def test_images_of_a_notebook_are_named_by_their_cells(tmp_path: Path) -> None:
    two = [notebooks.display(image_png=notebooks.png(seed=seed)) for seed in (1, 2)]
    cells = (
        notebooks.markdown("# Plots"),
        notebooks.code("draw()", *two),
        notebooks.code("draw()", notebooks.display(image_png=notebooks.png(seed=3))),
    )
    notebooks.write(tmp_path, *cells, name="plots.ipynb")
    result = run("plots.ipynb", "--save", "seen", cwd=tmp_path)
    assert result.returncode == 0
    names = sorted(contents(tmp_path / "seen"))
    assert names == ["plots-cell-2-2.png", "plots-cell-2.png", "plots-cell-3.png"]


def test_symlinks_are_not_written_through(tmp_path: Path) -> None:
    """A symbolic link with that name was followed, and its target was overwritten or created."""
    seen, outside = tmp_path / "seen", tmp_path / "outside.txt"
    seen.mkdir()
    outside.write_text("mine\n")
    (seen / "hill.png").symlink_to(outside)
    (seen / "hill-2.png").symlink_to(tmp_path / "absent")
    block = ImageBlock.from_bytes(PNG)
    assert list(save([block], "hill.png", str(seen), {})) == [str(seen / "hill-3.png")]
    assert outside.read_text() == "mine\n"
    assert not (tmp_path / "absent").exists()


def test_failed_write_leaves_no_file(tmp_path: Path) -> None:
    block = ImageBlock.from_bytes(PNG)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(PNG) // 2, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            list(save([block], "hill.png", str(tmp_path), {}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert contents(tmp_path) == {}


@pytest.mark.slow
def test_directory_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "hill.png").write_bytes(PNG)
    result = run("hill.png", "--save", "hill.png", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == "anyread: cannot save in `hill.png`: File exists\n"
