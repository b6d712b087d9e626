//! The block around a line: a function, a class, an object of a data file, a section of a document.
//!
//! It is found in the lines around it, from indentation, brackets at the ends of lines, and the words that begin
//! a function or a class. A line is looked at a fixed number of times, so the time is linear in what is read.

mod extent;
mod function;
mod line;
mod lines;

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::error::{ErrorKind, Result};
use crate::page::LineRange;
use crate::page::view::View;

use line::{Line, Role};
use lines::{Lines, SIGNATURE};

/// How many bytes before and after it are looked at, at most; in a large file, few are read if they are enough.
const MOST_BYTES: u64 = 128 << 10;
const FEW_BYTES: u64 = 8 << 10;
/// The maximum number of lines of a block that are shown.
const MOST_SHOWN: i64 = 200;
/// Blocks of data grow to those around them up to this size, so that they show as much as the lines around would.
const SMALL: isize = 21;
/// The maximum number of lines with a body around a place that are looked at.
const MOST_HEADERS: usize = 32;

/// A block, as lines counted from the place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    lines: RangeInclusive<isize>,
    /// Whether it may go on after the lines that were looked at.
    is_open: bool,
}

/// The lines of the block around a line of a text that are shown and, if the block is longer, all of them.
///
/// `None`: there is no line with that number, or nothing is known about what is around it.
///
/// # Errors
/// Any error from reading.
pub(crate) fn around(view: &View<'_>, line: i64) -> Result<Option<(LineRange, Option<LineRange>)>> {
    if view.has_records() {
        let is_line = line > 0 && start_of(view, line)?.is_some();
        return Ok(Some((LineRange { first: line, last: line }, None)).filter(|_| is_line));
    }
    let Some((block, _)) = found(view, line, false)? else { return Ok(None) };
    let (first, last) = (*block.lines.start() as i64, *block.lines.end() as i64);
    let (first, last) = (line + first.min(0), line + last.max(0));
    let all = LineRange { first, last: if block.is_open { i64::MAX } else { last } };
    if last - first < MOST_SHOWN {
        return Ok(Some((LineRange { first, last }, Some(all).filter(|_| block.is_open))));
    }
    let start = (line - MOST_SHOWN / 2).clamp(first, last - MOST_SHOWN + 1);
    Ok(Some((LineRange { first: start, last: start + MOST_SHOWN - 1 }, Some(all))))
}

/// The line that begins the function, class or section around a line; `None`: it is in none.
///
/// # Errors
/// Any error from reading.
pub(super) fn head(view: &View<'_>, line: i64) -> Result<Option<i64>> {
    if view.has_records() {
        return Ok(None);
    }
    Ok(found(view, line, true)?.and_then(|(_, head)| head).map(|head| line + head as i64))
}

/// The offset of a line, of a text whose blocks are known; `None` also if there is no such line.
fn start_of(view: &View<'_>, line: i64) -> Result<Option<u64>> {
    let terminator = view.plan.terminator;
    let is_known =
        terminator.is_single() && !view.plan.codec.is_stateful() && b"\r\n".contains(&terminator.value);
    let Some(number) = u64::try_from(line).ok().filter(|number| *number > 0 && is_known) else {
        return Ok(None);
    };
    match view.line_start(number) {
        Err(error) if matches!(error.kind, ErrorKind::OffsetPastEnd { .. }) => Ok(None),
        place => Ok(Some(place?.byte)),
    }
}

