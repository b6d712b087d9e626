//! Notebooks: valid JSON is read as by a JSON parser, positions lead back to the file, and nothing panics.

use anyread_core::gutter::Gutter;
use anyread_core::notebook::{
    Broken, Cell, CellOutput, Checks, Fault, JsonPosition, Notebook, Passage, Refused, ShownCell, Style,
    Text, TextPositions,
};
use anyread_core::scan::Never;
use serde_json::{Map, Value};

use super::run;
use crate::input::Input;

const NAMES: [&str; 28] = [
    "cells",
    "worksheets",
    "nbformat",
    "metadata",
    "cell_type",
    "source",
    "source",
    "input",
    "outputs",
    "outputs",
    "output_type",
    "data",
    "text",
    "traceback",
    "evalue",
    "ename",
    "image/png",
    "text/plain",
    "text/html",
    "application/json",
    "attachments",
    "execution_count",
    "prompt_number",
    "level",
    "name",
    "id",
    "so\\u0075rce",
    "x",
];

/// Pieces of JSON strings.
const PIECES: [&str; 24] = [
    "a",
    "one line\\n",
    "é",
    "\\u00e9",
    "😀",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\udc00",
    "\\u001b[31m",
    "\\r",
    "\\\"",
    "\\\\",
    "\\/",
    " ",
    "\\u0000",
    "\\n",
    "\\t",
    "NaN",
    ", Infinity]",
    "iVBORw0KGgo=",
    "code",
    "markdown",
    "stream",
    "\\uD83D\\u0041",
];

const ATOMS: [&str; 14] = [
    "null",
    "true",
    "0",
    "-1.5",
    "7",
    "1e3",
    "NaN",
    "-Infinity",
    "Infinity",
    "[]",
    "{}",
    "\"\"",
    "\"heading\"",
    "\"display_data\"",
];

#[derive(Debug)]
enum Token {
    List,
    Object,
    Close,
    Value(String),
}

#[derive(Debug)]
struct Node {
    /// The name of the field, if the value is in an object.
    name: &'static str,
    token: Token,
}

fn node(input: &mut Input<'_>) -> Node {
    let name = input.pick(&NAMES);
    let token = match input.within(0..6) {
        0 => Token::List,
        1 => Token::Object,
        2 => Token::Close,
        3 => Token::Value(input.pick(&ATOMS).to_owned()),
        4 => {
            let count = if input.flip() { 1 } else { input.within(1..200) };
            let pieces = input.list(0..6, |input| input.pick(&PIECES)).concat();
            Token::Value(format!("\"{}\"", pieces.repeat(count)))
        }
        _ => {
            let depth = input.within(1..200);
            Token::Value("[".repeat(depth) + &"]".repeat(depth))
        }
    };
    Node { name, token }
}

/// What surrounds the values.
const FRAMES: [(&str, &str); 6] = [
    ("{\"cells\": [", "], \"nbformat\": 4}"),
    ("{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"outputs\": [{", "}]}]}"),
    ("{\"cells\": [{", "}], \"metadata\": {\"kernelspec\": {\"language\": \"x\"}}}"),
    ("{\"worksheets\": [{\"cells\": [", "]}], \"nbformat\": 3}"),
    ("{", "}"),
    ("", ""),
];

#[derive(Debug)]
struct Case {
    json: Vec<u8>,
    max_line_chars: usize,
    max_bytes: usize,
}

fn case(input: &mut Input<'_>) -> Case {
    let max_line_chars = input.within(1..30);
    let sizes = [(0, 120), (120, 600), (120, 100_000)];
    let (least, most) = input.pick(&sizes);
    let max_bytes = input.within(least..most);
    Case { json: json(input), max_line_chars, max_bytes }
}

fn json(input: &mut Input<'_>) -> Vec<u8> {
    let (start, end) = input.pick(&FRAMES);
    let space = input.pick(&["", " ", "\n", "\r\n\t"]);
    let mut json = input.pick(&["", "", "", "\u{FEFF}"]).to_owned() + start;
    // For each open list or object: what closes it, and whether it has values.
    let mut open = vec![(if start.ends_with('{') { '}' } else { ']' }, false)];
    for Node { name, token } in input.list(0..40, node) {
        if matches!(token, Token::Close) {
            if open.len() > 1 {
                json.extend(open.pop().map(|(closing, _)| closing));
            }
            continue;
        }
        let (closing, has_values) = open.last_mut().unwrap();
        json += if std::mem::replace(has_values, true) { "," } else { "" };
        json += space;
        if *closing == '}' {
            json.extend(["\"", name, "\":", space]);
        }
        match token {
            Token::List => {
                json.push('[');
                open.push((']', false));
            }
            Token::Object => {
                json.push('{');
                open.push(('}', false));
            }
            Token::Close => {}
            Token::Value(value) => json += &value,
        }
    }
    json.extend(open[1..].iter().rev().map(|(closing, _)| closing));
    json += end;
    let mut bytes = json.into_bytes();
    if input.flip() && !bytes.is_empty() {
        let at = input.within(0..bytes.len());
        bytes[at] = input.byte();
    }
    if input.flip() {
        bytes.truncate(input.within(0..65_536));
    }
    bytes
}

