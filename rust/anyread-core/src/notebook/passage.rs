//! A text of a cell as a model sees it: numbered, clipped, and cut to its byte limit.

use crate::gutter::Gutter;
use crate::page::footer::Grouped;

use super::JsonPosition;
use super::checks::{Checks, Stopped};
use super::json::{JsonPositions, TextPositions, boundary, owned};

/// A text as it is shown.
#[derive(Debug, Clone, Default)]
pub struct Passage {
    /// The text without gutter, cut where `text` is; clipped lines are complete as far as the limit allows.
    pub plain: String,
    /// The lines with gutter and markers, each with a line feed.
    pub text: String,
    /// The characters of the lines that would follow `text`.
    pub more_chars: usize,
    /// The size of the complete text in bytes.
    pub bytes: usize,
    /// The positions in the file of what is not shown: the rest of each clipped line, and the part cut out.
    pub hidden: Vec<JsonPosition>,
}

/// How to show a text.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// The gutter before each line.
    pub gutter: &'a Gutter,
    /// Whether the gutter contains line numbers or is blank.
    pub is_numbered: bool,
    /// The maximum number of characters shown of a line.
    pub max_line_chars: usize,
    /// The maximum size of the shown text in bytes.
    pub max_bytes: usize,
    /// What becomes of a longer text: it is cut in the middle, with a marker, or it ends after the line that reaches
    /// this size.
    pub keeps_end: bool,
}

/// Where a text comes from.
pub enum Origin<'a, 'c> {
    /// It is a value decoded without changes, which begins at this position.
    Verbatim(usize, TextPositions<'a, 'c>),
    /// It was derived from the value at this position.
    Derived(usize),
}

impl Origin<'_, '_> {
    fn place(&mut self, offset: usize, positions: &mut JsonPositions<'_>) -> Result<JsonPosition, Stopped> {
        let position = match self {
            Self::Derived(position) => *position,
            Self::Verbatim(start, text) => *start + text.position_of(offset)?,
        };
        Ok(positions.place(position))
    }
}

/// The space reserved for the marker of the part cut out.
const MARKER_BYTES: usize = 80;

/// Shows a text.
pub fn passage(
    text: &str,
    origin: Origin<'_, '_>,
    shape: Shape<'_>,
    positions: &mut JsonPositions<'_>,
    checks: &Checks<'_>,
) -> Result<Passage, Stopped> {
    let mut writer = Writer { text, origin, shape, positions, checks, hidden: Vec::new() };
    let (whole, end) = writer.lines(0, shape.max_bytes)?;
    if end == text.len() {
        // Clipped lines may be far longer than what is shown of them.
        let is_whole = writer.hidden.is_empty() || !shape.keeps_end;
        let plain = owned(if is_whole { text } else { start_of(text, shape.max_bytes) }.into())?;
        return Ok(Passage { plain, text: whole, more_chars: 0, bytes: text.len(), hidden: writer.hidden });
    }
    if !shape.keeps_end {
        let more_chars = writer.count(end, &whole)?;
        let plain = owned(text.into())?;
        return Ok(Passage { plain, text: whole, more_chars, bytes: text.len(), hidden: writer.hidden });
    }
    // It does not fit: keep its start and its end, which shows the outcome.
    writer.hidden.clear();
    let room = shape.max_bytes.saturating_sub(MARKER_BYTES);
    let tail_bytes = room / 2;
    let (mut shown, head_end) = writer.head(room - tail_bytes)?;
    let tail_start = writer.tail_start(head_end, tail_bytes);
    let marker = writer.marker(head_end, tail_start)?;
    let (tail, _) = writer.lines(tail_start, usize::MAX)?;
    shown.try_reserve(marker.len() + tail.len())?;
    shown.extend([&*marker, &*tail]);
    let head = start_of(text.get(..head_end).unwrap_or_default(), shape.max_bytes);
    let between = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let tail = start_of(text.get(tail_start..).unwrap_or_default(), shape.max_bytes);
    let mut plain = String::new();
    plain.try_reserve_exact(head.len() + between.len() + marker.len() + tail.len())?;
    plain.extend([head, between, &*marker, tail]);
    Ok(Passage { plain, text: shown, more_chars: 0, bytes: text.len(), hidden: writer.hidden })
}

fn start_of(text: &str, bytes: usize) -> &str {
    text.get(..boundary(text, bytes)).unwrap_or_default()
}

struct Writer<'a, 'p> {
    text: &'a str,
    origin: Origin<'a, 'a>,
    shape: Shape<'a>,
    positions: &'a mut JsonPositions<'p>,
    checks: &'a Checks<'a>,
    hidden: Vec<JsonPosition>,
}

