"""Judge traces of agents: `python -m examples.judge_traces DIRECTORY TOKENS`.

One budget of tokens holds for all traces.

Short traces are shown completely; long ones all get the same number of tokens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from examples.in_processes import in_processes

from anyread.batch import Histogram, ReadRows, level

PROMPT = (
    "Does this trace of an agent end with success? "
    "Cite lines. Answer PASS or FAIL first.\n\n"
)


class Verdict(NamedTuple):
    """The judgment of one trace."""

    path: str
    tokens: int
    """The tokens of the trace that the judge was shown."""
    answer: str


def judged(
    directory: Path, budget: int, judge: Callable[[str], str], *, workers: int = 2
) -> Iterator[Verdict]:
    """Yield a verdict for each trace that can be read.

    Args:
        directory: The directory of the traces.
        budget: The tokens of all traces together, without the prompts.
        judge: Calls a model with a prompt and returns its answer.
        workers: The processes that read.
    """
    paths = sorted(str(path) for path in directory.rglob("*") if path.is_file())
    surveyed = (
        Histogram.of(facts["tokens"])
        for facts in in_processes(ReadRows().survey, paths, workers=workers)
    )
    read = ReadRows(
        max_tokens=level(sum(surveyed, Histogram()), budget),
        select=["text", "tokens", "error"],
    )
    for rows in in_processes(read, paths, workers=workers):
        for path, text, tokens, error in zip(*rows.values(), strict=True):
            if not error and text:
                yield Verdict(path, tokens, judge(PROMPT + text))


def last_line_judge(prompt: str) -> str:
    """Stand in for a model: PASS if the last line of the trace does."""
    return "PASS" if "PASS" in prompt.splitlines()[-1] else "FAIL"


def main() -> None:
    """Print the verdicts of the judge without a model."""
    for verdict in judged(Path(sys.argv[1]), int(sys.argv[2]), last_line_judge):
        print(f"{verdict.answer}  {verdict.tokens:>8,}  {verdict.path}")


if __name__ == "__main__":
    main()
