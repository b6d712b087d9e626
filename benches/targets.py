"""The targets of all measurements, defined only here.

A release must reach `must` and tries to reach `aim`.
Two units are ratios to another time in the same run: `TIMES_FASTER`, for which more is better, and
`TIMES_AS_LONG`. Otherwise, less is better.
"""

from __future__ import annotations

from dataclasses import dataclass

from benches.inputs import BIG_LOG_BYTES, GB, LOG_BYTES

TIMES_FASTER = "×"
TIMES_AS_LONG = "× as long"


@dataclass(frozen=True, slots=True)
class Target:
    """One line of the table; without `must` and `aim` it is only reported.

    `row` and `what` together identify it in the record.
    anyread has read a "warm" file before, but not a "cold" one; both are in the page cache.
    """

    row: str
    what: str
    unit: str
    must: float | None = None
    aim: float | None = None
    needs_bytes: int = 0
    part: str = "targets"
    """The record that has it: "batch" for those of data engines, which `make bench` does not install."""

    @property
    def is_ratio(self) -> bool:
        """Whether the figure is divided by another."""
        return self.unit in {TIMES_FASTER, TIMES_AS_LONG}

    def names(self, line: dict[str, str]) -> bool:
        """Return whether a line of a record belongs to this target."""
        return (line["row"], line["what"]) == (self.row, self.what)

    def met(self, figure: float) -> str:
        """Return the higher of the goals that a figure reaches, "no", or "–" if none is set."""
        goals = (("aim", self.aim), ("must", self.must))
        for name, goal in goals:
            if goal is not None and (figure >= goal if self.unit == TIMES_FASTER else figure <= goal):
                return name
        return "–" if all(goal is None for _, goal in goals) else "no"


def _small_async(rival: str, where: str, must: float, aim: float | None) -> Target:
    return Target("P5", f"8 KiB file, async, {where}, against {rival}", TIMES_FASTER, must, aim)


def _against_floor(what: str, must: float, aim: float) -> Target:
    return Target("P6", f"{what}, against open, fstat, pread, close", TIMES_AS_LONG, must, aim)


def _unseen(mib: int, must: float | None = None) -> Target:
    return Target("P2", f"first 100 lines and exact total of an unseen file of {mib} MiB", "ms", must)


def _middle(size: str) -> Target:
    return Target("P15", f"100 lines in the middle of a file of {size}, warm", "µs", 40, 20)


def _memory(what: str, needs_bytes: int) -> Target:
    return Target("P9", f"anonymous memory: {what}", "MiB", 32, 8, needs_bytes)


def _lag(loop: str) -> Target:
    return Target("P11", f"event loop lag p99, 256 tasks, 10,000 small files: {loop}", "ms", 10, 3)


def _mixed_lag(loop: str) -> Target:
    return Target("P11", f"event loop lag p99, 256 scans, images and PDFs: {loop}", "ms", 10, 3)


def _pages_lag(loop: str) -> Target:
    return Target("P11", f"event loop lag p99, 256 tasks, 5,000 pages of 2,000 lines: {loop}", "ms", 10, 3)


def _cold_lag(loop: str) -> Target:
    return Target("P11", f"event loop lag p99, 64 tasks, 4,000 uncached files: {loop}", "ms", 10, 3)


def _threads(work: str, must: float) -> Target:
    return Target(
        "threads", f"{work}, as many threads as cores (at most 4) against one thread", TIMES_FASTER, must
    )


def _tool(contract: str, way: str) -> Target:
    must = 6 if contract == "anyread" else 20
    return Target("tools", f"{contract}, {way}: time beyond a {PLAIN}", "µs", must)


def _batch(engine: str, rival: str, must: float | None = None, aim: float | None = None) -> Target:
    what = f"100,000 files of 1 KiB in {engine}, 2 workers, against {rival}"
    return Target("P16", what, TIMES_FASTER, must, aim, part="batch")


PLAIN = "plain read, and SHA-256 if required"
"""What a tool is compared with. Token counts and JSON, which some contracts require, are its own time."""
CONTRACTS = (
    "anyread",
    "claude-code",
    "mycode",
    "forge",
    "llm-gateway",
    "codelet",
    "pilotdeck",
    "opencode",
    "deepagents",
    "text-editor openhands",
    "text-editor swe-agent",
    "text-editor strands",
    "text-editor anthropic-memory",
    "gemini-cli",
    "pi",
    "mcp-filesystem",
    "anthropic-toolset",
)
"""The contracts that are measured, each dialect of the text editor as one."""