impl Writer<'_, '_> {
    /// The lines from `start` that fit, and the offset of the next line.
    fn lines(&mut self, start: usize, max_bytes: usize) -> Result<(String, usize), Stopped> {
        let (mut shown, mut at, mut number) = (String::new(), start, 0);
        while let Some((end, next)) = line_at(self.text, at).filter(|_| shown.len() < max_bytes) {
            let (length, clips) = (shown.len(), self.hidden.len());
            number += 1;
            self.push(number, at, end, &mut shown)?;
            if shown.len() > max_bytes && self.shape.keeps_end {
                shown.truncate(length);
                self.hidden.truncate(clips);
                break;
            }
            self.checks.passed(next - at)?;
            at = next;
        }
        Ok((shown, at))
    }

    /// The characters of the lines from `start` on, after those that are shown.
    fn count(&mut self, start: usize, shown: &str) -> Result<usize, Stopped> {
        let (mut at, mut chars, mut line) = (start, 0, String::new());
        let mut number = memchr::memchr_iter(b'\n', shown.as_bytes()).map(|_| 1).sum();
        while let Some((end, next)) = line_at(self.text, at) {
            number += 1;
            line.clear();
            self.push(number, at, end, &mut line)?;
            chars += line.chars().count();
            self.checks.passed(next - at)?;
            at = next;
        }
        Ok(chars)
    }

    /// Adds a line with its gutter and its line feed.
    fn push(&mut self, number: i64, start: usize, end: usize, shown: &mut String) -> Result<(), Stopped> {
        self.reserve(end - start, shown)?;
        self.push_gutter(number, shown);
        self.push_line(start, end, shown)?;
        shown.push('\n');
        Ok(())
    }

    /// The first lines that fit, or as much of the first line as fits, and the offset of the rest.
    fn head(&mut self, max_bytes: usize) -> Result<(String, usize), Stopped> {
        let (mut shown, mut end) = self.lines(0, max_bytes)?;
        if end > 0 || max_bytes == 0 {
            return Ok((shown, end));
        }
        self.reserve(max_bytes.min(self.text.len()), &mut shown)?;
        self.push_gutter(1, &mut shown);
        end = boundary(self.text, max_bytes.saturating_sub(shown.len() + 1));
        shown.push_str(self.text.get(..end).unwrap_or_default());
        shown.push('\n');
        Ok((shown, end))
    }

    /// The offset of the last lines that fit, at or after `start`.
    fn tail_start(&self, start: usize, max_bytes: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let blank = self.shape.gutter.separator.as_ref().map_or(0, |it| it.len() + self.shape.gutter.width);
        let (mut begins, mut used) = (self.text.len(), 0);
        for line in rest.strip_suffix('\n').unwrap_or(rest).rsplit('\n') {
            // The maximum length of a clipped line: four bytes per character, and its marker.
            let clipped = self.shape.max_line_chars.saturating_mul(4).saturating_add(MARKER_BYTES);
            used += blank + line.len().min(clipped) + 1;
            if used > max_bytes {
                break;
            }
            begins = super::json::position(self.text, line);
        }
        begins
    }

    /// Reserves memory for a line of so many bytes.
    fn reserve(&self, bytes: usize, shown: &mut String) -> Result<(), Stopped> {
        let gutter = self.shape.gutter;
        let gutter = gutter.before.len() + gutter.width + gutter.separator.as_ref().map_or(0, String::len);
        Ok(shown.try_reserve(gutter + bytes + 2 * MARKER_BYTES)?)
    }

    fn push_gutter(&self, number: i64, shown: &mut String) {
        let gutter = self.shape.gutter;
        if self.shape.is_numbered {
            gutter.push(number, shown);
        } else if let Some(separator) = &gutter.separator {
            shown.extend(std::iter::repeat_n(' ', gutter.width));
            shown.push_str(separator);
        }
    }

    fn push_line(&mut self, start: usize, end: usize, shown: &mut String) -> Result<(), Stopped> {
        let line = self.text.get(start..end).unwrap_or_default();
        let clip = line.char_indices().nth(self.shape.max_line_chars).map(|(at, _)| at);
        let Some(clip) = clip else {
            shown.push_str(line);
            return Ok(());
        };
        shown.push_str(line.get(..clip).unwrap_or_default());
        shown.push_str(" … ");
        shown.push_str(&self.marker(start + clip, end)?);
        shown.truncate(shown.trim_end().len());
        Ok(())
    }

    /// The marker for what is not shown from `start` to `end`; also records its position in `hidden`.
    fn marker(&mut self, start: usize, end: usize) -> Result<String, Stopped> {
        let place = self.origin.place(start, self.positions)?;
        self.hidden.push(place);
        let bytes = end - start;
        let unit = if bytes == 1 { "byte" } else { "bytes" };
        Ok(format!("[{} more {unit}: {place}]\n", Grouped(bytes as u64)))
    }
}

/// The end of the line that begins at `start`, and the start of the next line.
fn line_at(text: &str, start: usize) -> Option<(usize, usize)> {
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    Some(match memchr::memchr(b'\n', rest.as_bytes()) {
        Some(length) => (start + length, start + length + 1),
        None => (text.len(), text.len()),
    })
}
