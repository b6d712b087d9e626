"""How often the block around a line holds the whole function, and how many lines it shows for each of them.

    python benches/blocks/judge.py places.jsonl [--show N]

`places.jsonl` is what `gold.py` writes.
For each language: the places, the share whose whole function is in the first answer, and the lines shown for
each line of the function.
Then the median and the maximum time that a block takes more than ten lines around the same place, in files
that were read before.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import Counter, defaultdict
from pathlib import Path
from time import perf_counter

from anyread import Limits, Reader

LIMITS = Limits(max_tokens=10**6, max_bytes=10**7)


def main() -> None:
    """Judge all places, and name those that are not shown completely if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", type=Path)
    parser.add_argument("--show", type=int, default=0)
    arguments = parser.parse_args()
    blocks, lines = Reader(limits=LIMITS), Reader(limits=LIMITS, context="lines")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    times = []
    for text in arguments.places.read_text().splitlines():
        place = json.loads(text)
        line, first, last = place["line"], place["first"], place["last"]
        started = perf_counter()
        lines.read_sync(place["path"], ranges=[line], kind="text")
        between = perf_counter()
        page = blocks.read_sync(place["path"], ranges=[line], kind="text")
        times.append(perf_counter() - between - (between - started))
        (shown,) = page.ranges
        is_whole = shown[0] <= first and last <= shown[1]
        counts[place["language"]].update(
            places=1, whole=is_whole, shown=shown[1] - shown[0] + 1, wanted=last - first + 1
        )
        if not is_whole and arguments.show > 0:
            arguments.show -= 1
            print(f"{place['path']}:{line}: the function is {first}-{last}, shown is {shown[0]}-{shown[1]}")
    for language, count in counts.items():
        share, ratio = 100 * count["whole"] / count["places"], count["shown"] / count["wanted"]
        print(f"{language}: {count['places']} places, whole {share:.1f} %, {ratio:.2f} lines for each")
    print(f"more time: median {1e6 * statistics.median(times):.0f} µs, maximum {1e6 * max(times):.0f} µs")


if __name__ == "__main__":
    main()
