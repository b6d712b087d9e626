//! A text of a cell as a model should see it: numbered, clipped, and cut to what it may take.

use crate::gutter::Gutter;
use crate::page::footer::Grouped;

use super::JsonPosition;
use super::json::{JsonPositions, Text, boundary};

/// A text as it is shown.
#[derive(Debug, Clone, Default)]
pub struct Passage {
    /// The text without gutter, cut where the shown text is; clipped lines are whole as far as the bytes allow.
    pub plain: String,
    /// The lines with gutter and markers, each with its line feed.
    pub text: String,
    /// Bytes of the whole text.
    pub bytes: usize,
    /// Where the file has what is not shown: the rests of clipped lines, and what was cut out.
    pub hidden: Vec<JsonPosition>,
}

/// How a text is to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// What stands before each line.
    pub gutter: &'a Gutter,
    /// Whether lines are numbered, or have a gutter without numbers.
    pub is_numbered: bool,
    /// Characters of a line that are shown.
    pub max_line_chars: usize,
    /// Bytes of shown text; a text over them is cut.
    pub max_bytes: usize,
    /// Whether the text's end is kept when it is cut, or only its start.
    pub keeps_end: bool,
}

/// Where in the file a text stands.
#[derive(Clone, Copy)]
pub enum Origin<'a> {
    /// It is what this value says.
    Exactly(Text<'a>),
    /// It was made of what begins here.
    Made(usize),
}

impl Origin<'_> {
    fn place(self, offset: usize, places: &mut JsonPositions<'_>) -> JsonPosition {
        let position = match self {
            Self::Made(position) => position,
            Self::Exactly(text) => {
                super::json::position(places.json(), text.value) + text.position_of(offset)
            }
        };
        places.place(position)
    }
}

/// What the marker of something cut out may take.
const MARKER_BYTES: usize = 80;

/// Shows a text.
pub fn passage(text: &str, origin: Origin<'_>, shape: Shape<'_>, places: &mut JsonPositions<'_>) -> Passage {
    let mut writer = Writer { text, origin, shape, places, hidden: Vec::new() };
    let (whole, end) = writer.lines(0, shape.max_bytes);
    if end == text.len() {
        // Clipped lines may hold far more than is shown of them.
        let plain = if writer.hidden.is_empty() { text } else { start_of(text, shape.max_bytes) };
        return Passage { plain: plain.to_owned(), text: whole, bytes: text.len(), hidden: writer.hidden };
    }
    // It does not fit: its start is kept, and its end where that tells what came out in the end.
    writer.hidden.clear();
    let room = shape.max_bytes.saturating_sub(MARKER_BYTES);
    let tail_bytes = if shape.keeps_end { room / 2 } else { 0 };
    let (mut shown, head_end) = writer.head(room - tail_bytes);
    let tail_start = writer.tail_start(head_end, tail_bytes);
    let marker = writer.marker(head_end, tail_start);
    let (tail, _) = writer.lines(tail_start, usize::MAX);
    shown.push_str(&marker);
    shown.push_str(&tail);
    let head = start_of(text.get(..head_end).unwrap_or_default(), shape.max_bytes);
    let between = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let tail = start_of(text.get(tail_start..).unwrap_or_default(), shape.max_bytes);
    let plain = format!("{head}{between}{marker}{tail}");
    Passage { plain, text: shown, bytes: text.len(), hidden: writer.hidden }
}

fn start_of(text: &str, bytes: usize) -> &str {
    text.get(..boundary(text, bytes)).unwrap_or_default()
}

struct Writer<'a, 'p> {
    text: &'a str,
    origin: Origin<'a>,
    shape: Shape<'a>,
    places: &'a mut JsonPositions<'p>,
    hidden: Vec<JsonPosition>,
}

impl Writer<'_, '_> {
    /// The lines from `start` on while they fit, and where the next one begins.
    fn lines(&mut self, start: usize, max_bytes: usize) -> (String, usize) {
        let (mut shown, mut at, mut number) = (String::new(), start, 0);
        while let Some((end, next)) = line_at(self.text, at) {
            let (length, clips) = (shown.len(), self.hidden.len());
            number += 1;
            self.push_gutter(number, &mut shown);
            self.push_line(at, end, &mut shown);
            shown.push('\n');
            if shown.len() > max_bytes {
                shown.truncate(length);
                self.hidden.truncate(clips);
                break;
            }
            at = next;
        }
        (shown, at)
    }

    /// The first lines that fit, or what fits of the first, and where the rest begins.
    fn head(&mut self, max_bytes: usize) -> (String, usize) {
        let (mut shown, mut end) = self.lines(0, max_bytes);
        if end > 0 || max_bytes == 0 {
            return (shown, end);
        }
        self.push_gutter(1, &mut shown);
        end = boundary(self.text, max_bytes.saturating_sub(shown.len() + 1));
        shown.push_str(self.text.get(..end).unwrap_or_default());
        shown.push('\n');
        (shown, end)
    }

    /// Where the last lines begin that fit, after `start`.
    fn tail_start(&self, start: usize, max_bytes: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let blank = self.shape.gutter.separator.as_ref().map_or(0, |it| it.len() + self.shape.gutter.width);
        let (mut begins, mut used) = (self.text.len(), 0);
        for line in rest.strip_suffix('\n').unwrap_or(rest).rsplit('\n') {
            // A clipped line is at most this long: four bytes a character, and its marker.
            let clipped = self.shape.max_line_chars.saturating_mul(4).saturating_add(MARKER_BYTES);
            used += blank + line.len().min(clipped) + 1;
            if used > max_bytes {
                break;
            }
            begins = super::json::position(self.text, line);
        }
        begins
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

    fn push_line(&mut self, start: usize, end: usize, shown: &mut String) {
        let line = self.text.get(start..end).unwrap_or_default();
        let clip = line.char_indices().nth(self.shape.max_line_chars).map(|(at, _)| at);
        let Some(clip) = clip else {
            shown.push_str(line);
            return;
        };
        shown.push_str(line.get(..clip).unwrap_or_default());
        shown.push_str(" … ");
        shown.push_str(&self.marker(start + clip, end));
        shown.truncate(shown.trim_end().len());
    }

    /// Says what is not shown from `start` to `end`, and where the file has it.
    fn marker(&mut self, start: usize, end: usize) -> String {
        let place = self.origin.place(start, self.places);
        self.hidden.push(place);
        let bytes = end - start;
        let unit = if bytes == 1 { "byte" } else { "bytes" };
        format!("[{} more {unit}: {place}]\n", Grouped(bytes as u64))
    }
}

/// The line that begins at a byte: where its text ends, and where the next line begins.
fn line_at(text: &str, start: usize) -> Option<(usize, usize)> {
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    Some(match memchr::memchr(b'\n', rest.as_bytes()) {
        Some(length) => (start + length, start + length + 1),
        None => (text.len(), text.len()),
    })
}