/// The items of a list; null has none.
fn items_of<'a>(value: &'a Value, name: &'static str) -> Result<Vec<&'a Value>, Fault> {
    match value {
        Value::Array(items) => Ok(items.iter().collect()),
        Value::Null => Ok(Vec::new()),
        _ => Err(Fault::NotAList(name)),
    }
}

/// The cells that a parser finds, and whether they are in the old format; or the fault.
fn expected_cells(notebook: &Map<String, Value>) -> Result<(Vec<&Value>, bool), Fault> {
    match (notebook.get("cells"), notebook.get("worksheets")) {
        (Some(cells), _) => Ok((items_of(cells, "cells")?, false)),
        (None, Some(worksheets)) => {
            let mut cells = Vec::new();
            for worksheet in items_of(worksheets, "worksheets")? {
                if let Some(value) = worksheet.get("cells") {
                    cells.extend(items_of(value, "cells")?);
                }
            }
            Ok((cells, true))
        }
        (None, None) if notebook.get("nbformat").is_some_and(Value::is_number) => Ok((Vec::new(), false)),
        (None, None) => Err(Fault::NoCells),
    }
}

/// The text of a value; `None` if it is neither a string nor a list of strings.
fn expected_text(value: Option<&Value>, is_old: bool) -> Option<String> {
    let part = |value: &Value| match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    };
    match value {
        None => Some(String::new()),
        Some(Value::Array(parts)) => {
            let parts = parts.iter().map(part).collect::<Option<Vec<String>>>()?;
            let is_bare = is_old && parts.first().is_some_and(|first| !first.ends_with(['\n', '\r']));
            Some(parts.join(if is_bare { "\n" } else { "" }))
        }
        Some(value) => part(value),
    }
}

/// A name as it is kept: at most 256 bytes of it.
fn expected_name(value: Option<&Value>) -> Option<String> {
    let name = value?.as_str()?;
    let end = (0..=name.len().min(256)).rev().find(|end| name.is_char_boundary(*end))?;
    Some(name[..end].to_owned())
}

/// The value of either name; `None` if the object has both.
#[expect(clippy::option_option, reason = "both, neither, and one of them")]
fn one_of_two<'a>(object: &'a Map<String, Value>, names: [&str; 2]) -> Option<Option<&'a Value>> {
    match names.map(|name| object.get(name)) {
        // The last one counts, but the parser of the test does not keep the order.
        [Some(_), Some(_)] => None,
        [one, other] => Some(one.or(other)),
    }
}

fn never() -> Checks<'static> {
    Checks::new(&Never)
}

