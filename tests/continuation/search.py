"""Walk cases by seed, and make what fails as small as it goes.

    python -m continuation.search FIRST COUNT [WAY ...]

prints the faults of these seeds, each kind once, as small as it goes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from continuation import letters, maker, walker
from continuation.maker import Case
from continuation.walker import Fault, Walk

TRIES = 80
"""The most cases that shrinking tries."""
_numbers = count()


def walked(case: Case, directory: Path) -> tuple[Walk, Fault | None]:
    """Walk a case, waiting for each call."""
    where = directory / f"{next(_numbers)}" / "files"
    walk = walker.make(case, where)
    fault = None
    try:
        if case.way == "letters":
            letters.judge(walk)
        else:
            walker.at_once(walk.run())
    except Fault as error:
        fault = error
    shutil.rmtree(where.parent)
    return walk, fault


def smallest(case: Case, fault: Fault, directory: Path) -> tuple[Walk, Fault]:
    """Return the simplest case found that fails in the same way."""
    walk, found = walked(case, directory)
    fault = found or fault
    tries = 0
    while tries < TRIES:
        for simple in maker.simpler(case):
            if not is_valid(simple):
                continue
            tries += 1
            again, found = walked(simple, directory)
            if found is not None and found.word == fault.word:
                case, walk, fault = simple, again, found
                break
            if tries >= TRIES:
                break
        else:
            break
    return walk, fault


def is_valid(case: Case) -> bool:
    """Return whether each file still has what a call asks for."""
    window = 1 if case.way in {"read", "path", "around", "letters"} else 0
    several = case.way in {"places", "many"}
    for ask in case.asks:
        first, parts = (
            maker.begin(ask.spans[0]) if several and ask.spans else maker.first_of(case),
            case.files[ask.file].parts,
        )
        if ask.column > 1 and (not 0 < first <= len(parts) or ask.column > parts[first - 1][0]):
            return False
    return not window or abs(case.offset) <= max(1, maker.total_of(case.files[0]))


def report(seed: int, walk: Walk, fault: Fault) -> str:
    """Write a failure as a program."""
    lines = [f"seed {seed}: {fault}", f"{walk.case}", *(f"  {call}" for call in walk.calls[-4:])]
    return "\n".join(lines)


def faults(
    seeds: Iterable[int], directory: Path, ways: tuple[str, ...] = ()
) -> Iterator[tuple[int, int, Case, Fault | None]]:
    """Yield each seed, how much was compared, its case, and what is wrong."""
    for seed in seeds:
        case = maker.case_of(seed, ways)
        walk, fault = walked(case, directory)
        yield seed, walk.compared, case, fault


def main() -> None:
    first, number, *ways = sys.argv[1:]
    known: dict[tuple[str, str, str], int] = {}
    total = 0
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for seed, compared, case, fault in faults(
            range(int(first), int(first) + int(number)), directory, tuple(ways)
        ):
            total += compared
            if fault is None:
                continue
            kinds = (
                "+".join(sorted({file.kind for file in case.files})) if len(case.files) == 1 else "several"
            )
            key = case.way, fault.word, kinds
            known[key] = known.get(key, 0) + 1
            if known[key] == 1:
                print(report(seed, *smallest(case, fault, directory)), flush=True)
    print(f"{total} comparisons in {number} cases, {sum(known.values())} failing")
    for key, times in sorted(known.items()):
        print(f"  {times} × {key}")


if __name__ == "__main__":
    main()
