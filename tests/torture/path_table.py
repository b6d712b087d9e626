"""The paths of S2: named ones from published vulnerabilities, and generated ones."""

from __future__ import annotations

import os
import random
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from torture.path_tree import DIRECTORIES, LINKS, STRANGER, TWINS, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torture.path_judge import Outcome


class Case(NamedTuple):
    """A path to read."""

    setting: str
    path: bytes


class Named(NamedTuple):
    """A path from a published vulnerability, or a limit of the system, with its outcome."""

    setting: str
    path: str
    """Formatted with `root` and `base`."""
    expected: Outcome
    """For a file that is read, its path below `base`, without its content."""


OUTSIDE: Outcome = ("outside",)
DENIED: Outcome = ("denied",)
NO_DIRECTORY: Outcome = ("failed", "ENOTDIR")
LOOP: Outcome = ("failed", "ELOOP")

NAMED = [
    # A prefix of the root's name was taken for the root (CVE-2025-53110, CVE-2025-54794, CVE-2026-22860).
    *(Named("one", f"{{base}}/{twin}/file", OUTSIDE) for twin in TWINS),
    # A link to the outside, one to a missing file outside, and a chain (CVE-2025-53109).
    *(Named("one", path, OUTSIDE) for path in ("etc", "dangling_out", "out_chain", "a/by_out/file")),
    # The check removed a quote or a blank that the open kept (GHSA-53mr-w429-c597).
    *(Named("one", f"../root{end}/file", OUTSIDE) for end in "' \""),
    # A rule was compared with the path as given, which was a link (CVE-2025-59829, CVE-2026-25724).
    *(
        Named(setting, path, DENIED)
        for setting in ("rules", "no roots")
        for path in (
            *("public/file", "public_file", "public_key", "a/../public/file", "into/locked/file"),
            *("{root}/public_file", "a/b/locked/file", "into_abs/locked/file", "into/c/hidden"),
        )
    ),
    Named("rules", "PRIVATE/file", ("missing",)),
    # A hard link is a file of the root, as SECURITY.md says.
    Named("rules", "hard", ("read", "root/hard")),
    # The result names the file that was opened, whatever the link is called.
    Named("one", "to_chain", ("read", "root/file")),
    # `..` at the end of a path left the root (CVE-2025-22873).
    *(Named("one", path, OUTSIDE) for path in ("..", "../", "a/../..", "../.", "returns")),
    Named("one", ".", ("directory",)),
    # A trailing slash made the open follow a link (CVE-2026-39822, GHSA-vqjp-4c8c-hfgg).
    *(Named("one", f"out{end}", OUTSIDE) for end in ("/", "/.", "/file", "/./file", "/..")),
    *(Named("one", path, NO_DIRECTORY) for path in ("to_chain/", "to_chain/.", "d/file/", "to_fifo/")),
    Named("one", "file_slash", ("missing",)),
    # A device, and links of `/proc` that the kernel resolves without their text.
    *(Named("one", path, OUTSIDE) for path in ("zero", "proc/etc/passwd", "/proc/self/root{root}/file")),
    Named("no roots", "zero", ("not regular", "character device")),
    # Into another root, and roots with another name.
    Named("one", "second", OUTSIDE),
    Named("two", "second", ("read", "second/file")),
    Named("two", "second_directory/to_root_abs", ("read", "root/file")),
    Named("two", "second_directory/to_root", OUTSIDE),
    Named("nested", "{root}/a/../file", ("read", "root/file")),
    Named("alias", "{base}/alias/by_alias", ("read", "root/file")),
    Named("moved", "{base}/moved/root/file", ("read", "moved/now/file")),
    Named("moved", "{base}/moved/now/file", OUTSIDE),
    # Limits of the system, and names that are not text.
    *(Named("one", f"chains/{name}", ("read", "root/file")) for name in ("40", "a40")),
    *(Named("one", path, LOOP) for path in ("chains/41", "chains/a41", "self/")),
    *(Named("one", path, ("read", "root/file")) for path in ("long", "./" * 2_045 + "/file")),
    *(Named("one", path, ("bad path",)) for path in ("n" * 256, "./" * 2_045 + "//file", "file\0", "")),
    Named("one", "\udcff\udcfe/file", ("read", "root/\udcff\udcfe/file")),
]

STARTS = [
    *("", "", "", "", "./", "/", "../", ".././", "{root}/", "{root}", "//{root}/", "{base}/./root//"),
    *("{root}/../root/", "{base}/alias/", "{base}/second/", "{base}/moved/root/", "{base}/moved/now/"),
    *("/proc/self/root{root}/", "/proc/self/cwd/", "{root}'/", "{root} /", "{root}2/"),
]
ENDS = ["", "", "", "/", "//", "/.", "/./", "/..", "/../", "/file", "/../file"]
NAMES = [
    *(name for name in LINKS if not name.startswith("chains/")),
    *DIRECTORIES,
    *(
        "file",
        "..file",
        "key.pem",
        "hidden",
        "fifo",
        "hard",
        "new\nline",
        "back\\slash",
        "f\udcff",
        "\udcff\udcfe",
    ),
    *("a", "b", "c", "d", "t", "root", "second", "outside", "nowhere", "etc", "n" * 256, "a\0b"),
]


def generated(base: Path, count: int) -> list[Case]:
    """Return `count` different paths, always the same ones: short ones, random walks, and random names."""
    generator = random.Random(2)
    readers = settings(base)
    choices = [*readers.values(), readers["rules"], readers["rules"]]
    found: dict[Case, None] = {}
    while len(found) < count:
        setting = generator.choice(choices)
        match generator.randrange(3):
            case 0:
                path = generator.choice(STARTS) + generator.choice(NAMES) + generator.choice(ENDS)
            case 1:
                start = setting.directories[0] if setting.directories else base / "root"
                path = "/".join(walk(generator, start, base)) + generator.choice(("", "", "", *ENDS))
            case _:
                names = generator.choices(NAMES, k=generator.randint(1, 6))
                path = generator.choice(STARTS) + "/".join(names) + generator.choice(ENDS)
        found[case(base, setting.name, path)] = None
    return list(found)


def walk(generator: random.Random, start: Path, base: Path) -> Iterator[str]:
    """Yield names that lead from one existing file to the next, through links and `..`."""
    here = start
    for _ in range(generator.randint(1, 9)):
        names = listed(here, base)
        if not names:
            return
        name = generator.choice(names if generator.random() < 0.8 else ("..", ".", ""))
        yield name
        here = Path(os.path.realpath(here / name))
    if "file" in listed(here, base):
        yield "file"


@cache
def listed(directory: Path, base: Path) -> tuple[str, ...]:
    """Return the names in a directory of the tree; none for anything else."""
    if not (directory.is_dir() and directory.is_relative_to(base)):
        return ()
    return tuple(sorted({path.name for path in directory.iterdir()} - {STRANGER}))


def case(base: Path, setting: str, path: str) -> Case:
    """Return a case; without roots, links of `/proc` lead to a different place in each process."""
    if setting == "no roots" and any(word in path for word in ("proc", "cwd")):
        setting = "rules"
    # `format` would not accept names with braces, and there are none.
    return Case(setting, os.fsencode(path.format(root=base / "root", base=base)))
