//! Notebooks: parsing and showing files of every version, valid and damaged.

#![allow(clippy::unwrap_used, reason = "test helpers may panic")]

use std::cell::Cell as Counter;

use anyread_core::gutter::Gutter;
use anyread_core::lock::NoLockHeld;
use anyread_core::notebook::{
    Broken, Cell, Checks, Fault, ImageFault, Notebook, Refused, ShownCell, Style, is_image,
};
use anyread_core::scan::{Interrupt, Never};

fn never() -> Checks<'static> {
    Checks::new(&Never)
}

fn parsed(json: &str) -> Notebook {
    Notebook::parse(json.as_bytes(), &Never).unwrap()
}

fn broken(bytes: &[u8]) -> Broken {
    let broken = match Notebook::parse(bytes, &Never).unwrap_err() {
        Refused::Broken(broken) => Some(broken),
        Refused::OutOfMemory | Refused::Cancelled => None,
    };
    broken.unwrap()
}

fn cell(notebook: &Notebook, number: usize) -> Cell<'_> {
    notebook.cell(number - 1, &never()).unwrap().unwrap()
}

fn source(notebook: &Notebook, number: usize) -> String {
    cell(notebook, number).source_text(&never()).unwrap()
}

fn gutter() -> Gutter {
    Gutter { separator: Some("|".to_owned()), ..Gutter::default() }
}

fn shown_with(
    json: &str,
    max_line_chars: usize,
    max_source_bytes: usize,
    max_output_bytes: usize,
) -> ShownCell {
    let gutter = gutter();
    let style = Style { gutter: &gutter, max_line_chars, max_source_bytes, max_output_bytes };
    parsed(json).show(0, 1, &style, usize::MAX, &Never).unwrap().pop().unwrap()
}

fn shown(json: &str) -> ShownCell {
    shown_with(json, 2_000, 1 << 20, 20_480)
}

fn code_with(output: &str) -> String {
    format!(r#"{{"cells": [{{"cell_type": "code", "source": "", "outputs": [{output}]}}], "nbformat": 4}}"#)
}

#[test]
fn test_unexpected_values_are_accepted() {
    let notebook = parsed(
        r#"{"cells": [null, 5, "x", [], {}, {"cell_type": 3, "source": 12.5, "execution_count": "8", "outputs": null},
            {"source": ["a", 1, null, true, ["b"]], "execution_count": 2.0, "outputs": {"a": 1}, "attachments": []},
            {"source": "first", "source": "last"}, {"source": "\ud83d\ude00 \ud800 \u0041\n\\\""}], "nbformat": "4"}"#,
    );
    assert_eq!(notebook.nbformat, Some(4));
    assert_eq!(notebook.cell_count(), 9);
    assert_eq!((1..=5).map(|number| source(&notebook, number)).collect::<String>(), "");
    assert_eq!(source(&notebook, 6), "12.5");
    assert_eq!(cell(&notebook, 6).execution_count, Some(8));
    assert_eq!(source(&notebook, 7), "a1true[\"b\"]");
    assert_eq!(cell(&notebook, 7).execution_count, Some(2));
    assert_eq!(source(&notebook, 8), "last");
    assert_eq!(source(&notebook, 9), "😀 \u{fffd} A\n\\\"");
}

#[test]
fn test_invalid_notebook_error_has_position() {
    let refused = |bytes: &[u8]| broken(bytes);
    assert_eq!((refused(b"").line, refused(b"").column), (1, 1));
    let Broken { line, column, fault } = refused(b"{\"cells\": [\n {\"source\": }]}");
    assert_eq!((line, column, fault), (2, 13, Fault::Syntax("expected value".to_owned())));
    assert_eq!(refused(b"{\"a\": 1}").fault, Fault::NoCells);
    assert_eq!(refused(b"{\"cells\":\n 7}"), Broken { line: 2, column: 2, fault: Fault::NotAList("cells") });
    for (json, fact) in [
        (&b"[1, 2]"[..], "expected an object"),
        (b"{\"cells\": []} x", "trailing"),
        (b"{\"cells\": [nan]}", "expected"),
        (b"{\"cells\": []", "ends early"),
        (b"{\"cells\": [1,]}", "expected value"),
        (b"{\"cells\": [],}", "expected a name"),
        (b"{\"cells\": [] // x\n}", "expected `,`"),
        (b"{\"cells\":\x1e []}", "expected value"),
        (b"{\"cells\": [\"\\x\"]}", "escape"),
        (b"{\"cells\": [\"a\tb\"]}", "control"),
    ] {
        let fault = refused(json).fault;
        assert!(matches!(&fault, Fault::Syntax(message) if message.contains(fact)), "{fault:?}");
    }
}

