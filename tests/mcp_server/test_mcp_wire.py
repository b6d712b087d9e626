"""The server over plain pipes and plain HTTP: how it ends, and how it answers unusual requests."""

from __future__ import annotations

import gc
import http.client
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import warnings
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import anyio
import pytest
import uvicorn
from mcp_types import INVALID_REQUEST, PARSE_ERROR

from anyread.cli import main
from anyread.mcp_server import connections
from anyread.mcp_server.http import _listening
from anyread.mcp_server.logs import log_in_printable_text
from anyread.mcp_server.sdk.call import MAX_SESSIONS
from anyread.mcp_server.tools import MAX_RESULT_CHARS, MAX_TOKENS
from anyread.models.model import PRESETS
from helpers import media
from helpers.command_line import run_bytes
from helpers.odd_values import VALUES, as_json
from mcp_server.serving import COMMAND, ENVIRONMENT, OTHER_SDK, Served, endless, listening

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

HELLO: list[dict[str, Any]] = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def call(number: int, **arguments: Any) -> dict[str, Any]:
    params = {"name": "read", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def lines(*messages: dict[str, Any] | bytes) -> bytes:
    return b"".join(
        (message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n"
        for message in messages
    )


def started(directory: Path, *options: str, **more: Any) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    command = [*COMMAND, "--root", str(directory), *options]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT, **more)


def all_answers(directory: Path, *messages: dict[str, Any] | bytes) -> list[dict[str, Any]]:
    """Send messages to a server in this process through pipes, close the input, and return the answers.

    With another version of the SDK the server is a process.
    """
    given = lines(*HELLO, *messages)
    if OTHER_SDK:
        with started(directory) as process:
            output, errors = process.communicate(given, timeout=60)
        status = process.returncode
    else:
        interrupt = signal.getsignal(signal.SIGINT)
        try:
            with warnings.catch_warnings():
                # The process of a server ends with it, so nothing closes its streams in memory.
                warnings.simplefilter("ignore", ResourceWarning)
                done = run_bytes("mcp", "--root", directory, input=given)
                gc.collect()
        finally:
            signal.signal(signal.SIGINT, interrupt)
        status, output, errors = done.returncode, done.stdout, done.stderr
    assert (status, errors) == (0, b"")
    return [json.loads(line) for line in output.splitlines()]


def answers(directory: Path, *messages: dict[str, Any] | bytes) -> dict[Any, Any]:
    """Send messages, close the input, and return the answers by their ids.

    Where a request has no valid id, the id of the error is null or missing, depending on the protocol.
    """
    found = all_answers(directory, *messages)
    assert len({answer.get("id") for answer in found}) == len(found)
    return {answer.get("id"): answer.get("result", answer.get("error")) for answer in found}


def text(answer: dict[str, Any]) -> str:
    shown: str = answer["content"][0]["text"]
    return shown


def test_calls_before_the_end_of_input_are_answered(tmp_path: Path) -> None:
    for number in range(64):
        (tmp_path / f"{number}.txt").write_text(f"file {number}\n" * 20_000)
    found = answers(tmp_path, *(call(number + 1, path=f"{number}.txt", limit=1) for number in range(64)))
    assert [text(found[number + 1]).splitlines()[0] for number in range(64)] == [
        f"1\tfile {number}" for number in range(64)
    ]


def test_invalid_messages_are_answered(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("latin")
    # Python represents that name with a lone surrogate, which the SDK rejects as invalid JSON.
    found = answers(
        tmp_path, call(1, path="caf\udce9.txt"), call(2, path="\ud800"), {"jsonrpc": "2.0", "id": 3}
    )
    assert text(found[1]) == "1\tlatin"
    assert "`\ufffd` does not exist" in text(found[2])
    assert found[3]["code"] == INVALID_REQUEST
    assert answers(tmp_path, b"{")[None]["code"] == PARSE_ERROR
    assert answers(tmp_path, b"[1]")[None]["code"] == INVALID_REQUEST
    # An invalid notification is dropped, as JSON-RPC requires.
    assert set(answers(tmp_path, {"jsonrpc": "2.0", "method": 5})) == {0}


def test_odd_arguments_are_answered(tmp_path: Path) -> None:
    """What is too deep or has too many digits for Python's JSON is answered with an error without an id."""
    (tmp_path / "a.txt").write_text("one\n")
    valid = {"places": {}, "path": {}, "offset": {"path": "a.txt"}, "region": {"path": "a.txt"}}
    odd = [{**others, name: value} for name, others in valid.items() for value in VALUES]
    calls = [as_json(call(number, **arguments)).encode() for number, arguments in enumerate(odd, 1)]
    found = all_answers(tmp_path, *calls)
    assert len(found) == 1 + len(odd)
    answered = {answer.get("id") for answer in found if "result" in answer}
    assert len(answered) > len(odd) // 2


def test_listed_tool_announces_its_maximum_result_length(tmp_path: Path) -> None:
    found = answers(tmp_path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    (tool,) = found[1]["tools"]
    assert 100_000 <= tool["_meta"]["anthropic/maxResultSizeChars"] <= MAX_RESULT_CHARS
    assert tool["annotations"]["readOnlyHint"]


def test_client_that_shows_no_images_is_recognized_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "hill.png").write_bytes(media.encoded(media.drawing(60, 40), "PNG"))
    info = {"name": "google-adk", "version": "1"}
    with started(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # The input stays open, because calls get only a few seconds after its end.
        hello = {**HELLO[0], "params": {**HELLO[0]["params"], "clientInfo": info}}
        process.stdin.write(lines(hello, HELLO[1], call(1, path="hill.png")))
        process.stdin.flush()
        answer = next(found for line in process.stdout if (found := json.loads(line)).get("id") == 1)
        process.communicate(timeout=60)
    assert [block["type"] for block in answer["result"]["content"]] == ["text"]


def test_closed_input_ends_an_endless_call(tmp_path: Path) -> None:
    endless(tmp_path / "endless.log")
    with started(tmp_path) as process:
        output, errors = process.communicate(
            lines(*HELLO, call(1, path="endless.log", offset=10**9)), timeout=60
        )
    assert (process.returncode, errors) == (0, b"")
    assert json.loads(output.splitlines()[-1])["error"]["message"] == "Connection closed"


def test_disconnected_client_ends_the_server(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n" * 2_000)
    with started(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(lines(*HELLO, *(call(number, path="a.txt") for number in range(1, 60))))
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


def test_interrupt_ends_the_server_at_once(tmp_path: Path) -> None:
    """The tests of HTTP end their servers with SIGTERM."""
    with started(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(lines(*HELLO))
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT
        assert process.stderr.read() == b""


# ------------------------------------------------------------------------------------------------------------
# HTTP


def posted(url: str, **headers: str) -> int:
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", address.path, json.dumps(HELLO[0]), {**accepted, **headers})
    status = connection.getresponse().status
    connection.close()
    return status


def test_requests_of_other_origins_are_refused(http_server: tuple[Served, str]) -> None:
    _, url = http_server
    port = urlsplit(url).port
    assert posted(url) == 200
    assert posted(url, Origin=f"http://127.0.0.1:{port}") == 200
    for origin in ("https://evil.example", "http://localhost:3000", f"https://127.0.0.1:{port}", "null"):
        assert posted(url, Origin=origin) == 403, origin
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1"):
        assert posted(url, Host=host) == 421, host
    # A browser sends this type without a preflight request.
    assert posted(url, **{"Content-Type": "text/plain"}) == 400


def test_refusals_are_logged_once_a_minute_and_do_not_control_the_terminal(served: Served) -> None:
    """A refused Host header was written to standard error unchanged, escape sequences included."""
    with listening(served) as url:
        host = "evil\x1b]0;title\x07\x9b31m.example"
        address = urlsplit(url)
        with socket.create_connection((address.hostname, address.port), timeout=60) as client:
            head = f"POST {address.path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            client.sendall(f"{head}Content-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode("latin-1"))
            status = b"".join(iter(lambda: client.recv(4_096), b"")).split()[1]
        assert status in {b"400", b"421"}
        for number in range(30):
            assert status_of(url, Origin=f"http://{number}.example")[0] == 403
    logged = served.logged
    assert len(logged.splitlines()) == 2
    assert "\\x9b31m.example" in logged
    assert all(each.isprintable() or each == "\n" for each in logged)


# ------------------------------------------------------------------------------------------------------------
# The command line


Refused: TypeAlias = "Callable[..., str]"


@pytest.fixture
def refused(capfd: pytest.CaptureFixture[str]) -> Refused:
    """Run an invalid command line, and return its error message."""

    def run(*arguments: str) -> str:
        try:
            status: Any = main(["mcp", *arguments])
        except SystemExit as ended:
            status = ended.code
        output, errors = capfd.readouterr()
        assert (status, output) == (2, "")
        return errors

    return run


def test_invalid_command_line_is_refused_in_one_line(tmp_path: Path, refused: Refused) -> None:
    root = ("--root", str(tmp_path))
    assert "the following arguments are required: --root" in refused()
    for address in ("8321", ":8321", "127.0.0.1:", "127.0.0.1:70000"):
        assert "must be a host and a port" in refused(*root, "--http", address)
    for arguments, expected in (
        ((*root, "--tool", "edit"), "unknown contract 'edit'; the contracts are 'anyread', "),
        ((*root, "--model", "hal"), "unknown model 'hal'; pass a preset: 'any' if "),
        (("--root", f"{tmp_path}/none"), f"`{tmp_path}/none`"),
        ((*root, "--http", "0.0.0.0:0"), "only on a loopback address"),
        ((*root, "--http", "example.org:80"), "only on a loopback address"),
    ):
        message = refused(*arguments)
        assert expected in message
        assert message.count("\n") == 1


def test_docs_and_help_list_all_options_and_names(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--help"]) == 0
    usage = capfd.readouterr().out
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
    options = set(re.findall(r"^  (--\w[\w-]*)", usage, re.MULTILINE))
    assert options == set(re.findall(r"^\| `(--[\w-]+)", page, re.MULTILINE))
    for text in (usage, page):
        assert f"default: {MAX_TOKENS:,}" in text
        for name in PRESETS:
            assert name in text


INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
)


def status_of(url: str, **headers: str) -> tuple[int, str | None]:
    """Send a first request, and return the status and the way to authenticate."""
    accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    try:
        connection.request("POST", "/mcp", INITIALIZE, accepted | headers)
        response = connection.getresponse()
        return response.status, response.getheader("WWW-Authenticate")
    finally:
        connection.close()


def test_requests_without_the_token_are_refused(served: Served, tmp_path: Path, refused: Refused) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret\n")
    file.chmod(0o600)
    with listening(served, "--token-file", str(file)) as url:
        assert status_of(url) == (401, "Bearer")
        for wrong in ("Bearer s3cre", "Bearer s3crets", "s3cret", "Basic s3cret"):
            assert status_of(url, Authorization=wrong) == (401, "Bearer")
        for right in ("Bearer s3cret", "bearer s3cret"):
            assert status_of(url, Authorization=right) == (200, None)
    for invalid in ("", "two words", "gr\xfc\xdfe"):
        file.write_text(invalid, "utf-8")
        message = refused("--root", str(tmp_path), "--http", "127.0.0.1:0", "--token-file", str(file))
        assert "the token " in message
        assert message.count("\n") == 1


def test_token_file_is_private_and_regular(tmp_path: Path, refused: Refused) -> None:
    file, fifo = tmp_path / "token", tmp_path / "fifo"
    os.mkfifo(fifo)
    options = ("--root", str(tmp_path), "--http", "127.0.0.1:0", "--token-file")
    assert "it is not a regular file" in refused(*options, str(fifo))
    file.write_text("two words")
    file.chmod(0o644)
    assert "every user of this machine can read the token" in refused(*options, str(file))


def test_session_that_was_used_longest_ago_is_ended_for_a_new_one(http_server: tuple[Served, str]) -> None:
    """500 sessions of any program on the machine kept everybody else out for 30 minutes."""

    def status(method: str, session: str | None, body: str | None = INITIALIZE) -> tuple[int, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        headers |= {} if session is None else {"Mcp-Session-Id": session}
        connection.request(method, "/mcp", body, headers)
        response = connection.getresponse()
        response.read()
        return response.status, response.getheader("Mcp-Session-Id") or ""

    ping = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"})
    _, url = http_server
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection:
        first, second, *others = [status("POST", None)[1] for _ in range(MAX_SESSIONS)]
        assert status("POST", first, ping)[0] == 200
        statuses = [status("POST", None)[0] for _ in range(2)]
        assert statuses == [200, 200]
        assert [status("POST", each, ping)[0] for each in (first, second, *others[:2])] == [
            200,
            404,
            404,
            200,
        ]
        # Ended by its client.
        assert status("DELETE", first, None)[0] == 200
        assert status("POST", first, ping)[0] == 404


def test_client_that_does_not_read_is_given_no_more_answers(tmp_path: Path) -> None:
    """Answers waited in memory, 800 MB of them."""
    (tmp_path / "large.txt").write_text("words of a line\n" * 200)
    calls = lines(*HELLO, *(call(number, path="large.txt") for number in range(1, 1_501)))
    with started(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdin.fileno(), False)
        sent = 0
        while select([], [process.stdin], [], 3)[1]:
            sent += os.write(process.stdin.fileno(), calls[sent : sent + 4096])
        # The server has stopped reading: what it did not read is in the pipe, which holds 64 KiB.
        assert sent < len(calls)
        writer = threading.Thread(target=lambda: _write_all(process, calls[sent:]))
        writer.start()
        found = {json.loads(line)["id"] for line in process.stdout}
        writer.join()
    assert found == set(range(1_501))


def _write_all(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    os.set_blocking(process.stdin.fileno(), True)
    process.stdin.write(data)
    process.stdin.close()


def test_clients_that_never_finish_a_request_lock_nobody_out(http_server: tuple[Served, str]) -> None:
    _, url = http_server
    with ExitStack() as slow:
        address = urlsplit(url)
        clients = [
            slow.enter_context(socket.create_connection((address.hostname or "", address.port or 0), 20))
            for _ in range(300)
        ]
        for client in clients:
            client.sendall(b"POST /mcp HTTP/1.1\r\nHost: x\r\n")
        assert status_of(url)[0] == 200
        with suppress(ConnectionResetError):
            assert clients[0].recv(1) == b""
        clients[-1].setblocking(False)
        with pytest.raises(BlockingIOError):
            clients[-1].recv(1)


def test_missing_extra_is_refused_with_the_command_to_install_it(tmp_path: Path) -> None:
    without = "import sys; sys.modules['mcp'] = None\nfrom anyread.cli import main\nsys.exit(main())"
    command = [sys.executable, "-c", without, "mcp", "--root", str(tmp_path)]
    completed = subprocess.run(command, capture_output=True, check=False, timeout=60, text=True)
    assert (completed.returncode, completed.stdout) == (2, "")
    assert "pip install 'anyread[mcp]'" in completed.stderr
    assert completed.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "logged"), [(anyio.ClosedResourceError(), ""), (ValueError("no id"), "no id")]
)
def test_cancellation_by_a_client_that_has_left_is_not_logged(
    error: Exception, logged: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Version 1 of the SDK called it invalid, because it could not be answered."""
    monkeypatch.setattr(logging.root, "handlers", [])
    log_in_printable_text()
    logger = logging.getLogger("sdk")

    def refuse() -> None:
        raise error

    try:
        refuse()
    except type(error):
        logger.warning("Failed to validate notification: %s. Message was: {}", error)
    logger.warning("another")
    before = f"Failed to validate notification: {logged}. Message was: {{}}\n" if logged else ""
    assert capsys.readouterr().err == f"{before}another\n"


def test_client_that_does_not_read_over_http_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer stayed in memory, and its connection open, without an end."""
    monkeypatch.setattr(connections, "UNREAD_S", 0.2)
    has_ended = threading.Event()

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(100):
            await send({"type": "http.response.body", "body": bytes(1 << 20), "more_body": True})
        has_ended.set()

    config = uvicorn.Config(app, http=connections.Connection, ws="none", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    with _listening("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with socket.create_connection(listener.getsockname(), timeout=60) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                assert has_ended.wait(60)
        finally:
            server.should_exit = True
            thread.join(20)
