"""Long help texts: the description and the examples of each command."""

from textwrap import fill

from anyread.arguments.places import MOST_PLACES
from anyread.kinds import ALL_FILES

DESCRIPTION = fill(
    f"Read {ALL_FILES} as a model should see them: any window of a file of 10 GB or more, with exact line"
    " numbers, and images as images.",
    88,
)

EXAMPLES = """\
  anyread server.log                               short for `anyread read server.log`
  anyread main.py:120                              this line, with the function around it
  anyread a.py:10-20,80 b.py:5 report.pdf:3-5      several places, in one or several files
  anyread report.xlsx:Orders!B2:F20                cells of a workbook
  anyread report.docx#Results plan.pptx:9          a section of a document, and a slide
  anyread trace.jsonl#17/output                    a value of a record
  anyread server.log --find ERROR                  only where this is, in any file or directory
  pytest | anyread places -                        every place that a text names
  git diff | anyread                               standard input, which - names too
  anyread server.log --tail 20                     the last 20 lines of a file of any size
  anyread --follow app.log                         the last 10 lines, then what is appended
  anyread read paper.pdf --pages 3-5               text of PDF pages; --save DIR writes their images
  anyread info notes.txt                           kind, encoding, lines, size
  anyread mcp --root ~/project                     for an editor or any other host of MCP
  anyread doctor                                   versions, and what this machine provides
"""

EXIT_STATUS = """\
  0    all files were read
  1    a file could not be read; standard error says why, with a hint
  2    the command line is invalid
  130  interrupted
  141  the program that reads the output has exited
"""

OUTPUT = """\
On a terminal, control characters, escape sequences and characters that change the
direction of text are shown as ^[ or \\x{202e}. In a pipe the output is exact.
It is always in UTF-8, whatever the locale.
"""

EPILOG = f"""\
examples:
{EXAMPLES}
`anyread COMMAND --help` describes a command, and `man anyread` all of them.
A file named like a command is read with a directory in its name: `anyread ./info`.

exit status:
{EXIT_STATUS}
{OUTPUT}"""

ENVIRONMENT = (
    ("NO_COLOR", "if it is not empty, nothing is colored, unless --color always is given"),
    ("FORCE_COLOR", "if it is neither empty nor 0, output is colored in pipes too; NO_COLOR has precedence"),
    ("TERM", "the type of the terminal: `dumb` shows no colors, and some types show images"),
    ("COLUMNS", "the width of the help"),
    ("ANYREAD_ROOT", "the directories of --root if there is none, separated as in PATH"),
    ("ANYREAD_MODEL", "the --model if there is none"),
    ("ANYREAD_MMAP", "0: scans of large files never map them"),
)
"""The environment variables that the command line uses, and what each does."""

_FILES = fill(f"Show a window of each file: {ALL_FILES}.", 88)
READ_DESCRIPTION = f"""\
{_FILES}
A last line says what is left out and how to continue. It follows the text on a
terminal, and is written to standard error otherwise.
The word `read` can be left out."""

PLACES_DESCRIPTION = f"""\
Show the places in files that a text names: a traceback, or the output of a compiler, a
test run or `grep -n`. At most {MOST_PLACES} are shown, each with the function around it, or with
ten lines before and after it."""

INFO_DESCRIPTION = """\
Describe each file: kind, media type, encoding, line ending, exact number of lines,
size and version. On a terminal, a progress bar is shown while a large file is counted."""

READ_EPILOG = """\
examples:
  anyread read server.log                          the first page, and how to continue
  anyread read server.log --offset 120000 --limit 50
  anyread read main.py --lines 10-20               or main.py:10-20
  anyread read main.py:120 --limit 5               five lines, with line 120 in the middle
  anyread read a.py:10-20,80 b.py:5 report.pdf:3-5
  anyread read a.py b.py --gutter none             two files, without line numbers
  git diff | anyread read -                        standard input
  anyread read main.py --color always | less -R    with colors, page by page
  anyread read notes.txt --json | jq .encoding
  anyread read photo.jpg --save seen               describe the image, and save what a model sees
  anyread read paper.pdf --pages 3-5 --save seen   text, and an image of each page
  anyread read report.xlsx --at Orders!B2:F20      cells of a workbook
  anyread read trace.jsonl --at 17/output          a value of a record
  anyread read photo.jpg --for anthropic           the blocks of a message
  anyread read main.py --tool forge --arguments '{"start_line": 10}'
"""

PLACES_EPILOG = """\
examples:
  pytest 2>&1 | anyread places -                   what the failures name
  rg -n TODO | anyread places - --list             only the places
"""

INFO_EPILOG = """\
examples:
  anyread info server.log
  anyread info server.log --json | jq .lines
"""

MCP_DESCRIPTION = """\
Serve a tool that reads files to hosts of the Model Context Protocol, over standard
input and output until the host closes them, or over HTTP on this machine.
It requires additional packages: pip install 'anyread[mcp]'. A root is required: --root, or
ANYREAD_ROOT in the environment."""

MCP_EPILOG = """\
examples:
  anyread mcp --root ~/project                     the command that a host runs
  anyread mcp --root src --root docs --deny secrets --deny '**/*.bak'
  anyread mcp --root . --tool claude-code --model anthropic
  anyread mcp --root . --http 127.0.0.1:8321       for several hosts, at /mcp
"""

COMPLETION_DESCRIPTION = """\
Print the script that completes commands, options, their values and paths in a shell."""

COMPLETION_EPILOG = """\
examples:
  eval "$(anyread completion bash)"                in ~/.bashrc
  eval "$(anyread completion zsh)"                 in ~/.zshrc, after compinit
  anyread completion fish | source                 in ~/.config/fish/config.fish
"""

DEMO_DESCRIPTION = """\
Write small example files of each kind to a directory. No existing file is changed."""

DOCTOR_DESCRIPTION = """\
Describe what a report of a problem should contain: the versions of anyread, Python, the
kernel and the packages that anyread uses, and what protects reads and decoders on this
machine. What is active is found out by using it; what is missing is no error."""

COMMANDS = {
    "read": (READ_DESCRIPTION, READ_EPILOG),
    "places": (PLACES_DESCRIPTION, PLACES_EPILOG),
    "info": (INFO_DESCRIPTION, INFO_EPILOG),
    "mcp": (MCP_DESCRIPTION, MCP_EPILOG),
    "doctor": (DOCTOR_DESCRIPTION, None),
    "completion": (COMPLETION_DESCRIPTION, COMPLETION_EPILOG),
    "demo": (DEMO_DESCRIPTION, None),
}
"""The description and the examples of each command."""
