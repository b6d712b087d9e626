//! JSON by its parts: the records of a file, and what an address leads to, each as a line or as text.
//!
//! Nothing is parsed as a whole and no tree is built. Values are passed over by their quotes and brackets
//! (`pass`); only what is shown is checked (`tokens`) and written as one line (`shown`).

mod elements;
mod form;
mod pass;
mod pointer;
mod search;
mod shown;
mod string;
mod tokens;

use crate::cache::FileState;
use crate::encoding::is_start;
use crate::error::Result;
use crate::lines::{Lines, Wanted};
use crate::stream::{Bytes, Stream};

use elements::Elements;
use pass::{pass_blanks, pass_value};

pub use elements::Container;
pub use form::Form;
pub(crate) use pass::{Found, ValueScan, end_of_string, ends_scalar};
pub use pointer::{Pointer, escaped};
pub use search::{RecordHit, RecordHits, ValueHit, Wanted as WantedRecords, search};
pub use shown::Shown;
pub(crate) use string::escape;
pub(crate) use tokens::{Fault, Step, Tokens, What};

/// The most names that an error has, among which the caller looks for a similar one; and the most bytes of one.
const NEAR: usize = 1_000;
const LONGEST_NEAR: usize = 200;

/// What an address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A list or an object.
    Container(Container),
    /// A string.
    String,
    /// A number or a literal.
    Scalar,
}

/// A value of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    /// What it is.
    pub value: Value,
    /// The offset of its first byte.
    pub begin: u64,
    /// Whether a field on the way occurs several times; the last one counts.
    pub is_duplicate: bool,
}

/// Why an address leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoValue {
    /// How many of its steps exist.
    pub steps: usize,
    /// What the last of these steps leads to.
    pub is: Value,
    /// The number of items, if it is a container.
    pub items: u64,
    /// The first names that it has, if it is an object; long ones are left out.
    pub names: Vec<String>,
}

/// Follows the steps of an address from the value that begins at `begin`.
///
/// # Errors
/// Those of reading.
pub fn follow(
    stream: &mut Stream<'_>,
    begin: u64,
    steps: &[String],
    state: Option<FileState>,
) -> Result<std::result::Result<Located, NoValue>> {
    stream.seek(begin);
    let mut located = value_at(stream)?;
    for (index, step) in steps.iter().enumerate() {
        let nowhere = |items, names| NoValue { steps: index, is: located.value, items, names };
        let found = match located.value {
            Value::Container(Container::List) => {
                let mut elements = Elements::new(stream, Container::List, located.begin, state);
                let is_plain = step == "0" || !step.starts_with('0');
                let number = step.parse().ok().filter(|_| is_plain && !step.starts_with('+'));
                match number.map(|number| elements.find(number)).transpose()?.flatten() {
                    Some(element) => Ok((element.value, false)),
                    None => Err(nowhere(elements.count()?, Vec::new())),
                }
            }
            Value::Container(_) => {
                field(stream, located.begin, step, state)?.map_err(|(items, names)| nowhere(items, names))
            }
            _ => Err(nowhere(0, Vec::new())),
        };
        let (value, is_duplicate) = match found {
            Ok(found) => found,
            Err(nowhere) => return Ok(Err(nowhere)),
        };
        stream.seek(value);
        let found = value_at(stream)?;
        located = Located { is_duplicate: located.is_duplicate || is_duplicate, ..found };
    }
    Ok(Ok(located))
}

/// Where a field begins, and whether there are several of its name; otherwise the number of fields, and the first
/// names.
type Field = std::result::Result<(u64, bool), (u64, Vec<String>)>;

/// Finds the last field with a name.
fn field(stream: &mut Stream<'_>, begin: u64, wanted: &str, state: Option<FileState>) -> Result<Field> {
    let mut elements = Elements::new(stream, Container::Object, begin, state);
    let (mut found, mut is_duplicate, mut names, mut count) = (None, false, Vec::new(), 0);
    while let Some(element) = elements.next()? {
        let name = elements.name(&element)?;
        if name.as_deref() == Some(wanted) {
            is_duplicate = found.is_some();
            found = Some(element.value);
        } else if names.len() < NEAR {
            names.extend(name.filter(|name| name.len() <= LONGEST_NEAR));
        }
        count += 1;
        elements.pass(&element)?;
    }
    Ok(found.map(|value| (value, is_duplicate)).ok_or((count, names)))
}

fn value_at(stream: &mut Stream<'_>) -> Result<Located> {
    let value = match stream.peek()? {
        Some(b'{') => Value::Container(Container::Object),
        Some(b'[') => Value::Container(Container::List),
        Some(b'"') => Value::String,
        _ => Value::Scalar,
    };
    Ok(Located { value, begin: stream.offset(), is_duplicate: false })
}

/// A record or an entry as a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number, counted from 1.
    pub number: u64,
    /// The name of a field.
    pub name: Option<String>,
    /// The value.
    pub shown: Shown,
    /// The character of the record at which it is not JSON, counted from 1.
    pub wrong_at: Option<u64>,
}

