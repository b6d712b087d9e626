"""The cost of the first use of each feature: `python -m benches.first_use [PYTHON]`.

Every figure is the median over fresh processes of a Python that has anyread installed, by default this one.
The cases run in turn, so that a busy moment of the machine does not affect only one of them.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from benches import inputs

ROUNDS = 21

PROGRAM = """
import json, sys, time
text, image, document = sys.argv[1:]

def own_memory():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))

{before}
measured = []
for _ in range(2):
    memory, started = own_memory(), time.perf_counter()
    {use}
    measured.append((time.perf_counter() - started, own_memory() - memory))
print(json.dumps(measured))
"""


class Case(NamedTuple):
    """A feature that a process uses for the first time, and then once more."""

    what: str
    before: str
    use: str


def _exact(vocabulary: str) -> Case:
    reader = f'anyread.Reader(limits=anyread.Limits(tokenizer="{vocabulary}"))'
    before = f"import anyread; anyread.read_sync(text).token_estimate; reader = {reader}"
    return Case(f"exact tokens of it, `{vocabulary}`", before, "reader.read_sync(text).token_estimate")


CASES = (
    Case("`import anyread; anyread.read`", "", "import anyread; anyread.read"),
    Case("text of 8 KiB, whole", "import anyread; anyread.read", "anyread.read_sync(text)"),
    _exact("cl100k_base"),
    _exact("o200k_base"),
    Case("image of 16 × 16 pixels", "import anyread; anyread.read", "anyread.read_sync(image)"),
    Case("one page of a PDF", "import anyread; anyread.read", 'anyread.read_sync(document, pages="1")'),
)


def measured(python: str, case: Case, files: list[Path]) -> list[tuple[float, int]]:
    """Run a case in a new process; return the seconds and KiB of each of its two uses."""
    program = PROGRAM.format(before=case.before, use=case.use)
    command = [python, "-I", "-c", program, *map(str, files)]
    uses = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return [(seconds, kib) for seconds, kib in uses]


def main(python: str) -> None:
    """Print a table of medians."""
    seconds: dict[Case, list[tuple[float, float]]] = {case: [] for case in CASES}
    memory: dict[Case, list[int]] = {case: [] for case in CASES}
    files = [inputs.source_file(), inputs.small_image(), inputs.report()]
    for _ in range(ROUNDS + 1):
        for case in CASES:
            (first_s, kept_kib), (again_s, _) = measured(python, case, files)
            seconds[case].append((first_s, again_s))
            memory[case].append(kept_kib)
    print("| what | first | again | memory it keeps |\n| --- | ---: | ---: | ---: |")
    for case in CASES:
        # The first round fills the page cache.
        first_ms, again_ms = (statistics.median(each[1:]) * 1e3 for each in zip(*seconds[case], strict=True))
        again = "–" if case is CASES[0] else f"{again_ms:.3g} ms"
        kept_mib = statistics.median(memory[case][1:]) / 1024
        print(f"| {case.what} | {first_ms:.3g} ms | {again} | {kept_mib:.1f} MiB |")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else sys.executable)
