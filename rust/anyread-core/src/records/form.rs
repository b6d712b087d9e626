//! How the records of a file follow one another, as its first lines say.

use std::ops::Range;

use super::elements::{self, Container};
use super::pass::{is_blank, pass_blanks, pass_value};
use super::tokens::{Fault, Step, Tokens};
use crate::cache::FileState;
use crate::error::Result;
use crate::stream::{Bytes, Stream};

/// How many lines are looked at, and how many bytes of them.
const LINES: usize = 20;
const LOOK: u64 = 1 << 20;
/// How long a first line may be that is looked at, or a list of which it matters what follows it, in bytes.
const LONGEST: u64 = 16 << 20;
/// How much of the end of a file is looked at.
const TAIL: u64 = 64 << 10;

/// How the records of a file follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One value on each line.
    Lines,
    /// The items of a list, which is the whole file.
    List,
    /// Values one after another, perhaps only one.
    Sequence,
}

/// What is on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// A value.
    Value,
    /// A list or an object.
    Container,
    /// A part of a value, or several.
    Part,
    /// What is not JSON.
    Other,
}

impl Form {
    /// Finds out how a file is made; also returns the offset of its first value.
    ///
    /// If each of the first lines is a value, they are the records. Otherwise values may go on over lines. If they
    /// are not JSON that way either, the records are lines again, unless most lines are parts of values.
    ///
    /// `is_named_lines` is whether its name says that it has one value on each line.
    ///
    /// # Errors
    /// Those of reading.
    pub fn of(
        stream: &mut Stream<'_>,
        is_named_lines: bool,
        state: Option<FileState>,
    ) -> Result<(Self, u64)> {
        let first = beginning(stream)?;
        let Some(opener) = stream.peek()? else { return Ok((Self::Sequence, first)) };
        if is_named_lines {
            return Ok((Self::Lines, first));
        }
        let is_list = opener == b'[';
        let end = stream.end();
        let is_long = |state| elements::is_known_after(first + LOOK, &state, Container::List, first);
        if is_list && state.is_some_and(is_long) {
            return Ok((Self::List, first));
        }
        let (lines, until, is_torn) = lines(stream, first)?;
        let are_all = lines.iter().all(|line| matches!(line, Line::Value | Line::Container));
        stream.end_at(until);
        let is_json = are_all || are_values(stream, first)?;
        stream.end_at(end);
        let is_one = lines.len() == 1 && !is_torn && (is_json || matches!(opener, b'[' | b'{'));
        let form = if !is_one && are_records(&lines, is_json) {
            Self::Lines
        } else if is_list && ((is_one && are_all) || is_only_value(stream, first)?) {
            Self::List
        } else {
            Self::Sequence
        };
        Ok((form, first))
    }
}

/// Whether lines are the records of a file, and not the values that begin on them.
fn are_records(lines: &[Line], is_json: bool) -> bool {
    let count = |wanted: &[Line]| lines.iter().filter(|line| wanted.contains(line)).count();
    let parts = count(&[Line::Part]);
    if is_json {
        return parts == 0 && !lines.is_empty();
    }
    count(&[Line::Container, Line::Other]) >= parts
}

/// Passes what precedes the first value; returns where that begins.
fn beginning(stream: &mut Stream<'_>) -> Result<u64> {
    stream.seek(0);
    if stream.ahead(3)?.starts_with(b"\xef\xbb\xbf") {
        stream.skip(3);
    }
    pass_blanks(stream)?;
    Ok(stream.offset())
}

