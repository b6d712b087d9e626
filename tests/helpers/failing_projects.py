"""Small projects with a failing test, whose frames are known because the calls were generated."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import NamedTuple

RUNS = Path(__file__).parents[1] / "recorded/places/failing_runs.jsonl"
"""What running the tests of each project printed, at the root `/project`."""
COMMANDS = (
    "pytest --tb=long",
    "pytest --tb=short",
    "pytest --tb=native -q",
    "pytest --color=yes",
    "unittest discover -s tests -t .",
)


class Project(NamedTuple):
    files: dict[str, str]
    frames: set[tuple[str, int]]
    """Where the calls are that lead from the test to the error: paths and lines."""
    command: str


def project(number: int) -> Project:
    """Return one of the projects; every tenth has more than 64 frames."""
    rng = Random(number)
    deep = number % 10 == 9
    depth = rng.randint(65, 75) if deep else rng.randint(3, 8)
    # Each frame of the long style shows its whole function.
    command = COMMANDS[1 + number // 10 % 4] if deep else COMMANDS[number % 5]
    modules = [
        f"shop/{name}.py" for name in rng.sample(["cart", "price", "store/tax", "store/db", "text"], 4)
    ]
    lines: dict[str, list[str]] = {path: [f'"""{path}."""', ""] for path in modules}
    frames = set()
    chained = rng.randrange(depth)
    for step in range(depth):
        path = modules[step % len(modules)]
        source = lines[path]
        source += ["", f"def step_{step}(value):"]
        source += [f"    note_{n} = {n}" for n in range(rng.randint(0, 4))]
        if step == depth - 1:
            source.append("    raise LookupError(f'no price for {value}')")
        else:
            target = modules[(step + 1) % len(modules)].removesuffix(".py").replace("/", ".")
            source.append(f"    from {target} import step_{step + 1}")
            if step == chained:
                source += ["    try:", f"        step_{step + 1}(value)"]
                frames.add((path, len(source)))
                source += [
                    "    except LookupError as error:",
                    "        raise ValueError('see above') from error",
                ]
            else:
                source.append(f"    return step_{step + 1}(value + 1)")
        frames.add((path, len(source)))
        source += [f"    after_{n} = {n}" for n in range(rng.randint(0, 2))] + [""]
    module = modules[0].removesuffix(".py").replace("/", ".")
    if command.startswith("pytest"):
        test = ["def test_total():", "    assert step_0(1) == 2"]
    else:
        test = [
            "class Total(unittest.TestCase):",
            "    def test_total(self):",
            "        self.assertEqual(step_0(1), 2)",
        ]
    lines["tests/test_shop.py"] = ["import unittest", "", f"from {module} import step_0", "", "", *test]
    frames.add(("tests/test_shop.py", len(lines["tests/test_shop.py"])))
    packages = ["shop/__init__.py", "shop/store/__init__.py", "tests/__init__.py"]
    files = {path: "\n".join(source) + "\n" for path, source in lines.items()}
    return Project(files | dict.fromkeys(packages, ""), frames, command)


def lay_out(root: Path, files: dict[str, str]) -> None:
    """Write the files of a project below a root."""
    for path, source in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(source)


def outputs() -> list[str]:
    """Return what was printed by each run."""
    return [json.loads(line) for line in RUNS.read_text(encoding="utf-8").splitlines()]
