"""Write the tables of pages that are made from lists of the code, and the versions that contracts follow.

Run `python -m website.tables`. The text between `<!-- NAME -->` and `<!-- end of NAME -->` is written only by
this program. After the name of a package that a contract follows, it writes the version.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from anyread.errors import ReadError
from anyread.kinds import BY_KIND
from anyread.models.image_tokens import (
    BudgetTokens,
    FlatTokens,
    ImageTokens,
    PatchTokens,
    SquareTokens,
    TileTokens,
)
from anyread.models.model import PRESETS, Model
from anyread.models.named import NAMES, ModelRow
from anyread.registry import CONTRACTS, TEXT_EDITORS, contract_path

ROOT = Path(__file__).parents[1]
_DOCS = ("index.md", "models.md", "errors.md", "platforms.md", "contracts/index.md")
PAGES = (ROOT / "README.md", *(ROOT / "docs" / name for name in _DOCS))
PAGES_WITH_VERSIONS = (*(ROOT / "docs" / "contracts").glob("*.md"), ROOT / "tests" / "recorded" / "README.md")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
BLOCK = re.compile(r"(<!-- (?P<name>[\w ]+) -->\n).*?(<!-- end of (?P=name) -->\n)", re.DOTALL)

PROVIDERS = {
    "claude": "Anthropic",
    "codestral": "Mistral",
    "deepseek": "DeepSeek",
    "devstral": "Mistral",
    "gemini": "Google",
    "glm": "Z.ai",
    "gpt": "OpenAI",
    "grok": "xAI",
    "kimi": "Moonshot AI",
    "minimax": "MiniMax",
    "o3": "OpenAI",
    "qwen": "Alibaba",
}
"""Who makes the models whose names start like this."""

GUIDES = {
    "text": "logs.md",
    "image": "media.md",
    "pdf": "media.md#pdf-pages",
    "notebook": "media.md#notebook-cells-and-notebook-images",
    "sheet": "sheets.md",
    "document": "documents.md",
    "slides": "slides.md",
    "records": "records.md",
    "directory": "media.md#directories",
}
"""The page about each kind of file."""

CHART = (4_000, 3_000)
"""Width and height of the image that the tables take as an example."""


def with_tables(page: Path) -> str:
    """Return the text of a page with current tables."""
    # A package index shows the README without the other files.
    base = "https://github.com/anyread/anyread/blob/main/docs/" if page.name == "README.md" else ""

    def table(found: re.Match[str]) -> str:
        written = re.sub(r"\]\((?=[\w-]+\.md)", f"]({base}", TABLES[found["name"]]())
        return f"{found[1]}\n{written}\n{found[3]}"

    return BLOCK.sub(table, page.read_text("utf-8"))


def references() -> dict[str, str]:
    """Return the version of each package that a contract follows, by `REFERENCE` in its module."""
    modules = {path.partition(":")[0] for path in (CONTRACTS | TEXT_EDITORS).values()}
    constants = [getattr(import_module(module), "REFERENCE", {}) for module in modules]
    found = {name: version for constant in constants for name, version in constant.items()}
    if any(found[name] != version for constant in constants for name, version in constant.items()):
        raise ValueError("two contracts follow different versions of a package")
    return found


def with_versions(text: str) -> str:
    """Return the page with current versions in "`package` 1.2.3", "package==1.2.3" and "package@1.2.3"."""
    versions = references()
    names = "|".join(map(re.escape, versions))
    named = re.compile(rf"(?<![\w@-])({names})(` |==|@)[\w.]*\w")
    return named.sub(lambda found: f"{found[1]}{found[2]}{versions[found[1]]}", text)


def kinds_of_files() -> str:
    """Return a call for each kind of file, with the files of `anyread demo`."""
    rows = []
    for form in BY_KIND.values():
        reader = 'Reader(directories="list")' if form.kind == "directory" else "anyread"
        rows.append([f"[{form.files}]({GUIDES[form.kind]})", f'`{reader}.read_sync("{form.example}")`'])
    return _table(["files", "one call"], rows)


def named_models() -> str:
    """Return the names of models and what is sent to them, with a row for each group of names."""
    rows = [
        [
            "<br>".join(f"`{name}`" for name in row.names.split()),
            ", ".join(dict.fromkeys(map(_provider, row.names.split()))),
            *_sent(Model.named(row.names.split()[0])),
            _source(row),
        ]
        for row in _rows()
    ]
    return _table(["name", "provider", *_HEADINGS, "source"], rows)


def presets() -> str:
    """Return the presets and what is sent to their models."""
    rows = [
        [f"`Model.{name.replace('-', '_')}()`", f"`{name}`", *_sent(make())] for name, make in PRESETS.items()
    ]
    return _table(["preset", "`--model`", *_HEADINGS], rows)


def formulas() -> str:
    """Return how the tokens of an image are counted, with a row for each formula."""
    found = {formula: None for row in _rows() if (formula := Model.named(row.names.split()[0]).image_tokens)}
    names = {
        formula: [
            name
            for row in _rows()
            for name in row.names.split()[:1]
            if Model.named(name).image_tokens == formula
        ]
        for formula in found
    }
    rows = [
        [", ".join(f"`{name}`" for name in names[formula]), _formula(formula), f"{formula.count(*CHART):,}"]
        for formula in found
    ]
    return _table(["models such as", "tokens of an image", "of 4,000×3,000"], rows)


def classes_of_errors() -> str:
    """Return the tree of errors, each with the builtin that it also is, and its code."""

    def branch(kind: type[ReadError], indent: str) -> str:
        builtin = next(base.__name__ for base in kind.__mro__ if base.__module__ == "builtins")
        line = f"{indent}- `{kind.__name__}` (`{builtin}`): `{kind.code}`\n"
        return line + "".join(branch(derived, indent + "    ") for derived in kind.__subclasses__())

    return "".join(branch(kind, "") for kind in ReadError.__subclasses__())


def originals() -> str:
    """Return what each contract follows, how many of its calls were recorded, and in what it deviates."""
    rows = []
    names = [name for name in (*CONTRACTS, *TEXT_EDITORS) if name not in {"anyread", "text-editor"}]
    for name in names:
        page = "text-editor" if name in TEXT_EDITORS else name
        text = (ROOT / "docs" / "contracts" / f"{page}.md").read_text("utf-8")
        module = import_module(contract_path(name).partition(":")[0])
        packages = getattr(module, "REFERENCE", {"": "a document, or source code"})
        follows = [f"`{package}` {version}" if package else version for package, version in packages.items()]
        [dates] = re.findall(r"^Date: (.+)\.$", text, re.MULTILINE)
        recorded = ROOT / "tests" / "recorded" / f"{page}.jsonl"
        lines = recorded.read_text("utf-8").split("\n") if recorded.exists() else []
        found = [row for row in map(json.loads, filter(None, lines)) if page == name or name in row["id"]]
        calls = sum("answer" in call for row in found for call in row["calls"])
        heading, _, section = text.partition("\n## Deviations")[2].partition("\n")
        count = len(re.findall(r"^\| ", section.partition("\n## ")[0], re.MULTILINE)) - 2
        anchor = f"deviations{heading.lower().replace(' ', '-')}"
        deviations = f"[{count}]({page}.md#{anchor})"
        link = f"[`{name}`]({page}.md)"
        rows.append([link, ", ".join(follows), max(DATE.findall(dates)), f"{calls:,}", deviations])
    return _table(["contract", "follows", "date", "calls recorded", "deviations"], rows)


_HEADINGS = ("images", "4,000×3,000 is sent as", "images per request", "PDF")


def runs() -> str:
    """Return what was run on which system, and when, from the records."""
    with (ROOT / "tests" / "platforms" / "runs.csv").open(encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file)
    return _table(heading, rows)


def _sent(model: Model) -> list[str]:
    if "image" not in model.inputs:
        return ["described in a line of text", "–", "–", "text of its pages"]
    types = " ".join(
        each.removeprefix("image/").upper().replace("WEBP", "WebP") for each in model.image_types or ()
    )
    width, height = size_sent(model)
    formula = model.image_tokens
    tokens = "" if formula is None else f", {formula.count(width, height):,} tokens"
    images = "not limited" if model.max_images is None else f"{model.max_images:,}"
    return [types, f"{width:,}×{height:,}{tokens}", images, _pdf(model)]


def size_sent(model: Model) -> tuple[int, int]:
    """Return the size in pixels at which the example image is sent."""
    width, height = CHART if model.image_tokens is None else model.image_tokens.size(*CHART)
    longest = max(width, height)
    if model.max_long_edge is None or longest <= model.max_long_edge:
        return width, height
    return round(width * model.max_long_edge / longest), round(height * model.max_long_edge / longest)


def _pdf(model: Model) -> str:
    if "pdf" not in model.inputs:
        return "text and images of its pages"
    size = "" if model.max_pdf_bytes is None else f" {model.max_pdf_bytes / 1e6:g} MB"
    pages = "" if model.max_pdf_pages is None else f" {model.max_pdf_pages:,} pages"
    limits = " and".join(part for part in (pages, size) if part)
    return f"document of up to{limits}"


def _formula(formula: ImageTokens) -> str:
    match formula:
        case PatchTokens(patch=patch, max_edge=edge, max_tokens=most):
            limits = [f"{edge:,} pixels" if edge else "", f"{most:,} tokens" if most else ""]
            return f"1 per {patch}×{patch} pixels, after scaling to {' and '.join(filter(None, limits))}"
        case BudgetTokens(patch=patch, max_edge=edge, max_patches=most, multiplier=times):
            limits = [f"{edge:,} pixels" if edge else "", f"{most:,} patches"]
            return (
                f"{times:g} per {patch}×{patch} pixels, after scaling to {' and '.join(filter(None, limits))}"
            )
        case TileTokens(base=base, tile=tile, tile_edge=edge, max_edge=longest, short_edge=shortest):
            within = f"{longest:,} pixels, the shorter side to {shortest:,}"
            return f"{base:,}, and {tile:,} per {edge}×{edge} pixels, after scaling to {within}"
        case SquareTokens(tokens=tokens, small_edge=small, edge=edge):
            return f"{tokens:,} up to {small}×{small} pixels, otherwise {tokens:,} per {edge}×{edge} pixels"
        case FlatTokens(tokens=tokens):
            return f"{tokens:,}"


def _provider(name: str) -> str:
    return next(provider for start, provider in PROVIDERS.items() if name.startswith(start))


def _source(row: ModelRow) -> str:
    return f"[{row.as_of}]({row.source})"


def _rows() -> list[ModelRow]:
    return list({row.names: row for row in NAMES.values()}.values())


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


TABLES = {
    "kinds": kinds_of_files,
    "named models": named_models,
    "presets": presets,
    "formulas": formulas,
    "classes of errors": classes_of_errors,
    "originals": originals,
    "runs": runs,
}
"""The tables of the pages by name."""


def main() -> None:
    """Write the tables and the versions."""
    for page in PAGES:
        page.write_text(with_tables(page), "utf-8")
    for page in PAGES_WITH_VERSIONS:
        page.write_text(with_versions(page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