#[test]
fn test_malformed_nan_and_infinity_are_refused() {
    let refused = |json: &str| broken(json.as_bytes());
    for value in ["-NaN", "NaN1", "1NaN", "+Infinity", "Infinit", "--Infinity", "NaN NaN", "nan"] {
        assert_eq!(refused(&format!("{{\"cells\": [\n{value}]}}")).line, 2, "{value}");
    }
    for json in
        ["{NaN: 1, \"cells\": []}", "{ NaN : 1, \"cells\": []}", "{\"cells\": [NaN}", "{\"cells\": [\"NaN"]
    {
        refused(json);
    }
    // Errors elsewhere have their position in the file, not in the copy.
    let Broken { line, column, .. } = refused("{\"a\": NaN,\n \"cells\": }");
    assert_eq!((line, column), (2, 11));
}

#[test]
fn test_bom_null_cells_and_invalid_utf8_are_accepted() {
    assert_eq!(parsed("\u{feff}{\"cells\": null}").cell_count(), 0);
    assert_eq!(parsed("{\"nbformat\": 4}").cell_count(), 0);
    let notebook = Notebook::parse(b"{\"cells\": [{\"source\": \"caf\xe9\"}]}", &Never).unwrap();
    assert!(notebook.lossy);
    assert_eq!(source(&notebook, 1), "caf\u{fffd}");
}

#[test]
fn test_long_strings_may_be_escaped_anywhere() {
    // They are scanned in parts of 64 KiB, which may end after a backslash.
    for before in 0..5 {
        let (before, count) = ("x".repeat(before), 20_000);
        let escaped = before.clone() + &r#"\"]\\"#.repeat(count);
        let notebook =
            parsed(&format!(r#"{{"cells": [{{"source": "{escaped}", "id": "a"}}, {{"id": "b"}}]}}"#));
        assert_eq!(source(&notebook, 1), before + &"\"]\\".repeat(count));
        assert_eq!(cell(&notebook, 1).id.as_deref(), Some("a"));
        assert_eq!(cell(&notebook, 2).id.as_deref(), Some("b"));
    }
}

#[test]
fn test_deep_nesting_does_not_overflow() {
    let deep = "[".repeat(99_990) + &"]".repeat(99_990);
    let json = format!(
        r#"{{"x": {deep}, "cells": [{{"y": {deep}, "source": {deep}, "outputs": [{deep}]}}, {deep}]}}"#
    );
    let notebook = parsed(&json);
    assert_eq!(notebook.cell_count(), 2);
    assert!(source(&notebook, 1).starts_with("[["));
    assert!(Notebook::parse("[".repeat(1 << 20).as_bytes(), &Never).is_err());
}

#[test]
fn test_sources_are_numbered_and_outputs_have_blank_gutter() {
    let cell = shown(
        r#"{"cells": [{"cell_type": "code", "source": "a\n\nb\n", "outputs": [
            {"output_type": "stream", "name": "stdout", "text": "\u001b[31mone\u001b[0m\n"},
            {"output_type": "stream", "name": "stdout", "text": ["10%\r", "20%"]},
            {"output_type": "stream", "name": "stderr", "text": "bad"}]}]}"#,
    );
    assert_eq!((cell.source.text.as_str(), cell.source.plain.as_str()), ("1|a\n2|\n3|b\n", "a\n\nb\n"));
    let texts: Vec<_> = cell.outputs.iter().map(|output| output.passage.text.as_str()).collect();
    assert_eq!(texts, ["|one\n|20%\n", "|bad\n"]);
}

