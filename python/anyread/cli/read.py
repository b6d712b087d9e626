"""`anyread read`: show a window of each file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from anyread import Gutter, Limits, Reader
from anyread.arguments.gutter import GUTTERS
from anyread.arguments.request import checked
from anyread.errors import BadArgumentError, ReadError
from anyread.registry import ADAPTERS
from anyread.results import BasePage, Page, TextBlock

from .hints import READ_OPTIONS, hint
from .place import paths_and_places
from .showing import show
from .stdin import NAME as STDIN
from .stdin import StandardInput, is_pipe

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from anyread.adapters.content import Readables
    from anyread.arguments.request import ReadArguments
    from anyread.models.model import Model
    from anyread.results import Block

    from .contract import Call
    from .inline_images import InlineImages
    from .terminal import Terminal


_MAXIMA = ("max_tokens", "max_bytes")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Show each file; return 1 if one could not be read, 2 if the options cannot be combined."""
    try:
        model = _model(arguments, terminal)
    except ValueError as error:
        terminal.err(f"anyread: {error}")
        return 2
    reader = _reader(arguments, model)
    if arguments.tool is not None:
        from . import contract

        try:
            return _run_tool(arguments, terminal, contract.Call(arguments, reader, model))
        except contract.UsageError as error:
            terminal.err(f"anyread: {error}")
            return 2
    if arguments.arguments is not None:
        terminal.err("anyread: --arguments requires --tool NAME")
        return 2
    with StandardInput() as stdin:
        return _run_files(arguments, terminal, reader, stdin)


def _run_files(arguments: Namespace, terminal: Terminal, reader: Reader, stdin: StandardInput) -> int:
    status = shown = 0
    answers: list[Page | ReadError] = []
    protocol = _protocol(arguments, terminal)
    files = paths_and_places(arguments.files, _window_of(arguments), arguments.root)
    # Who passes a text does not know which files it names.
    has_headings = len(files) > 1 or arguments.command == "places"
    for file, given in files:
        following: ReadArguments | None = given
        while following is not None:
            try:
                page = _page(file, following, reader, stdin)
            except ReadError as error:
                status = max(status, _status(error, given, arguments.command))
                _report(error, given, arguments, terminal)
                if arguments.target is not None:
                    answers.append(error)
                break
            chosen, following = following, _following(page, arguments)
            if arguments.save is not None:
                name = "stdin" if page.path == STDIN else page.path
                status = max(status, _save(page, name, arguments.save, terminal))
            # A message contains all files, so it is printed at the end.
            if arguments.target is not None:
                answers.append(page)
            else:
                if arguments.json:
                    terminal.out_json(page_object(page))
                else:
                    if has_headings and chosen is given:
                        terminal.out_heading(page.path, is_first=not shown)
                    images = _images((file, chosen), page, arguments, stdin, protocol)
                    try:
                        show(page, terminal, reader.gutter, images, is_last=following is None)
                        _report_unshown(page, terminal, arguments, protocol)
                    except ReadError as error:
                        # Images may be read a second time, in a format that the terminal accepts.
                        status = max(status, 1)
                        terminal.report(error, given)
                terminal.flush()
            shown += 1
    if arguments.target is not None:
        _out_content(arguments, terminal, answers, reader.model)
    return status or int(not shown)


def _report(error: ReadError, given: ReadArguments, arguments: Namespace, terminal: Terminal) -> None:
    if arguments.json and arguments.target is None:
        terminal.out_json(error_object(error, given))
        terminal.flush()
    terminal.report(error, given)


def _following(page: Page, arguments: Namespace) -> ReadArguments | None:
    """Return the next call that `--all` makes."""
    return page.next.arguments if arguments.all and page.next is not None else None


def _images(
    chosen: tuple[str, ReadArguments],
    page: Page,
    arguments: Namespace,
    stdin: StandardInput,
    protocol: str | None,
) -> InlineImages | None:
    if protocol is None or page.kind == "text":
        return None
    from .inline_images import InlineImages

    return InlineImages(protocol, lambda model: _page(*chosen, _reader(arguments, model), stdin))


def _report_unshown(page: Page, terminal: Terminal, arguments: Namespace, protocol: str | None) -> None:
    """Say that the terminal shows no images, unless the options say where they go."""
    is_wanted = arguments.images != "never" and arguments.save is None
    has_images = not all(isinstance(block, TextBlock) for block in page.blocks)
    if protocol is None and terminal.is_terminal and is_wanted and has_images:
        terminal.notice("images", "this terminal shows no images; --save DIR writes them to files")


def _page(file: str, given: ReadArguments, reader: Reader, stdin: StandardInput) -> Page:
    if is_pipe(file):
        directory, file, limits = stdin.directory(file), STDIN, reader.limits
        reader = Reader(
            roots=[directory],
            limits=limits,
            gutter=reader.gutter,
            model=reader.model,
            decompress=reader.decompress,
        )
    return reader.read_sync(file, **given)


