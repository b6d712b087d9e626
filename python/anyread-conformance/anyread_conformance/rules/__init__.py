"""The rules, one module per kind; importing this package fills `anyread_conformance.rule.RULES`."""

from . import budget, encoding, growth, hang, image, line, path, windows

__all__ = ["budget", "encoding", "growth", "hang", "image", "line", "path", "windows"]