#[test]
fn test_plain_text_is_preferred_to_markup() {
    let chosen = |data: &str| {
        let cell = shown(&code_with(&format!(r#"{{"output_type": "display_data", "data": {{{data}}}}}"#)));
        let output = &cell.outputs[0];
        let image = output.image.as_ref().map(|image| image.media_type.clone());
        let others: Vec<_> = output.others.iter().map(|(media_type, _)| media_type.clone()).collect();
        (output.media_type.clone().unwrap_or_default(), image.unwrap_or_default(), others.join(" "))
    };
    let answer =
        |text: &str, image: &str, others: &str| (text.to_owned(), image.to_owned(), others.to_owned());
    assert_eq!(chosen(r#""text/html": "<b>", "text/plain": "b""#), answer("text/plain", "", "text/html"));
    assert_eq!(chosen(r#""text/html": "<b>""#), answer("text/html", "", ""));
    assert_eq!(chosen(r#""text/html": "<div><SCRIPT>x""#), answer("", "", "text/html"));
    assert_eq!(chosen(r#""text/html": "<iframe srcdoc='&lt;script>'""#), answer("", "", "text/html"));
    assert_eq!(chosen(r#""text/html": "<style>a</style><table>""#), answer("text/html", "", ""));
    let named = r#""text/html": "<table>", "text/plain": "<pandas.io.formats.style.Styler at 0x7f>""#;
    assert_eq!(chosen(named), answer("text/html", "", ""));
    let named = r#""text/html": "<b>", "text/plain": "<IPython.core.display.HTML object>""#;
    assert_eq!(chosen(named), answer("text/html", "", ""));
    let named = r#""text/html": "<script>", "text/plain": "<Figure at 0x7f>""#;
    assert_eq!(chosen(named), answer("text/plain", "", "text/html"));
    assert_eq!(chosen(r#""image/jpeg": "", "image/png": """#), answer("", "image/png", "image/jpeg"));
    assert_eq!(chosen(r#""image/png": "", "text/html": "<b>""#), answer("", "image/png", "text/html"));
    assert_eq!(chosen(r#""image/svg+xml": "<svg/>""#), answer("image/svg+xml", "", ""));
    assert_eq!(chosen(r#""application/json": {"a": [1]}"#), answer("application/json", "", ""));
    assert!(is_image("image/tiff") && !is_image("image/svg+xml") && !is_image("text/plain"));
}

#[test]
fn test_error_shows_traceback_or_name() {
    let text = |fields: &str| {
        shown(&code_with(&format!(r#"{{"output_type": "error"{fields}}}"#))).outputs.remove(0).passage.text
    };
    assert_eq!(
        text(r#", "ename": "E", "evalue": "v", "traceback": ["\u001b[0;31mE\u001b[0m", "at 1"]"#),
        "|E\n|at 1\n|E: v\n"
    );
    assert_eq!(text(r#", "ename": "E", "evalue": "v", "traceback": []"#), "|E: v\n");
    assert_eq!(text(r#", "ename": "E""#), "|E\n");
    assert_eq!(text(""), "|error\n");
}

#[test]
fn test_clipped_line_marker_has_position_in_file() {
    let long = "é".repeat(300) + "\\n" + &"x".repeat(500);
    let json = format!("{{\"cells\": [{{\"source\": [\n\"first\\n\",\n\"{long}\"]}}]}}");
    let cell = shown_with(&json, 290, 1 << 20, 20_480);
    let lines: Vec<_> = cell.source.text.lines().collect();
    assert_eq!(
        lines[1],
        format!("2|{} … [20 more bytes: kind=\"text\", offset=3, column=292]", "é".repeat(290))
    );
    assert_eq!(
        lines[2],
        format!("3|{} … [210 more bytes: kind=\"text\", offset=3, column=594]", "x".repeat(290))
    );
    assert_eq!(cell.source.hidden.len(), 2);
    // The columns are those of the hidden characters.
    let line: Vec<char> = json.lines().nth(2).unwrap().chars().collect();
    assert_eq!(line[291..311].iter().collect::<String>(), "é".repeat(10) + "\\nxxxxxxxx");
    assert_eq!(line[593..].iter().collect::<String>(), "x".repeat(210) + "\"]}]}");
}

#[test]
fn test_long_source_ends_after_a_line_and_long_output_keeps_both_ends() {
    let lines = (1..=1_000).map(|number| format!("line {number}\\n")).collect::<Vec<_>>().concat();
    let json = format!(
        "{{\"cells\": [{{\"cell_type\": \"code\", \"source\": \"{lines}\", \"outputs\":\n [{{\"output_type\": \"stream\", \"text\": \"{lines}\"}}]}}]}}"
    );
    let cell = shown_with(&json, 2_000, 500, 600);
    assert!(cell.source.text.starts_with("1|line 1\n2|line 2\n"));
    let whole = shown_with(&json, 2_000, usize::MAX, 600).source;
    assert!((500..512).contains(&cell.source.text.len()) && whole.text.starts_with(&cell.source.text));
    assert_eq!(cell.source.text.len() + cell.source.more_chars, whole.text.len());
    assert_eq!((cell.source.plain, whole.more_chars), (whole.plain, 0));
    let output = &cell.outputs[0].passage;
    assert!(output.text.starts_with("|line 1\n") && output.text.ends_with("|line 1000\n"));
    assert!(output.text.len() <= 600 && output.text.len() > 400, "{}", output.text.len());
    assert!(output.text.contains("more bytes: kind=\"text\", offset=2"));
    assert_eq!((output.bytes, output.hidden.len()), (lines.len() - 1_000, 1));
}

#[test]
fn test_very_long_line_is_cut_in_plain_text_of_outputs() {
    let output =
        code_with(&format!("{{\"output_type\": \"stream\", \"text\": \"{}\"}}", "é".repeat(100_000)));
    let output = &shown_with(&output, 50, 0, 1_001).outputs[0].passage;
    assert_eq!((output.plain.as_str(), output.bytes), ("é".repeat(500).as_str(), 200_000));
    let many = "x".repeat(9_000) + "\\n" + &"short\\n".repeat(500);
    let many = format!("{{\"cells\": [{{\"source\": \"{many}\"}}]}}");
    let source = shown_with(&many, 50, 1_000, 0).source;
    assert_eq!((source.plain.len(), source.hidden.len()), (12_001, 1));
}

#[test]
fn test_outputs_share_byte_limit() {
    let stream = |name: &str, count: usize| {
        format!(r#"{{"output_type": "stream", "name": "{name}", "text": "{}"}}"#, "text\\n".repeat(count))
    };
    let outputs = [stream("a", 10_000), stream("b", 3), stream("c", 10_000)].join(",");
    let cell = shown_with(&code_with(&outputs), 2_000, 1 << 20, 2_000);
    let lengths: Vec<_> = cell.outputs.iter().map(|output| output.passage.text.len()).collect();
    assert_eq!(lengths[1], 18);
    assert!(lengths.iter().sum::<usize>() <= 2_000 && lengths[0] > 900 && lengths[2] > 900, "{lengths:?}");
}

#[test]
fn test_many_outputs_are_counted() {
    let outputs =
        (0..1_000).map(|number| format!(r#"{{"output_type": "stream", "name": "{number}", "text": "x"}}"#));
    let cell = shown(&code_with(&outputs.collect::<Vec<_>>().join(",\n")));
    assert_eq!((cell.outputs.len(), cell.more_outputs), (80, 920));
    assert_eq!(cell.more_at.unwrap().line, 80);
}

#[test]
fn test_many_attachments_and_media_types_are_counted() {
    let many: Vec<_> = (0..1_000).map(|number| format!("\"text/{number}\": \"x\"")).collect();
    let many = format!("{{{}, \"text/0\": \"last\"}}", many.join(","));
    let output =
        shown(&code_with(&format!(r#"{{"output_type": "display_data", "data": {many}}}"#))).outputs.remove(0);
    assert_eq!((output.others.len(), output.more_others, output.passage.plain.as_str()), (63, 936, "last"));
    let cell = shown(&format!(r#"{{"cells": [{{"attachments": {many}}}]}}"#));
    assert_eq!((cell.attachments.len(), cell.more_attachments), (64, 937));
    let long = shown(&format!(r#"{{"cells": [{{"id": "{}"}}]}}"#, "é".repeat(1_000)));
    assert_eq!(long.id.unwrap(), "é".repeat(128));
}

/// Counts the checks, and interrupts at the last one.
struct InterruptAt {
    last: usize,
    checks: Counter<usize>,
}

impl InterruptAt {
    fn check(last: usize) -> Self {
        Self { last, checks: Counter::new(0) }
    }
}

impl Interrupt for InterruptAt {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        self.checks.set(self.checks.get() + 1);
        self.checks.get() >= self.last
    }

    fn scanned(&self, _bytes: u64) {}
}

#[test]
fn test_interrupt_ends_parsing_and_showing() {
    let gutter = gutter();
    let style =
        Style { gutter: &gutter, max_line_chars: 9, max_source_bytes: 1 << 20, max_output_bytes: 1 << 20 };
    let introducers = format!("\"{}\"", "\\u001b]".repeat(100_000));
    let lines = format!("[{}]", "\"\\n\",".repeat(100_000) + "0");
    for output in [
        format!(r#""output_type": "stream", "text": {introducers}"#),
        format!(r#""output_type": "error", "traceback": {lines}"#),
        format!(r#""data": {{"text/html": "{}"}}"#, "<".repeat(700_000)),
        format!(r#""data": {{"application/json": {lines}}}"#),
        format!(r#""x": {lines}}}, {{"output_type": "stream", "text": {lines}"#),
    ] {
        let json = code_with(&format!("{{{output}}}"));
        let pieces = json.len() / (64 << 10);
        let notebook = parsed(&json);
        let parse = |interrupt: &InterruptAt| Notebook::parse(json.as_bytes(), interrupt).map(|_| ());
        let show = |interrupt: &InterruptAt| notebook.show(0, 1, &style, 1 << 20, interrupt).map(|_| ());
        let never = InterruptAt::check(usize::MAX);
        parse(&never).unwrap();
        show(&never).unwrap();
        let checks = never.checks.get();
        assert!(checks > pieces * 2, "{checks} checks of {pieces} pieces");
        for last in [1, checks / 2, checks] {
            let interrupt = InterruptAt::check(last);
            let outcome = parse(&interrupt).and_then(|()| show(&interrupt).map_err(Refused::from));
            assert_eq!((outcome, interrupt.checks.get()), (Err(Refused::Cancelled), last));
        }
    }
}

#[test]
fn test_hostile_output_takes_linear_time() {
    // With work that grows by the square, each of these would take minutes.
    let count = 200_000;
    let text = |text: &str| {
        let cell = shown(&code_with(&format!(r#"{{"output_type": "stream", "text": "{text}"}}"#)));
        cell.outputs.into_iter().next().unwrap().passage
    };
    assert_eq!(text(&"\\u001b]".repeat(count)).bytes, 0);
    assert_eq!(text(&format!("{}\\u0007", "\\u001b]".repeat(count))).bytes, 0);
    for erase in ["\\u001b[1K", "\\u001b[2K", "\\u001b[1K\\bx", "\\u001b[2K\\bx\\bxx"] {
        assert!(text(&("x".repeat(count) + &erase.repeat(count / 4))).bytes >= count);
    }
    let lines = "x\\u0041".repeat(2_000) + "\\n";
    let cell =
        shown_with(&format!(r#"{{"cells": [{{"source": "{}"}}]}}"#, lines.repeat(100)), 1, usize::MAX, 1);
    assert_eq!(cell.source.hidden.len(), 100);
}

#[test]
fn test_image_is_inspected_and_decoded() {
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAFElEQVR42mP8z8BQz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC";
    let (start, end) = png.split_at(60);
    let json = code_with(&format!(
        r#"{{"output_type": "display_data", "data": {{"image/png": ["{start}\n", "{end}\n"]}}}}"#
    ));
    let notebook = parsed(&json);
    let gutter = gutter();
    let style = Style { gutter: &gutter, max_line_chars: 10, max_source_bytes: 100, max_output_bytes: 100 };
    let cell = notebook.show(0, 1, &style, 0, &Never).unwrap().pop().unwrap();
    let image = cell.outputs[0].image.as_ref().unwrap();
    let bytes = notebook.image(image.range, &never()).unwrap().unwrap();
    assert_eq!((image.bytes, image.size), (bytes.len(), Some((2, 3))));
    assert!(bytes.starts_with(b"\x89PNG"));
}

#[test]
fn test_invalid_base64_returns_fault() {
    for (data, fault) in
        [("\"@@@@\"", ImageFault::BadBase64), ("\"\"", ImageFault::Empty), ("{}", ImageFault::BadBase64)]
    {
        let json =
            code_with(&format!(r#"{{"output_type": "display_data", "data": {{"image/png": {data}}}}}"#));
        let notebook = parsed(&json);
        let cell = shown(&json);
        assert_eq!(notebook.image(cell.outputs[0].image.as_ref().unwrap().range, &never()), Ok(Err(fault)));
    }
    assert!(parsed("{\"cells\": []}").image((5, 1_000), &never()).unwrap().is_err());
}