fn check_cell(cell: &Cell<'_>, expected: &Value, is_old: bool) {
    let empty = Map::new();
    let object = expected.as_object().unwrap_or(&empty);
    let kind = expected_name(object.get("cell_type")).unwrap_or_default();
    let is_heading = kind == "heading" || kind == "html";
    assert_eq!(cell.kind, if is_heading { "markdown" } else { &kind });
    assert_eq!(cell.id, expected_name(object.get("id")).filter(|id| !id.is_empty()));
    if let Some(Some(count)) =
        one_of_two(object, ["execution_count", "prompt_number"]).map(|it| it.and_then(Value::as_i64))
    {
        assert_eq!(cell.execution_count, Some(count));
    }
    let source = one_of_two(object, ["source", "input"]);
    if let Some(text) = source.and_then(|source| expected_text(source, is_old))
        && cell.heading_level.is_none()
    {
        assert_eq!(cell.source_text(&never()).unwrap(), text);
        if let (Some(source), false) = (cell.source, is_old) {
            check_positions(&source, &text);
        }
    }
    let outputs = object.get("outputs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let found = cell.all_outputs(&never()).unwrap();
    assert_eq!(found.len(), outputs.len());
    for (output, expected) in found.iter().zip(outputs) {
        check_output(output, expected.as_object().unwrap_or(&empty), is_old);
    }
}

fn check_output(output: &CellOutput<'_>, expected: &Map<String, Value>, is_old: bool) {
    assert_eq!(output.kind, expected_name(expected.get("output_type")).unwrap_or_default());
    assert_eq!(output.evalue.as_deref(), expected.get("evalue").and_then(Value::as_str));
    let is_text = |value: &Value| value.is_string();
    if let Some(lines) =
        expected.get("traceback").and_then(Value::as_array).filter(|it| it.iter().all(is_text))
    {
        let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
        let found = output.traceback_lines(&never()).collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(found, lines);
    }
    // Without data, other fields are taken for it.
    let data = expected.get("data").and_then(Value::as_object).filter(|data| !data.is_empty());
    if let (Some(data), false) = (data, is_old) {
        assert_eq!(output.data.all.len(), data.len());
        for (media_type, value) in data {
            let found = output.data.all.iter().find(|datum| datum.media_type == *media_type).unwrap();
            if let Some(text) = expected_text(Some(value), false).filter(|_| !found.is_json()) {
                assert_eq!(found.decoded(&never()).unwrap(), text);
            }
        }
    }
}

/// Each character of a text is where [`TextPositions`] says.
fn check_positions(source: &Text<'_>, text: &str) {
    let checks = never();
    let mut positions = TextPositions::new(*source, &checks);
    for (offset, character) in text.char_indices().take(60) {
        let raw = &source.value[positions.position_of(offset).unwrap()..];
        let length = [12, 6, 2].into_iter().find(|length| {
            let is_pair = *length == 12 && raw.get(6..8) == Some("\\u");
            let is_unit = *length == 6 && raw.starts_with("\\u");
            let is_escape = raw.starts_with('\\') && (*length == 2 || is_unit || is_pair);
            let escape = raw.get(..*length).filter(|_| is_escape).map(|escape| format!("\"{escape}\""));
            escape.is_some_and(|escape| {
                serde_json::from_str::<String>(&escape).is_ok_and(|text| text.chars().count() == 1)
            })
        });
        let found = match length {
            Some(length) => serde_json::from_str::<String>(&format!("\"{}\"", &raw[..length])).unwrap(),
            None => raw.chars().take(1).collect(),
        };
        assert_eq!(found, character.to_string(), "offset {offset} of {text:?}");
    }
}

/// Positions are inside the file.
fn check_place(text: &str, position: JsonPosition) {
    let line = text.split('\n').nth(position.line - 1).unwrap();
    assert!((1..=line.chars().count() + 1).contains(&position.column), "{position:?}");
}

fn source_of(notebook: &Notebook, index: usize) -> String {
    notebook.cell(index, &never()).unwrap().unwrap().source_text(&never()).unwrap()
}

fn check_shown(text: &str, notebook: &Notebook, cells: &[ShownCell]) {
    for (index, cell) in cells.iter().enumerate() {
        let source = source_of(notebook, index);
        let outputs = cell.outputs.iter().map(|output| &output.passage);
        for passage in std::iter::once(&cell.source).chain(outputs) {
            passage.hidden.iter().for_each(|position| check_place(text, *position));
        }
        assert_eq!(cell.source.plain, source);
        for image in cell.outputs.iter().filter_map(|output| output.image.as_ref()) {
            let _ = notebook.image(image.range, &never());
        }
    }
}

/// Whether the tolerance of notebooks explains that they are read although the parser of the test fails.
fn is_tolerated(text: &str, error: &serde_json::Error) -> bool {
    let message = error.to_string();
    let reasons = ["surrogate", "hex escape", "recursion limit", "out of range"];
    text.contains("NaN") || text.contains("Infinity") || reasons.iter().any(|reason| message.contains(reason))
}

fn check(case: &Case) {
    let bytes = &case.json;
    let outcome = Notebook::parse(bytes.as_slice(), &Never);
    let unmarked = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    let text = String::from_utf8_lossy(unmarked);
    if let Ok(notebook) = &outcome {
        let gutter = Gutter { separator: Some("|".to_owned()), ..Gutter::default() };
        let (max_line_chars, max_bytes) = (case.max_line_chars, case.max_bytes);
        let style = Style {
            gutter: &gutter,
            max_line_chars,
            max_source_bytes: max_bytes,
            max_output_bytes: max_bytes,
        };
        let show = |style| notebook.show(0, usize::MAX, &style, usize::MAX, &Never).unwrap();
        let shown = show(style);
        check_shown(&text, notebook, &shown);
        let whole = show(Style { max_source_bytes: usize::MAX, ..style });
        for (Passage { text, more_chars, .. }, whole) in
            shown.iter().map(|cell| &cell.source).zip(whole.iter().map(|cell| &cell.source))
        {
            assert!(whole.text.starts_with(text) && (*more_chars == 0 || text.len() >= max_bytes));
            assert_eq!(text.chars().count() + more_chars, whole.text.chars().count());
        }
    }
    if let Err(Refused::Broken(Broken { line, column, .. })) = &outcome {
        assert!(
            (1..=text.split('\n').count() + 1).contains(line) && *column <= text.len() + 1,
            "{outcome:?}"
        );
    }
    let expected = match serde_json::from_str::<Value>(&text) {
        Ok(Value::Object(notebook)) => notebook,
        Ok(_) => return assert!(outcome.is_err(), "not an object"),
        Err(error) => return assert!(outcome.is_err() || is_tolerated(&text, &error), "{error}"),
    };
    match (expected_cells(&expected), outcome) {
        (Ok((cells, is_old)), Ok(notebook)) => {
            assert_eq!(notebook.cell_count(), cells.len());
            for (index, expected) in cells.into_iter().enumerate() {
                check_cell(&notebook.cell(index, &never()).unwrap().unwrap(), expected, is_old);
            }
        }
        (Err(expected), Err(Refused::Broken(Broken { fault, .. }))) => assert_eq!(fault, expected),
        (expected, outcome) => panic!("{outcome:?} instead of {expected:?}"),
    }
}

#[test]
fn test_notebooks_match_json_parser() {
    run("notebook", 2_000, case, check);
}