/// Rows, and how many there are, if that is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// The rows.
    pub rows: Vec<Row>,
    /// The number of all rows.
    pub total: Option<u64>,
    /// Whether there are no rows, but something that is not JSON.
    pub is_odd: bool,
    /// Whether there are no rows, and the container has no end.
    pub is_torn: bool,
}

/// How rows are shown.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The number of the first row, counted from 1.
    pub first: u64,
    /// The most rows.
    pub rows: u64,
    /// The most characters of a row.
    pub chars: u64,
    /// Roughly the most bytes of all rows; at least one is shown.
    pub bytes: usize,
    /// Whether nothing may follow the container.
    pub is_file: bool,
}

/// Shows elements of a container, or of a sequence of values.
///
/// # Errors
/// Those of reading.
pub fn rows(
    stream: &mut Stream<'_>,
    container: Container,
    begin: u64,
    shape: Shape,
    state: Option<FileState>,
) -> Result<Rows> {
    let is_of_file = shape.is_file || container == Container::Sequence;
    let has_comment = is_of_file && shape.first <= 1 && is_comment_before(stream, begin)?;
    let mut elements = Elements::new(stream, container, begin, state);
    let (mut rows, mut bytes) = (Vec::new(), 0);
    let mut next = if shape.first <= 1 { elements.next()? } else { elements.find(shape.first - 1)? };
    if next.is_none() && shape.first <= 1 {
        let (is_odd, is_torn) = end_of(&mut elements, container, shape)?;
        return Ok(Rows { rows, total: elements.total(), is_odd: is_odd | has_comment, is_torn });
    }
    while let Some(element) = next {
        let name = elements.name(&element)?;
        let is_odd = elements.is_odd() || (has_comment && element.index == 0);
        let mut shown = shown::show(elements.stream(), element.value, shape.chars)?;
        shown.is_odd |= is_odd;
        bytes += shown.text.len() + name.as_deref().map_or(0, str::len);
        let (end, wrong_at) = (shown.end, shown.wrong_at);
        let mut is_torn = shown.is_torn;
        let mut row = Row { number: element.index + 1, name, shown, wrong_at: None };
        if wrong_at.is_some() || is_torn {
            is_torn |= !elements.pass(&element)? && !elements.stream().ends_early();
            let until = elements.stream().offset();
            row = as_source(elements.stream(), row, element.value..until, wrong_at, shape.chars)?;
            row.shown.is_torn = is_torn;
            elements.stream().seek(until);
        } else {
            elements.stream().seek(end);
        }
        rows.push(row);
        next = elements.next()?;
        if next.is_none()
            && let Some(last) = rows.last_mut()
        {
            // If nothing closes the container, its last element may go on too.
            let (is_odd, is_torn) = end_of(&mut elements, container, shape)?;
            last.shown.is_odd |= is_odd;
            last.shown.is_torn |= is_torn;
        }
        if rows.len() as u64 >= shape.rows || bytes > shape.bytes || is_torn {
            break;
        }
    }
    Ok(Rows { rows, total: elements.total(), ..Rows::default() })
}

/// Whether something precedes the first value of a file.
fn is_comment_before(stream: &mut Stream<'_>, begin: u64) -> Result<bool> {
    stream.seek(0);
    if stream.ahead(3)?.starts_with(b"\xef\xbb\xbf") {
        stream.skip(3);
    }
    stream.skip_while(pass::is_blank)?;
    Ok(stream.offset() < begin)
}

/// Whether there is something odd at the end of a container, or behind it, and whether nothing closes it.
fn end_of(elements: &mut Elements<'_, '_>, container: Container, shape: Shape) -> Result<(bool, bool)> {
    let mut is_odd = elements.is_odd();
    let stream = elements.stream();
    let has_end = container == Container::Sequence || stream.peek()?.is_some();
    if has_end && shape.is_file {
        stream.skip(1);
        is_odd |= pass_blanks(stream)?.is_some();
    }
    Ok((is_odd, !has_end && !stream.ends_early()))
}

/// Shows the lines of JSON Lines, the first of which begins at `begin`; blank ones are left out.
///
/// # Errors
/// Those of reading.
pub fn line_rows(stream: &mut Stream<'_>, begin: u64, shape: Shape) -> Result<Rows> {
    let (mut found, mut bytes) = (Rows::default(), 0);
    let (mut number, end) = (shape.first, stream.end());
    stream.seek(begin);
    while found.rows.len() as u64 <= shape.rows {
        let begin = stream.offset();
        let has_end = stream.skip_to(b'\n')?;
        let until = stream.offset();
        if until == begin && !has_end {
            found.total = Some(number - 1);
            break;
        }
        if found.rows.len() as u64 == shape.rows || bytes > shape.bytes {
            break;
        }
        if let Some(row) = line_row(stream, begin..until, number, shape.chars)? {
            bytes += row.shown.text.len();
            found.rows.push(row);
        }
        stream.end_at(end);
        stream.seek(until);
        if stream.peek()? == Some(b'\n') {
            stream.skip(1);
        }
        number += 1;
    }
    Ok(found)
}