/// The block around a line and, if it is wanted, the line that begins it, counted from the line.
fn found(view: &View<'_>, line: i64, wants_head: bool) -> Result<Option<(Block, Option<isize>)>> {
    let Some(place) = start_of(view, line)? else { return Ok(None) };
    let terminator = view.plan.terminator;
    let is_document =
        view.extension().is_some_and(|name| name == "md" || name == "markdown" || name == "mdx");
    let width = terminator.width as u64;
    let sizes = if view.source.is_in_memory() { &[MOST_BYTES][..] } else { &[FEW_BYTES, MOST_BYTES] };
    for size in sizes {
        let first = place.saturating_sub(size * width).max(view.start());
        let most = place + size * width - first;
        let bytes = view.source.bytes(view.path, first, usize::try_from(most).unwrap_or(usize::MAX))?;
        let is_at_end = first + bytes.len() as u64 >= view.size();
        let units = units(bytes, terminator.width, terminator.big_endian);
        let start = usize::try_from((place - first) / width).unwrap_or(usize::MAX);
        let mut lines = Lines::new(&units, start, terminator.value, (first <= view.start(), is_at_end));
        let found = if is_document { section(&mut lines, is_heading, |_| true) } else { block(&mut lines) };
        if lines.is_cut && *size == FEW_BYTES {
            continue;
        }
        return Ok(found.map(|block| {
            let mut begins = |number: isize| {
                let is_class = |line: Line<'_>| !line.is_comment() && line.declares(Role::CLASS);
                is_document || lines.is_function(number) || lines.at(number).is_some_and(is_class)
            };
            let mut before = *block.lines.start()..=0;
            let head = if wants_head { before.find(|number| begins(*number)) } else { None };
            (block, head)
        }));
    }
    Ok(None)
}

