"""Tasks over Rust, Go, JavaScript, TypeScript, Java, C and C++: traces, errors of compilers, and hits."""

from __future__ import annotations

import re

from .code import MOST_FRAMES, USED, broken, compiled, hits
from .golds import Golds
from .making import Making


def rust(m: Making, golds: Golds) -> None:
    """Errors of rustc, and hits."""
    for name, _ in USED["crates"]:
        files = [m.name(path) for path in sorted((m.root / f"rust/{name}/src").rglob("*.rs"))]
        large = [path for path in files if len(m.lines(path)) > 60]
        broken(m, m.draw.sample(large, 4), r"[ \t]+let \w+ = .*;$", r"= .*;", "= misspelt_name;")
        out = m.run(
            "rustc",
            "--edition",
            "2021",
            "--crate-type",
            "lib",
            "--crate-name",
            "x",
            "--error-format",
            "short",
            "--emit",
            "metadata",
            "-o",
            "/dev/null",
            "src/lib.rs",
            cwd=f"rust/{name}",
        )
        said = [line for line in out.splitlines() if "misspelt_name" in line]
        compiled(m, "rustc-errors", said, r"^(\S+?\.rs):(\d+)", f"rust/{name}", golds.rust)
    hits(
        m,
        "rust-hits",
        "rust",
        "*.rs",
        (r"unsafe \{", r"\.unwrap\(\)", r"impl.*Display", r"debug_assert", r"for \w+ in ", r"match self"),
        golds.rust,
    )