/// One line of JSON Lines; `None` if it is blank.
fn line_row(
    stream: &mut Stream<'_>,
    range: std::ops::Range<u64>,
    number: u64,
    most: u64,
) -> Result<Option<Row>> {
    stream.end_at(range.end);
    stream.seek(range.start);
    if stream.ahead(3)?.starts_with(b"\xef\xbb\xbf") && range.start == 0 {
        stream.skip(3);
    }
    if stream.skip_while(pass::is_blank)?.is_none() {
        return Ok(None);
    }
    let begin = stream.offset();
    let mut shown = shown::show(stream, begin, most)?;
    if shown.wrong_at.is_none() && !shown.is_torn {
        stream.seek(shown.end);
        let mut next = pass_blanks(stream)?;
        if next == Some(b',') {
            shown.is_odd = true;
            stream.skip(1);
            next = pass_blanks(stream)?;
        }
        if next.is_some() {
            shown.wrong_at = Some(stream.offset());
        }
    }
    let (wrong_at, is_torn) = (shown.wrong_at, shown.is_torn);
    let row = Row { number, name: None, shown, wrong_at: None };
    match wrong_at {
        Some(at) => as_source(stream, row, range, Some(at), most).map(Some),
        None if is_torn => as_source(stream, row, range, None, most).map(Some),
        None => Ok(Some(row)),
    }
}

/// Shows a value that is not JSON, or not complete, as it is in the file.
fn as_source(
    stream: &mut Stream<'_>,
    mut row: Row,
    range: std::ops::Range<u64>,
    wrong_at: Option<u64>,
    most: u64,
) -> Result<Row> {
    stream.seek(range.start);
    let (mut text, mut chars, mut before, mut is_full) = (Vec::new(), 0_u64, 0_u64, false);
    // Invalid UTF-8 may have more bytes.
    let most_bytes = most.saturating_mul(4);
    'all: loop {
        let offset = stream.offset();
        let chunk = stream.chunk()?;
        if chunk.is_empty() {
            break;
        }
        for (index, &byte) in chunk.iter().enumerate() {
            let at = offset + index as u64;
            if at >= range.end || (is_full && wrong_at.is_none_or(|wrong| at >= wrong)) {
                break 'all;
            }
            chars += u64::from(is_start(byte));
            before += u64::from(is_start(byte) && wrong_at.is_some_and(|wrong| at < wrong));
            is_full |= chars > most || text.len() as u64 >= most_bytes;
            if !is_full {
                text.push(if byte < b' ' { b' ' } else { byte });
            }
        }
        let all = chunk.len();
        stream.skip(all);
    }
    row.shown.is_lossy = std::str::from_utf8(&text).is_err();
    row.shown.text = String::from_utf8_lossy(&text).into_owned();
    row.shown.is_clipped = is_full;
    row.wrong_at = wrong_at.map(|_| before + 1);
    Ok(row)
}

/// The number of elements of a container, or of a sequence of values.
///
/// # Errors
/// Those of reading.
pub fn count(
    stream: &mut Stream<'_>,
    container: Container,
    begin: u64,
    state: Option<FileState>,
) -> Result<u64> {
    Elements::new(stream, container, begin, state).count()
}

/// Where the record with this number begins, counted from 1; otherwise how many there are.
///
/// # Errors
/// Those of reading.
pub fn find(
    stream: &mut Stream<'_>,
    container: Container,
    begin: u64,
    number: u64,
    state: Option<FileState>,
) -> Result<std::result::Result<u64, u64>> {
    let mut elements = Elements::new(stream, container, begin, state);
    match elements.find(number.saturating_sub(1))? {
        Some(element) => Ok(Ok(element.value)),
        None => Ok(Err(elements.count()?)),
    }
}

/// The value on the line that begins at `start`, and the rest of the line; `None` if it is blank.
///
/// # Errors
/// Those of reading.
pub fn line(stream: &mut Stream<'_>, start: u64) -> Result<Option<std::ops::Range<u64>>> {
    stream.seek(start);
    stream.skip_to(b'\n')?;
    let end = stream.offset();
    stream.end_at(end);
    stream.seek(start);
    if start == 0 && stream.ahead(3)?.starts_with(b"\xef\xbb\xbf") {
        stream.skip(3);
    }
    Ok(pass_blanks(stream)?.map(|_| stream.offset()..end))
}

/// Some lines of the string that begins at `begin`.
///
/// # Errors
/// Those of reading.
pub fn string_lines(stream: &mut Stream<'_>, begin: u64, wanted: Wanted) -> Result<Lines> {
    stream.seek(begin);
    string::lines(stream, wanted)
}

/// The value that begins at `begin`, as a row.
///
/// # Errors
/// Those of reading.
pub fn value(stream: &mut Stream<'_>, begin: u64, most: u64) -> Result<Row> {
    let shown = shown::show(stream, begin, most)?;
    let (wrong_at, is_torn) = (shown.wrong_at, shown.is_torn);
    let row = Row { number: 1, name: None, shown, wrong_at: None };
    if wrong_at.is_none() && !is_torn {
        return Ok(row);
    }
    stream.seek(begin);
    pass_value(stream)?;
    let end = stream.offset();
    as_source(stream, row, begin..end, wrong_at, most)
}
