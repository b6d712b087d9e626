"""A tree of files and links for S2, and the readers that read in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

STRANGER = "stranger"
"""A name in every directory that is outside of the roots; no error may contain it."""
DIRECTORIES = [
    *("a/b/c", "a/b/locked", "a/locked", "d", "private", "sp ace", "\u00e9", "...", "..x", "-"),
    "n" * 255,
]
FILES = [
    *(f"{name}/file" for name in ("a", "a/b", *DIRECTORIES)),
    *("file", "..file", "key.pem", "a/b/c/hidden", "new\nline", "back\\slash", "x" * 255, "f\udcff"),
    "\udcff\udcfe/file",
]
TWINS = ["root2", "root'", "root ", 'root"', "root-old", "root_backup", "root.bak", "rootile", "roo"]
"""Directories next to the root whose names are similar."""
OUTSIDERS = ["file", *(f"{name}/file" for name in ("outside", "outside/a", "outside/e", *TWINS))]
LINKS = {
    # Out of the root, relative and absolute, directly and through other links.
    "out": "../outside",
    "out_abs": "{base}/outside",
    "out_file": "../outside/file",
    "out_deep": "a/b/../../../outside/file",
    "out_through": "into/../../../outside/file",
    "out_chain": "out_chain2",
    "out_chain2": "out/file",
    "out_dots": "{root}/../outside/file",
    "twin": "{root}2/file",
    "etc": "/etc/passwd",
    "top": "/",
    "up": "..",
    "up2": "../..",
    "proc": "/proc/self/root",
    "cwd": "/proc/self/cwd",
    "zero": "/dev/zero",
    # Back into the root, by its name.
    "into_abs": "{root}/a/b",
    "into_double": "//{root}//a/./b",
    "root_abs": "{root}",
    "root_slash": "{root}/",
    "by_alias": "{base}/alias/file",
    "returns": "../root/file",
    "returns_abs": "{root}/../root/file",
    "inner_dots": "{root}/a/../file",
    # Into another root.
    "second": "{base}/second/file",
    "second_directory": "{base}/second",
    # Inside.
    "into": "a/b",
    "into_slash": "a/b/",
    "into_dot": "a/b/.",
    "here": ".",
    "zigzag": "a/../a/b/../../d",
    "empty": "a/..",
    "file_slash": "d/file/",
    "file_dot": "d/file/.",
    "file_up": "d/file/..",
    "long": "a/../" * 800 + "file",
    "public_key": "key.pem",
    "public": "private",
    "public_file": "private/file",
    "to_fifo": "fifo",
    # Loops and dangling links.
    "self": "self",
    "self_slash": "self_slash/",
    "ping": "pong",
    "pong": "ping",
    "dangling": "nowhere",
    "dangling_out": "../outside/nowhere",
    "dangling_deep": "nowhere/../file",
    **{f"chains/{left}": f"{left - 1}" if left > 1 else "../file" for left in range(1, 43)},
    **{f"chains/a{left}": f"{{root}}/chains/a{left - 1}" if left > 1 else "../file" for left in range(1, 43)},
    "to_chain": "chains/3",
    "a/up_out": "../../outside",
    "a/by_out": "../out",
    "a/b/up3": "../../../file",
    "a/b/c/back": "../../../../root/file",
}
"""Links in the root. `chains/40` and `chains/a40` pass through 40 links, as many as Linux follows."""
DENY = ("private/**", "*.pem", "**/c/hidden", "into/locked/**", "{root}/a/locked/**")
"""Rules for the readers that have some; `into` is a link."""


def build(base: Path) -> None:
    """Create the tree. The content of each file is its own path below `base`, in ASCII."""
    root = base / "root"
    inside = [f"root/{name}" for name in FILES]
    for name in [*inside, *OUTSIDERS, "second/file", "second/t/file", "moved/now/file", "moved/now/a/file"]:
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ascii(name))
    for name in (".", "outside", "outside/a", "outside/e", *TWINS):
        (base / name / STRANGER).touch()
    (root / "chains").mkdir()
    for link, target in LINKS.items():
        (root / link).symlink_to(target.format(root=root, base=base))
    (base / "alias").symlink_to("root")
    (base / "second/to_root").symlink_to("../root/file")
    (base / "second/to_root_abs").symlink_to(root / "file")
    (base / "moved/now/out").symlink_to("../../outside")
    (base / "moved/root").symlink_to("../outside")
    (base / "moved/now/itself").symlink_to(base / "moved/root/file")
    # A second name of a file outside, which nothing distinguishes from a file inside.
    os.link(base / "outside/file", root / "hard")
    os.mkfifo(root / "fifo")


@dataclass(frozen=True)
class Setting:
    """A reader's roots and rules."""

    name: str
    base: Path
    root_names: tuple[str, ...]
    """The roots as the reader gets them, below `base`."""
    has_rules: bool = False
    moved_to: str = ""
    """The name of the root while paths are read; another directory outside has its old name then."""

    @cached_property
    def roots(self) -> list[Path]:
        return [self.base / name for name in self.root_names]

    @cached_property
    def rules(self) -> list[str]:
        return [rule.format(root=self.base / "root") for rule in DENY] if self.has_rules else []

    @cached_property
    def directories(self) -> list[Path]:
        """The real path of each root while paths are read."""
        return [self.base / self.moved_to] if self.moved_to else [root.resolve() for root in self.roots]


def settings(base: Path) -> dict[str, Setting]:
    """Return the readers by name; all paths start from the directory `root`."""
    found = [
        Setting("one", base, ("root",)),
        Setting("two", base, ("root", "second")),
        Setting("nested", base, ("root/a", "root")),
        Setting("alias", base, ("alias",)),
        Setting("moved", base, ("moved/root",), moved_to="moved/now"),
        Setting("rules", base, ("root",), has_rules=True),
        Setting("no roots", base, (), has_rules=True),
    ]
    return {setting.name: setting for setting in found}