def go(m: Making, golds: Golds) -> None:
    """Errors of the Go compiler, panics, and hits."""
    for k, place in enumerate(("scalar", "mapping", "sequence", "unmarshal", "document", "callUnmarshaler")):
        directory = f"go/panic{k}"
        source = next(tree for tree in m.header["trees"] if tree["to"] == "go/yaml")
        m.again(source, directory)
        path = f"{directory}/decode.go"
        line = next(
            (
                n
                for n, text in enumerate(m.lines(path), 1)
                if re.match(rf"func \(d \*decoder\) {place}\(", text)
            ),
            None,
        )
        if line is None:
            continue
        m.edit(path, [{"line": line + 1, "insert": ["\tif true {", '\t\tpanic("unexpected state")', "\t}"]}])
        program = USED["go program"][0]
        m.made(f"{directory}/cmd/main.go", "text", text=program)
        out = m.run("go", "run", "./cmd", cwd=directory, GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
        frames = re.findall(r"\t(/\S+\.go):(\d+)", out)
        places = list(dict.fromkeys((m.name(p), int(n)) for p, n in frames if p.startswith(str(m.root))))[:6]
        wants = [m.at(*each, span) for each, span in zip(places, golds.go(places), strict=True)]
        if wants:
            m.task("go-panic", out, wants)
    for name, _, _ in USED["go"]:
        files = [m.name(path) for path in sorted((m.root / f"go/{name}").glob("*.go"))]
        broken(m, m.draw.sample(files, 4), r"\t+\w+ := [^{`(]*[\w\])\"]$", r":= .*", ":= misspeltName")
        out = m.run(
            "go", "build", "-gcflags=-e", "./...", cwd=f"go/{name}", GOTOOLCHAIN="local", GOFLAGS="-mod=mod"
        )
        said = [line for line in out.splitlines() if "misspeltName" in line]
        compiled(m, "go-errors", said, r"^(\S+?\.go):(\d+)", f"go/{name}", golds.go)
    hits(
        m,
        "go-hits",
        "go",
        "*.go",
        (r"panic\(", r"fmt\.Errorf\(", r"switch ", r"\.Kind\(\)", r"append\(", r"strings\.Has"),
        golds.go,
    )


def node(m: Making, golds: Golds) -> None:
    """Stack traces of Node.js, errors of the TypeScript compiler, and hits."""
    for code in USED["node"]:
        out = m.run("node", "--stack-trace-limit=12", "-e", code, cwd="node")
        frames = re.findall(r"\(?(/[^\s():]+\.c?js):(\d+):(\d+)\)?", out)
        places = dict.fromkeys((m.name(p), int(n)) for p, n, _ in frames if p.startswith(str(m.root)))
        chosen = list(places)[:MOST_FRAMES]
        spans = golds.javascript(chosen) if chosen else []
        wants = [
            m.at(*place, span) for place, span in zip(chosen, spans, strict=True) if span[1] - span[0] < 400
        ]
        if wants:
            m.task("node-traces", out, wants)
    for name, number in (("rxjs", 6), ("zod", 4)):
        files = [m.name(path) for path in sorted((m.root / f"ts/{name}/src").rglob("*.ts"))]
        large = [path for path in files if 40 < len(m.lines(path)) < 4_000]
        for _ in range(number):
            changed = broken(
                m, m.draw.sample(large, 2), r"\s+(const|let) \w+ = [^`({]*;$", r"= .*;", "= misspeltName;"
            )
            if changed:
                tsc = str(golds.tools / "node_modules/typescript/lib/tsc.js")
                out = m.run(
                    "node",
                    tsc,
                    "--noEmit",
                    "--target",
                    "es2022",
                    "--moduleResolution",
                    "bundler",
                    "--module",
                    "esnext",
                    *changed,
                )
                said = [line for line in out.splitlines() if "misspeltName" in line]
                compiled(m, "tsc-errors", said, r"^(\S+?\.ts)\((\d+),", "ts", golds.javascript)
    hits(
        m,
        "js-hits",
        "node/node_modules/acorn",
        "*.js",
        (r"this\.raise", r"pp\S*\.parse\w+ = "),
        golds.javascript,
    )
    hits(
        m,
        "js-hits",
        "node/node_modules/graphql",
        "*.js",
        (r"throw new", r"for \(const", r"instanceof"),
        golds.javascript,
    )
    hits(m, "js-hits", "ts", "*.ts", (r"throw new", r"subscriber\.next", r"Object\.keys"), golds.javascript)


def java(m: Making, golds: Golds) -> None:
    """Stack traces of Java, errors of javac, and hits."""
    for k in range(6):
        names = ("Engine", "Store", "Wire")
        depth = 3 * m.draw.between(2, 4)
        for index, name in enumerate(names):
            m.made(
                f"java/app{k}/{name}.java",
                "java",
                package=f"app{k}",
                name=name,
                following=names[(index + 1) % 3],
                depth=depth,
                seed=f"{m.seed} java {k} {name}",
            )
        classes = f"/tmp/classes-{m.seed}-{k}"
        m.run("javac", "-d", classes, *(f"java/app{k}/{name}.java" for name in names))
        out = m.run("java", "-cp", classes, f"app{k}.Engine")
        places = list(
            dict.fromkeys(
                (f"java/app{k}/{name}.java", int(n)) for name, n in re.findall(r"\((\w+)\.java:(\d+)\)", out)
            )
        )[:6]
        wants = [m.at(*place, span) for place, span in zip(places, golds.java(places), strict=True)]
        if wants:
            m.task("java-traces", f"{out}sources in /w/java/app{k}", wants)
    for name, _, _ in USED["maven"]:
        files = [m.name(path) for path in sorted((m.root / f"java/{name}").rglob("*.java"))]
        large = [path for path in files if len(m.lines(path)) > 150]
        for _ in range(2):
            changed = broken(
                m, m.draw.sample(large, 3), r"\s+(final )?\w+ \w+ = [^{]*;$", r"= .*;", "= misspeltName;"
            )
            out = m.run(
                "javac", "-proc:none", "-d", f"/tmp/classes-{m.seed}", "-sourcepath", f"java/{name}", *changed
            )
            said = [
                line for line in out.splitlines() if re.search(r"\.java:\d+: error: cannot find symbol", line)
            ]
            said = [
                line
                for line in said
                if "misspeltName" in m.lines(line.partition(":")[0])[int(line.split(":")[1]) - 1]
            ]
            compiled(m, "javac-errors", said, r"^(\S+?\.java):(\d+)", f"java/{name}", golds.java)
    hits(
        m,
        "java-hits",
        "java/lang",
        "*.java",
        (r"throw new", r"@Override", r"StringBuilder", r"for \(final", r"synchronized", r"instanceof"),
        golds.java,
    )


def c(m: Making, golds: Golds) -> None:
    """Errors of gcc in C and C++, and hits."""
    for name, glob, line, flags in (
        ("c/zlib", "*.c", r"\s+\w+ = [^{(]*;$", []),
        (
            "cpp/leveldb",
            "*.cc",
            r"\s+(const )?[\w:]+ \w+ = [^{]*;$",
            ["-std=c++11", "-I.", "-Iinclude", "-DLEVELDB_PLATFORM_POSIX", "-DOS_LINUX"],
        ),
    ):
        family = "gcc-errors" if name.startswith("c/") else "gpp-errors"
        files = [m.name(path) for path in sorted((m.root / name).rglob(glob))]
        for path in m.draw.sample([each for each in files if len(m.lines(each)) > 120], 8):
            if not broken(m, [path], line, r"= .*;", "= misspelt_name;", 4):
                continue
            inside = path.removeprefix(f"{name}/")
            out = m.run("g++" if flags else "gcc", "-fsyntax-only", *flags, inside, cwd=name)
            said = [each for each in out.splitlines() if "misspelt_name" in each and "error" in each]
            compiled(m, family, said, r"^(\S+?\.cc?):(\d+)", name, golds.c)
        patterns = (
            (r"memcpy", r"return \w+;", r"while \(", r"switch")
            if family == "gcc-errors"
            else (r"assert\(", r"Slice\(", r"delete ", r"mutex_")
        )
        hits(m, "c-hits", name, glob, patterns, golds.c)
