"""A call opens its file once, so that everything it returns is about the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.system_calls import opens_for_reading

# Code that reads the file at `path`, by name.
ANSWERS = {
    "read_sync": "anyread.read_sync(path)",
    "read_sync of a window": "anyread.read_sync(path, offset=-500, limit=50)",
    "read_sync with a deadline": "anyread.Reader(limits=anyread.Limits(timeout_s=60)).read_sync(path)",
    "read": "asyncio.run(anyread.read(path))",
    "read of a window": "asyncio.run(anyread.read(path, offset=-500, limit=50))",
    "opened file": """
from anyread import Gutter, Limits, _native
settings = {"gutter": Gutter.TAB, "mmap": True, "token_factor": 1.0, "formats": [],
            "as_text": (), "extensions": (), "blocks": True, "decompress": False}
core = _native.Engine(roots=[], deny=[], limits=Limits(), **settings)
opened = core.open(path.encode(), repair=False, whole=65_536, may_wait=True)
window = opened.window(100, 50, _native.Layout(separator=":"), encoding="utf-8", may_wait=True)
facts = opened.sha256, opened.check_utf8, opened.find_nul
assert window.first_line == 100 and [fact(may_wait=True) for fact in facts][-1] == -1
assert opened.count_tokens("cl100k_base", may_wait=True) and opened.recheck()
""",
    "forge": "assert anyread.tool('forge').call_sync({'path': path})['content_hash']",
    "forge on a loop": "asyncio.run(anyread.tool('forge').call({'path': path, 'start_line': 10**6}))",
    "codelet": "assert 'text' in anyread.tool('codelet').call_sync({'file_path': path, 'offset': 3})",
    "pilotdeck": """
read = anyread.tool('pilotdeck', cwd=path.rpartition('/')[0])
answer = read.call_sync({'file_path': path, 'offset': 3, 'limit': 50})
assert answer['data']['endLine'] == 52 and len(read.session.records) == 1
""",
    "claude-code": """
read = anyread.tool('claude-code')
assert read.call_sync({'file_path': path, 'offset': 3, 'limit': 50})['file']['numLines'] == 50
assert read.call_sync({'file_path': path + '.gone'})['is_error']
""",
    "mycode": """
answer = anyread.tool("mycode", cwd="/").call_sync({"file_path": path, "offset": 3})
assert answer["lineCount"] > 500
""",
    "mycode on a loop": "asyncio.run(anyread.tool('mycode', cwd='/').call({'file_path': path, 'limit': 5}))",
    "llm-gateway": """
answer = anyread.tool("llm-gateway").call_sync({"filePath": path, "offset": -9, "limit": 10**9})
assert "   0 | a line of text" in answer["context"]
""",
    "llm-gateway on a loop": "asyncio.run(anyread.tool('llm-gateway').call({'filePath': path}))",
    "opencode": """
read = anyread.tool('opencode', cwd='/', settings={'instructions': False})
assert read.call_sync({'filePath': path, 'offset': 3, 'limit': 50})['metadata']['truncated']
""",
    "deepagents": """
read = anyread.tool('deepagents', cwd='/')
assert 'a line of text' in read.call_sync({'file_path': path, 'offset': 3})['content']
""",
    "gemini-cli": """
read = anyread.tool('gemini-cli', cwd=path.rpartition('/')[0])
assert 'a line of text' in read.call_sync({'file_path': path, 'start_line': 3})['llmContent']
""",
    "pi": "assert anyread.tool('pi', cwd='/').call_sync({'path': path, 'offset': 3})['content']",
    "text-editor": """
answer = anyread.tool('text-editor').call_sync({'command': 'view', 'path': path, 'view_range': [3, 9]})
assert 'a line of text' in str(answer)
""",
    "text-editor as SWE-agent": """
read = anyread.tool('swe-agent')
assert 'a line of text' in str(read.call_sync({'command': 'view', 'path': path, 'view_range': [3, 9]}))
""",
    "mcp-filesystem": """
read = anyread.tool('mcp-filesystem', cwd=path.rpartition('/')[0])
assert 'a line of text' in str(read.call_sync({'path': path, 'head': 5}))
""",
    "anthropic-toolset": """
read = anyread.tool('anthropic-toolset', cwd=path.rpartition('/')[0])
assert 'a line of text' in str(read.call_sync({'file_path': path, 'view_range': [3, 9]}))
""",
    "codelet on a loop": "asyncio.run(anyread.tool('codelet').call({'file_path': path, 'limit': 5}))",
}


@pytest.mark.slow
@pytest.mark.parametrize("size", [8 << 10, 3 << 20])
def test_each_call_opens_its_file_once(size: int, tmp_path: Path) -> None:
    paths = {name: tmp_path / f"lines of text, {name}.log" for name in ANSWERS}
    for path in paths.values():
        path.write_bytes(b"a line of text\n" * (size // 15))
    calls = opens_for_reading({paths[name]: code for name, code in ANSWERS.items()})
    assert {name: len(calls[path]) for name, path in paths.items()} == dict.fromkeys(ANSWERS, 1), calls
