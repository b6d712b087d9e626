//! Appends a line to the page.

use super::line::{RawEnd, RawLine};
use super::{Builder, Ending, Line};
use crate::error::{Error, ErrorKind, Result};
use crate::page::footer::marker;
use crate::page::layout::{Hidden, Layout, Marker};
use crate::page::view::LineEnd;
use crate::page::{LONGEST_CHARACTER, Position};
use crate::scan::to_usize;

/// How many bytes are searched for the end of a clipped last line.
const SEEK_LAST: u64 = 1 << 20;

impl Builder<'_> {
    /// Appends a line.
    pub(super) fn show(&mut self, mut line: RawLine) -> Result<()> {
        let index = self.lines.len();
        let mut clipped = self.clipped_line(&line)?;
        let is_endless = matches!(clipped, Some(ClippedLine { end: ClippedEnd::TooFar, .. }));
        if is_endless && index == 0 && !self.fills_first && self.may_fill() {
            self.fills_first = true;
            let Some(longer) = self.next_line()? else { return Ok(()) };
            line = longer;
            clipped = self.clipped_line(&line)?;
        }
        let position = Position { offset: self.number_of(index), column: self.column_of(index) };
        let shown_bytes = clipped.as_ref().map_or(line.length, |clipped| clipped.cut);
        let gutter_bytes = self.layout.gutter.length(self.shown_number(index), self.columns);
        let most = shown_bytes.saturating_mul(LONGEST_CHARACTER).saturating_add(gutter_bytes + 1);
        let has_room = self.text.try_reserve(most).is_ok()
            && self.content.reserve(shown_bytes)
            && self.lines.try_reserve(1).is_ok();
        if !has_room {
            return Err(self.out_of_memory());
        }
        if index > 0 {
            self.text.push('\n');
        }
        let gutter_start = self.text.len();
        self.layout.gutter.push_wide(self.shown_number(index), self.columns, &mut self.text);
        let text_start = self.text.len();
        self.decode(shown_bytes, position.offset)?;
        self.content.extend(&self.input.unread()[..shown_bytes]);
        let content_end = self.content.len();
        let cut_byte = self.input.byte_at(shown_bytes);
        let end_byte = if let Some(ClippedLine { chars, end, .. }) = clipped {
            self.end_clipped(&line, cut_byte, Position { column: position.column + chars, ..position }, end)?
        } else {
            let ending = if let RawEnd::Here(bytes) = line.ending { bytes } else { 0 };
            let next = line.length + ending;
            self.content.extend(&self.input.unread()[line.length..next]);
            self.input.consume(next);
            self.ending = if ending == 0 { Ending::File } else { Ending::Line };
            cut_byte + ending as u64
        };
        let spent = self.layout.budget.map_or(0, |budget| {
            let text = self.text.as_bytes();
            self.spent() + budget.cost(&text[text_start..], &text[gutter_start..text_start], index == 0)
        });
        let (text_end, raw_end) = (self.text.len(), self.content.len());
        self.lines.push(Line { text_end, content_end, raw_end, end_byte, spent });
        Ok(())
    }

    /// Where a line is clipped and where it ends; `None` if it is not clipped.
    fn clipped_line(&self, line: &RawLine) -> Result<Option<ClippedLine>> {
        let (cut, Some(chars)) = self.clip(line) else { return Ok(None) };
        let index = self.lines.len();
        let is_last = index as u64 + 1 == self.limit;
        let is_far = matches!(line.ending, RawEnd::Far);
        if is_far && is_last && !self.layout.guides && self.total.is_some() {
            return Ok(Some(ClippedLine { cut, chars, end: ClippedEnd::NotNeeded }));
        }
        let distance = match chars {
            // Otherwise the next page would begin where this one does.
            0 => u64::MAX,
            _ if is_last => SEEK_LAST,
            _ => self.seek,
        };
        let fills = index == 0 && self.fills_first;
        let end = if fills { None } else { self.seek_end(line, cut, distance)? };
        Ok(Some(ClippedLine { cut, chars, end: end.map_or(ClippedEnd::TooFar, ClippedEnd::At) }))
    }

    /// Ends a line that was clipped at `cut_byte`; returns the offset in the file after it.
    fn end_clipped(&mut self, line: &RawLine, cut_byte: u64, rest: Position, end: ClippedEnd) -> Result<u64> {
        let ClippedEnd::At(end) = end else {
            self.mark(None, rest);
            if matches!(end, ClippedEnd::TooFar) {
                self.inside = Some(rest);
            } else {
                self.clipped.push(rest);
                self.ending = Ending::Unknown;
            }
            return Ok(cut_byte);
        };
        let rest_bytes = end.content_end - cut_byte;
        self.mark(Some(rest_bytes), rest);
        self.clipped.push(rest);
        self.seek -= rest_bytes.min(self.seek);
        self.content.separate();
        let ending = to_usize(end.next - end.content_end);
        if let RawEnd::Far = line.ending {
            let bytes = self.view.source.bytes(self.view.path, end.content_end, ending)?;
            self.content.extend(&bytes);
            self.input.skip_to(end.next);
        } else {
            let next = line.length + ending;
            self.content.extend(&self.input.unread()[line.length..next]);
            self.input.consume(next);
        }
        self.ending = if ending == 0 { Ending::File } else { Ending::Line };
        Ok(end.next)
    }

    /// Writes the marker after the cut of a line.
    fn mark(&mut self, rest_bytes: Option<u64>, rest: Position) {
        match self.layout.clip.map(|clip| clip.marker).filter(|_| !self.fills_first || !self.lines.is_empty())
        {
            Some(Marker::Text(text)) => self.text.push_str(text),
            Some(Marker::Continuation) | None => {
                let record = rest.offset > 0 && self.view.has_records();
                self.text += &marker(rest_bytes, rest, record);
            }
        }
    }

    /// Appends the text of the next bytes.
    fn decode(&mut self, length: usize, number: i64) -> Result<()> {
        let start = self.text.len();
        let has_bom = self.has_bom();
        let mut lossy = self.view.plan.codec.decode_into(&self.input.unread()[..length], &mut self.text);
        let nul = self.layout.nul;
        if nul != Hidden::Keep && self.text[start..].contains('\0') {
            if nul == Hidden::Error {
                let media_type = "application/octet-stream".to_owned();
                let kind = ErrorKind::Binary { media_type, size_bytes: self.view.size() };
                return Err(Error::new(self.view.path, kind));
            }
            lossy = true;
        }
        replace_hidden(self.layout, has_bom, &mut self.text, start);
        if lossy {
            self.lossy_line.get_or_insert(number);
        }
        Ok(())
    }

    /// Whether the next line begins with the byte order mark of the file, if it has one.
    pub(super) fn has_bom(&self) -> bool {
        self.start_byte == 0 && self.lines.is_empty()
    }
}