/// What is on the first lines that are not blank, where they end, and whether one follows them that is too long, or at
/// the end of the file a part of a value, which may still be written.
fn lines(stream: &mut Stream<'_>, first: u64) -> Result<(Vec<Line>, u64, bool)> {
    let (end, mut lines, mut begin, mut look) = (stream.end(), Vec::new(), first, LONGEST);
    let mut is_torn = false;
    while lines.len() < LINES && begin < end {
        stream.end_at(end.min(begin.saturating_add(look)));
        stream.seek(begin);
        let has_end = stream.skip_to(b'\n')?;
        let until = stream.offset();
        if !has_end && until < end {
            is_torn = !lines.is_empty();
            break;
        }
        // A file that is one long line has nothing to compare it with.
        let is_all = lines.is_empty() && until - begin > LOOK && until + 1 >= end;
        let found = if is_all { Some(Line::Container) } else { line(stream, begin..until)? };
        is_torn = !has_end && found == Some(Line::Part) && !lines.is_empty() && !lines.contains(&Line::Part);
        lines.extend(found.filter(|_| !is_torn));
        look = if lines.len() == 1 { LOOK } else { look.saturating_sub(until - begin) };
        begin = until + u64::from(has_end);
    }
    stream.end_at(end);
    Ok((lines, begin, is_torn))
}

/// What is on a line; `None` if it is blank.
fn line(stream: &mut Stream<'_>, range: Range<u64>) -> Result<Option<Line>> {
    stream.end_at(range.end);
    stream.seek(range.start);
    let Some(first) = stream.skip_while(is_blank)? else { return Ok(None) };
    let begin = stream.offset();
    let is_container = matches!(first, b'[' | b'{');
    let fault = if is_container && range.end - begin > LOOK {
        // Only its brackets are looked at, which is ten times as fast.
        (!pass_value(stream)?).then_some(Fault::Torn)
    } else {
        passed(stream)?
    };
    Ok(Some(match fault {
        None => match stream.skip_while(is_blank)? {
            None if is_container => Line::Container,
            None => Line::Value,
            Some(next) if !is_container && next.is_ascii_alphabetic() => Line::Other,
            Some(_) => Line::Part,
        },
        Some(Fault::Wrong(at)) if at > begin || !matches!(first, b']' | b'}' | b',' | b':') => Line::Other,
        Some(_) => Line::Part,
    }))
}

/// Passes a value; returns what is wrong with it.
fn passed(stream: &mut Stream<'_>) -> Result<Option<Fault>> {
    let mut tokens = Tokens::new(stream);
    loop {
        match tokens.next(0)? {
            Step::Token(_) => {}
            Step::End => return Ok(None),
            Step::Fault(fault) => return Ok(Some(fault)),
        }
    }
}

/// Whether there are values one after another up to the end of a stream, of which the last one may go on.
fn are_values(stream: &mut Stream<'_>, first: u64) -> Result<bool> {
    stream.seek(first);
    loop {
        while pass_blanks(stream)? == Some(b',') {
            stream.skip(1);
        }
        if stream.peek()?.is_none() {
            return Ok(true);
        }
        match passed(stream)? {
            None => {}
            Some(fault) => return Ok(fault == Fault::Torn),
        }
    }
}

/// Whether nothing follows the list with which a file begins, as far as its end is near, or the end of the file says.
fn is_only_value(stream: &mut Stream<'_>, first: u64) -> Result<bool> {
    let end = stream.end();
    for look in [LOOK, LONGEST] {
        stream.end_at(end.min(first.saturating_add(look)));
        stream.seek(first);
        let is_complete = pass_value(stream)?;
        stream.end_at(end);
        if is_complete {
            return Ok(pass_blanks(stream)?.is_none());
        }
        if ends_with_list(stream, first)? {
            break;
        }
    }
    Ok(true)
}

/// Whether a file ends with the end of a list that began on a line before the last one.
fn ends_with_list(stream: &mut Stream<'_>, first: u64) -> Result<bool> {
    let begin = stream.end().saturating_sub(TAIL).max(first);
    stream.seek(begin);
    let tail = stream.ahead(usize::try_from(TAIL).unwrap_or(usize::MAX))?.trim_ascii_end();
    let line = memchr::memrchr(b'\n', tail).map_or(0, |at| at + 1);
    let is_whole = tail.get(line) == Some(&b'[') && line > 0;
    Ok(tail.ends_with(b"]") && !is_whole)
}
