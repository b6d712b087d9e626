"""Ray Data with two workers: `ReadRows`, `read_text`, and the way that Ray's documentation recommends."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import ray
from timing import files_and_rounds, race

from anyread.batch import ReadRows

LINES = 10
"""Per file; `read_text` returns a row for each."""


def consumed(dataset: Any) -> int:
    return sum(batch.num_rows for batch in dataset.iter_batches(batch_size=None, batch_format="pyarrow"))


def decoded(batch: dict[str, Any]) -> dict[str, Any]:
    return {"path": batch["path"], "text": [data.decode() for data in batch["bytes"]]}


def main() -> None:
    paths, rounds = files_and_rounds()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    workers = ray.data.ActorPoolStrategy(size=2)

    def rows() -> int:
        return consumed(
            ray.data.from_items([{"path": path} for path in paths]).map_batches(ReadRows, compute=workers)
        )

    # Ray asks for the size of each file in a list, one after another; directories are faster.
    directories = sorted({str(Path(path).parent) for path in paths})

    def read_text() -> int:
        return consumed(ray.data.read_text(directories, include_paths=True))

    def binary_files() -> int:
        return consumed(ray.data.read_binary_files(directories, include_paths=True).map_batches(decoded))

    count = len(paths)
    race(
        {"anyread": rows, "read_text": read_text, "binary": binary_files},
        {"anyread": count, "read_text": count * LINES, "binary": count},
        rounds,
        # It takes minutes, and is no target.
        once=("binary",),
    )


if __name__ == "__main__":
    main()