def _status(error: ReadError, given: ReadArguments, command: str) -> int:
    """Return the exit code for an error: 2 if the arguments would be refused for every file."""
    if command == "places":
        # What a text names may not exist.
        return 0
    if not isinstance(error, BadArgumentError) or error.argument == "encoding":
        return 2 if isinstance(error, BadArgumentError) else 1
    try:
        checked(error.path, **given)
    except BadArgumentError:
        return 2
    return 1


def _run_tool(arguments: Namespace, terminal: Terminal, call: Call) -> int:
    """Show what another agent's tool answers; return 1 if that is a failure."""
    from .contract import shortened

    status, blocks = 0, []
    for number, file in enumerate(arguments.files):
        output = call.output(file)
        status = max(status, int(call.tool.failed(output)))
        if arguments.save is not None:
            status = max(status, _save(call.tool.blocks(output), file, arguments.save, terminal))
        if arguments.target is not None:
            blocks += call.tool.blocks(output)
            continue
        if len(arguments.files) > 1 and not arguments.json:
            terminal.out_heading(file, is_first=not number)
        if isinstance(output, str) and not arguments.json:
            terminal.out(f"{output}\n")
        else:
            shown = shortened(output) if terminal.is_terminal else output
            terminal.out_json(shown, indent=_indent(arguments))
        terminal.flush()
    if arguments.target is not None:
        _out_content(arguments, terminal, blocks, call.model)
    return status


def _out_content(arguments: Namespace, terminal: Terminal, source: Readables, model: Model) -> None:
    """Print the content of a message to the selected API."""
    adapter = import_module(f"anyread.adapters.{arguments.target.replace('-', '_')}")
    # The SDK takes raw bytes, which JSON cannot represent, so they are encoded as for HTTP.
    options = {"base64": True} if arguments.target == "bedrock" else {}
    terminal.out_json(adapter.content(source, model=model, **options), indent=_indent(arguments))


def _indent(arguments: Namespace) -> int | None:
    return None if arguments.json else 2


def _model(arguments: Namespace, terminal: Terminal) -> Model | None:
    """Return the selected model, or the default one of the target."""
    name = arguments.model or ADAPTERS.get(arguments.target)
    if name is None:
        return None
    from anyread.models.model import Model

    with terminal.showing_warnings():
        return Model.named(name)


def _protocol(arguments: Namespace, terminal: Terminal) -> str | None:
    """Return how the terminal shows images; `None` if it does not, or if the output is not for people."""
    if not terminal.is_terminal or arguments.images == "never":
        return None
    if arguments.images != "auto":
        return str(arguments.images)
    from .inline_images import supported

    return supported()


def _reader(arguments: Namespace, model: Model | None) -> Reader:
    # The options may also raise the limits, unlike the arguments of a read.
    given = {name: getattr(arguments, name) for name in _MAXIMA if getattr(arguments, name) is not None}
    limits = Limits(exact_total=bool(arguments.exact_total), **given)
    gutter = selected_gutter(arguments)
    return Reader(
        roots=arguments.root,
        deny=arguments.deny,
        limits=limits,
        gutter=gutter,
        model=model,
        directories="list",
        decompress=arguments.decompress,
    )


def selected_gutter(arguments: Namespace) -> Gutter:
    """Return the selected format of line numbers."""
    return GUTTERS[arguments.gutter or "tab"]


def _window_of(arguments: Namespace) -> ReadArguments:
    names = [name for name in READ_OPTIONS if name not in _MAXIMA]
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    return cast("ReadArguments", given)


def _save(source: Page | Sequence[Block], name: str, directory: str, terminal: Terminal) -> int:
    """Save the images and documents that a model would see; return 1 if that failed."""
    from .media import image_names, save

    blocks, names = (source.blocks, image_names(source)) if isinstance(source, BasePage) else (source, {})
    try:
        for path in save(blocks, name, directory, names):
            if not terminal.is_quiet:
                terminal.err(f"saved {path}")
    except OSError as error:
        terminal.err(f"anyread: cannot save in `{directory}`: {error.strerror or error}")
        return 1
    return 0


def page_object(page: Page) -> dict[str, Any]:
    """Return all fields of a page as JSON values, without the bytes of images and documents."""
    shown = page.to_dict()
    if page.path == STDIN:
        # The copy that was read no longer exists when this is printed.
        shown["resolved_path"] = STDIN
    return shown


def error_object(error: ReadError, given: ReadArguments | None = None) -> dict[str, Any]:
    """Return the error of a read as JSON values, under a key that pages do not have."""
    shown = error.to_dict()
    shown["error"]["hint"] = hint(error, given)
    return shown