TARGETS = {
    "count": Target("P1", "exact line count and first page, 4 GiB log", TIMES_FASTER, 2.0, 3.0, LOG_BYTES),
    "count-floor": Target(
        "P1", "the same, against loading each byte once", TIMES_AS_LONG, needs_bytes=LOG_BYTES
    ),
    "first-100": Target("P2", "first 100 lines, 10 GB log, warm", "µs", 200, 60, BIG_LOG_BYTES),
    "first-100-cold": Target("P2", "first 100 lines, cold", "µs", 200, 60, BIG_LOG_BYTES),
    "first-page": Target("P2", "first default page, 10 GB log, warm", "µs", 500, 250, BIG_LOG_BYTES),
    "first-page-cold": Target("P2", "first default page, cold", "µs", 500, 250, BIG_LOG_BYTES),
    "first-2000": Target("P2", "first 2,000 lines, no token budget, warm", "µs", 1000, 400, BIG_LOG_BYTES),
    "first-2000-cold": Target(
        "P2", "first 2,000 lines, no token budget, cold", "µs", 1000, 400, BIG_LOG_BYTES
    ),
    **{f"unseen-{mib}": _unseen(mib, must) for mib, must in {1: None, 4: None, 10: 1.0, 64: None}.items()},
    "first-sync": Target("P2", "8 KiB file, first `read_sync` of a process", "µs"),
    "first-async": Target("P2", "8 KiB file, first `await read` of a process", "µs"),
    "first-reader": Target("P2", "8 KiB file, first `read_sync` of a `Reader`", "µs"),
    "deep-cold": Target("P3", "100 lines at 90 % of a 4 GiB log, cold", TIMES_FASTER, 5.0, 10.0, LOG_BYTES),
    "deep-warm": Target("P3", "100 lines at 90 %, warm", "µs", 40, 20, LOG_BYTES),
    "tail": Target("P4", "last 100 lines, 4 GiB log, warm", "µs", 200, 60, LOG_BYTES),
    "tail-cold": Target("P4", "last 100 lines, cold", "µs", 200, 60, LOG_BYTES),
    "small-async-asyncio.to_thread-disk": _small_async("asyncio.to_thread", "on disk", 10, 25),
    "small-async-aiofiles-disk": _small_async("aiofiles", "on disk", 18, 30),
    "small-async-asyncio.to_thread-overlay": _small_async("asyncio.to_thread", "on an overlay", 5, None),
    "small-async-aiofiles-overlay": _small_async("aiofiles", "on an overlay", 9, None),
    "small": Target("P6", "8 KiB file, whole and numbered", TIMES_FASTER, 7.0, 12.0),
    "small-bare": Target("P6", "the same, against minimal Python", TIMES_FASTER),
    "small-floor": _against_floor("8 KiB file", 3.5, 2.5),
    "tiny-floor": _against_floor("file of 2 bytes", 2.2, 1.5),
    "small-busy": Target("P6", "8 KiB file, next to a busy Python thread, against alone", TIMES_AS_LONG, 5),
    "small-busy-typical": Target(
        "P6", "8 KiB file, next to a busy Python thread, against typical Python", TIMES_FASTER
    ),
    "small-busy-mean": Target("P6", "the same, mean instead of median", TIMES_FASTER),
    "many": Target("P7", "10,000 files of 4 KiB with 64 tasks", TIMES_FASTER, 10.0, 15.0),
    "grown": Target(
        "P8", "first 100 lines and exact total, 1 MiB appended to 10 GB", "µs", 2000, 500, BIG_LOG_BYTES
    ),
    "grown-tail": Target(
        "P8", "last 100 lines and exact total, 1 MiB appended", "µs", 2000, 500, BIG_LOG_BYTES
    ),
    "memory-first": _memory("first page, 10 GB log", BIG_LOG_BYTES),
    "memory-tail": _memory("last 100 lines", BIG_LOG_BYTES),
    "memory-deep": _memory("100 lines at 90 %, cold", BIG_LOG_BYTES),
    "memory-count": _memory("exact line count of all of it", BIG_LOG_BYTES),
    "memory-column": _memory("column 2,000,000,001 of one line", LOG_BYTES),
    "index-size": Target("P9", "line index, share of a 10 GB log", "%", 0.02, None, BIG_LOG_BYTES),
    "import": Target("P10", "import, in addition to asyncio and dataclasses", "ms", 20, 12),
    "lag-asyncio": _lag("asyncio"),
    "lag-uvloop": _lag("uvloop"),
    "lag-trio": _lag("trio"),
    "lag-mixed-asyncio": _mixed_lag("asyncio"),
    "lag-mixed-uvloop": _mixed_lag("uvloop"),
    "lag-mixed-trio": _mixed_lag("trio"),
    "lag-pages-asyncio": _pages_lag("asyncio"),
    "lag-pages-uvloop": _pages_lag("uvloop"),
    "lag-pages-trio": _pages_lag("trio"),
    "lag-cold-asyncio": _cold_lag("asyncio"),
    "lag-cold-uvloop": _cold_lag("uvloop"),
    "lag-cold-trio": _cold_lag("trio"),
    "cold-asyncio.to_thread": Target("P11", "4,000 uncached files, against asyncio.to_thread", TIMES_FASTER),
    "cold-aiofiles": Target("P11", "4,000 uncached files, against aiofiles", TIMES_FASTER),
    "threads-small": _threads("4 KiB files", 0.9),
    "threads-medium": _threads("lines of 1 MiB files", 1.3),
    "threads-pages": _threads("pages of 2,000 lines of 1 MiB files", 1.3),
    "threads-large": _threads("unseen 64 MiB files, each on all cores", 0.9),
    "threads-small-busy": _threads("4 KiB files, next to a busy Python thread", 0.9),
    "threads-medium-busy": _threads("lines of 1 MiB files, next to a busy Python thread", 1.3),
    "threads-pages-busy": _threads("pages of 2,000 lines of 1 MiB files, next to a busy Python thread", 1.3),
    "threads-large-busy": _threads("unseen 64 MiB files, next to a busy Python thread", 0.9),
    "threads-other-scan": Target(
        "threads",
        "lines of a 1 MiB file while another thread scans another file, against alone",
        TIMES_FASTER,
        0.3,
    ),
    "notebook-images": Target("P13", "8 images of a notebook, against one decoder", TIMES_FASTER),
    "decoder": Target("P12", "overhead of a warm call to a decoder, p50", "ms", 1, 0.3),
    "decoder-p99": Target("P12", "overhead of a warm call to a decoder, p99", "ms", 2),
    "decoder-died": Target("P12", "first call after all decoders crashed", "ms", 50, 10),
    "photograph": Target(
        "P13", "12-megapixel JPEG to 1568 pixels, overhead over plain Pillow with draft", "%", 10
    ),
    "report": Target("P14", "20-page PDF, text and images, against plain pypdfium2", TIMES_FASTER, 1.6, 1.9),
    "line-first": Target("line", "limit=1 of one 4 GiB line, cold", "ms", 100, None, LOG_BYTES),
    "line-column-cold": Target(
        "line", "column 2,000,000,001, cold, against counting the lines", TIMES_FASTER, 0.5, None, LOG_BYTES
    ),
    "line-column-warm": Target("line", "column 2,000,000,001, warm", "ms", 1, None, LOG_BYTES),
    **{f"tool-{contract}-{way}": _tool(contract, way) for contract in CONTRACTS for way in ("sync", "async")},
    "records-cold": Target("P22", "record 1,000,000 of a 1 GB array, cold", "ms", 600, 400, GB),
    "records-again": Target("P22", "the same, again", "ms", 1, 0.1, GB),
    "records-lines": Target("P22", "record 1,000,000 of 1 GB of JSON Lines, cold", "ms", 60, 40, GB),
    "records-jq": Target("P22", "record 1,000 of JSON Lines, against jq", TIMES_FASTER, None, None, GB),
    "records-json": Target("P22", "the same, against Python's json", TIMES_FASTER, None, None, GB),
    "sheet-first": Target("P20", "first page of a workbook of 500,000 rows, cold", "ms", 10, 3),
    "sheet-cold": Target("P20", "50 rows from row 400,000, cold", "ms", 1_000, 400),
    "sheet-again": Target("P20", "the same, again", "ms", 60, 15),
    "sheet-openpyxl": Target("P20", "first 50 rows, cold, against openpyxl (read-only)", TIMES_FASTER),
    "sheet-calamine": Target("P20", "first 50 rows, cold, against python-calamine", TIMES_FASTER),
    "sheet-office_oxide": Target("P20", "the same, against office-oxide (all rows)", TIMES_FASTER),
    "document-first": Target("P21", "first page of a document of 2,000 pages", "ms", 5, 2),
    "document-whole": Target("P21", "all of it", "ms", 250, 100),
    "slides-whole": Target("P21", "300 slides with pictures, all text", "ms", 100, None),
    **{
        f"{kind}-{library}": Target("P21", f"{what}, against {library.replace('_', '-')}", TIMES_FASTER)
        for kind, what, own in (
            ("document", "all of the document", "python_docx"),
            ("slides", "all text of the slides", "python_pptx"),
        )
        for library in (own, "office_oxide", "anydoc", "markitdown")
    },
    "places": Target("tools", "10 ranges in 6 cached files of 16 KiB, one call", "µs", 400, 200),
    "places-single": Target("tools", "the same, against 10 calls", TIMES_FASTER),
    **{f"middle-{kib}": _middle(size) for kib, size in {64: "64 KiB", 256: "256 KiB", 1024: "1 MiB"}.items()},
    "batch-ray": _batch("Ray Data", "read_text", 1.5, 5.0),
    "batch-ray-binary": _batch("Ray Data", "read_binary_files and decode"),
    "batch-daft": _batch("Daft", "read_text", 1.5, 5.0),
    "batch-daft-binary": _batch("Daft", "download and decode"),
    "tokens-unbroken": Target("tools", "200 kB of unbroken letters against a token budget, warm", "ms", 50),
    "tokens-first": Target("tools", "the same, first count of the process", "ms"),
}