/// The code units of a text as bytes; those that are not ASCII as one that is none.
fn units(bytes: Cow<'_, [u8]>, width: usize, big_endian: bool) -> Cow<'_, [u8]> {
    if width == 1 {
        return bytes;
    }
    let unit = |unit: &[u8]| {
        let (value, rest) =
            if big_endian { unit.split_last() } else { unit.split_first() }.unwrap_or((&0, &[]));
        if rest.iter().all(|byte| *byte == 0) && value.is_ascii() { *value } else { u8::MAX }
    };
    bytes.chunks_exact(width).map(unit).collect::<Vec<_>>().into()
}

/// The block around line 0.
fn block(lines: &mut Lines<'_>) -> Option<Block> {
    let (mut place, mut line) = lines.filled(0, -1)?;
    if place < 0 {
        let below = lines.filled(0, 1);
        // A blank line in a function belongs to no smaller one that begins below it.
        let above = if line.is_comment() { 0 } else { line.indent };
        let level = below.map_or(above, |(_, below)| below.indent.max(above));
        let around = function_around(lines, 0, level).ok().filter(|block| block.lines.clone().count() < 100);
        if around.is_some() {
            return around;
        }
        // Of the lines around a blank one, the one inside.
        let below = below.filter(|(_, below)| below.indent >= line.indent);
        (place, line) = below.unwrap_or((place, line));
    }
    if let Some(below) = lines.declaration_below(place).filter(|_| !line.closes()) {
        (place, line) = (below, lines.at(below)?);
    } else if line.text[0] == b'#' && line.is_comment() {
        // A line of a preprocessor at the left belongs to what is below it.
        let below = lines.filled(place + 1, 1).filter(|(_, below)| below.indent > line.indent);
        (place, line) = below.unwrap_or((place, line));
    }
    let is_record = line.is_whole_object();
    let is_json = |line: Line<'_>| line.indent == 0 && line.text.starts_with(b"{\"");
    // What was cut is a record too, if another one follows.
    if is_json(line) && (is_record || lines.filled(place + 1, 1).is_some_and(|(_, next)| is_json(next))) {
        return Some(Block { lines: place..=place, is_open: false });
    }
    let (headers, text) = match function_around(lines, place, line.indent + 1) {
        Ok(block) => return Some(block),
        Err(around) => around,
    };
    if let Some(start) = text
        && let level = lines.at(start)?.indent + 1
        && let Ok(block) = function_around(lines, start, level)
        && *block.lines.end() >= 0
    {
        return Some(block);
    }
    let mut found = is_record.then_some(Block { lines: place..=place, is_open: false });
    let is_class = |header: &isize| lines.at(*header).is_some_and(|line| line.declares(Role::CLASS));
    let last_class = headers.iter().rposition(is_class);
    for (index, header) in headers.into_iter().enumerate() {
        if found.is_some() && place.max(0) - header >= SMALL && last_class.is_none_or(|last| last < index) {
            // Those that are left are too long, and none of them is a class.
            break;
        }
        let (last, is_open) = lines.end(header);
        if last < place.max(0) || last == header {
            continue;
        }
        let size = last - header;
        if lines.at(header)?.declares(Role::CLASS) {
            let is_shown = (size as i64) < MOST_SHOWN;
            return if is_shown { Some(Block { lines: lines.top(header)..=last, is_open }) } else { found };
        }
        if found.is_none() || size < SMALL {
            found = Some(Block { lines: header..=last, is_open });
        }
        if size as i64 >= MOST_SHOWN {
            // Those around it are longer.
            break;
        }
    }
    found.or_else(|| section(lines, is_name, is_assigned))
}

/// The function around a line that is indented less than a level.
///
/// Without one: the lines that have a body, from the inside, and where a text between backquotes begins that the
/// line is in.
fn function_around(
    lines: &mut Lines<'_>,
    place: isize,
    mut level: usize,
) -> std::result::Result<Block, (Vec<isize>, Option<isize>)> {
    let (mut headers, mut text) = (Vec::new(), None);
    let mut number = place;
    let Some(mut line) = lines.at(place) else { return Err((headers, text)) };
    // A label, a comment or a line of a preprocessor may be at the left of the function that it is in.
    let (left, is_left) = (line.indent, line.is_comment() || line.is_label());
    while (level > 0 || place - number < SIGNATURE) && headers.len() < MOST_HEADERS {
        // Text between backquotes may be at the left of its function.
        if number < place && line.is_open_text() {
            text = if text.is_some() { None } else { Some(number) };
            if level == 0 {
                break;
            }
        }
        if line.indent < level && !line.is_blank() && text.is_none() {
            if !lines.may_look() {
                break;
            }
            if lines.is_function(number) {
                headers.push(number);
                let block = lines.whole(number);
                if *block.lines.end() >= place.max(0) {
                    return Ok(block);
                }
                level = line.indent;
            } else if line.text.starts_with(b"{") && lines.is_element(number) {
                headers.push(number);
                level = line.indent;
            } else if line.closes()
                || line.text.starts_with(b"{")
                || line.begins(Role::GOES_ON)
                || (number == place && line.is_end())
            {
                // What it ends, or goes on with, begins at the same indentation.
                level = line.indent + 1;
            } else if number == place
                || (line.is_header() && !line.is_comment() && !(is_left && line.indent == left))
            {
                headers.push(number);
                // The target of a jump is at the left of its function.
                level = line.indent + usize::from(line.is_label() || (number == place && is_left));
                if number < place && line.is_attached() {
                    // The place is inside of an attribute of several lines.
                    if let Some(below) = lines.declaration_after(number, place) {
                        return Ok(lines.whole(below));
                    }
                }
            }
        }
        number -= 1;
        let Some(above) = lines.at(number) else { break };
        line = above;
    }
    Err((headers, text))
}

/// Whether it is a Markdown heading.
fn is_heading(line: Line<'_>) -> bool {
    let level = line.text.iter().take_while(|byte| **byte == b'#').count();
    (1..=6).contains(&level) && line.indent < 4 && line.text.get(level) == Some(&b' ')
}

/// Whether it begins a stanza of a configuration, as `[name]` does.
fn is_name(line: Line<'_>) -> bool {
    let name = line.text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or_default();
    line.indent == 0
        && name.first().is_some_and(|byte| !byte.is_ascii_digit())
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"[]_.-/:\"' ".contains(byte))
}

/// Whether it may be in a stanza.
fn is_assigned(line: Line<'_>) -> bool {
    line.indent > 0 || line.is_blank() || b"#;])}".contains(&line.text[0]) || line.text.contains(&b'=')
}

/// What is around line 0 from a line that names it to the next one, if every line in between may be in it.
fn section(
    lines: &mut Lines<'_>,
    is_name: fn(Line<'_>) -> bool,
    may_have: fn(Line<'_>) -> bool,
) -> Option<Block> {
    let mut first = 0;
    while !is_name(lines.at(first)?) {
        lines.at(first).filter(|line| may_have(*line) && lines.may_look())?;
        first -= 1;
    }
    let (mut last, mut number) = (0, 1);
    while let Some(line) = lines.at(number).filter(|line| !is_name(*line) && may_have(*line)) {
        last = if line.is_blank() { last } else { number };
        number += 1;
    }
    let is_open = lines.at(number).is_none() && !lines.is_ended();
    Some(Block { lines: first..=last, is_open })
}