/// A line of which only a part is shown.
struct ClippedLine {
    /// The size of this part in bytes, and its length in characters.
    cut: usize,
    chars: u64,
    end: ClippedEnd,
}

/// Where a clipped line ends.
#[derive(Clone, Copy)]
enum ClippedEnd {
    At(LineEnd),
    /// Further away than is searched.
    TooFar,
    /// It was not searched for.
    NotNeeded,
}

/// Replaces or removes the hidden characters in `text` from `start`, as the layout requires.
pub(super) fn replace_hidden(layout: &Layout<'_>, has_bom: bool, text: &mut String, start: usize) {
    let mut replace = |hidden: Hidden, character: char, symbol: &str| {
        let symbol = match hidden {
            Hidden::Show => symbol,
            Hidden::Drop => "",
            Hidden::Keep | Hidden::Error => return,
        };
        if text[start..].contains(character) {
            let shown = text[start..].replace(character, symbol);
            text.truncate(start);
            text.push_str(&shown);
        }
    };
    replace(layout.nul, '\0', "␀");
    replace(layout.cr, '\r', "␍");
    if has_bom && layout.lines.bom == Hidden::Show && text[start..].starts_with('\u{FEFF}') {
        text.replace_range(start..start + '\u{FEFF}'.len_utf8(), "<U+FEFF>");
    }
}

/// Whether a piece of UTF-8 contains nothing except CRs that [`replace_hidden`] would replace.
pub(super) fn has_nothing_hidden(layout: &Layout<'_>, has_bom: bool, bytes: &[u8]) -> bool {
    let has_no_nul = layout.nul == Hidden::Keep || memchr::memchr(0, bytes).is_none();
    let shows_bom = has_bom && layout.lines.bom == Hidden::Show && bytes.starts_with(b"\xEF\xBB\xBF");
    has_no_nul && !shows_bom
}
