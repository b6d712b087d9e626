//! Adds a line to the page if it fits.

use std::collections::TryReserveError;
use std::ops::Range;

use super::line::{RawEnd, RawLine};
use super::{Builder, End, Excess, LastLine, ShownLine};
use crate::error::{self, Error, ErrorKind};
use crate::page::footer::marker;
use crate::page::layout::{Hidden, Layout, Marker, OverBudget, Unit};
use crate::page::{LONGEST_CHARACTER, Place};
use crate::scan::to_usize;

/// How many bytes are searched for the end of a clipped last line.
const SEEK_LAST: u64 = 1 << 20;

/// The positions of the parts of a line that was just written.
#[derive(Clone, Copy)]
pub(super) struct Written {
    /// In the text of the page, the end of the previous line, and the start of this line after its gutter.
    old_text: usize,
    text_start: usize,
    /// In the buffer, the end of its text and the length of its ending in bytes.
    content_end: usize,
    ending: usize,
    place: Place,
}

impl Builder<'_> {
    /// Adds a line to the page; returns `false` if the page ends with or before it.
    pub(super) fn show(&mut self, line: &RawLine) -> error::Result<bool> {
        let index = self.shown.len();
        let place = Place { offset: self.number_of(index), column: self.column_of(index) };
        let old_text = self.text.len();
        let (cut, chars) = self.clip(line)?;
        if index > 0 {
            self.text.push('\n');
        }
        self.layout.gutter.push_wide(self.shown_number(index), self.columns, &mut self.text);
        let mut written =
            Written { old_text, text_start: self.text.len(), content_end: cut, ending: 0, place };
        self.decode(line.text.start..cut, place.offset)?;
        let is_far = matches!(line.ending, RawEnd::Far);
        let Some(chars) = chars else {
            written.ending = if let RawEnd::Here(bytes) = line.ending { bytes } else { 0 };
            self.last_line = if written.ending == 0 { LastLine::EndsFile } else { LastLine::Ended };
            return self.keep(written);
        };
        let rest = Place { column: place.column + chars, ..place };
        // The buffer may contain further lines after the cut, which are then read again.
        let cut_byte = self.byte_at(cut);
        let is_last = index as u64 + 1 == self.limit;
        let fills = index == 0 && self.fills_first;
        if is_far && is_last && !self.layout.guides && self.total.is_some() {
            // The end of the line is not needed.
            self.last_line = LastLine::Unended;
            self.mark(None, rest);
            self.clipped.push(rest);
            return self.keep(written);
        }
        let distance = match chars {
            // Otherwise the next page would begin where this one does.
            0 => u64::MAX,
            _ if is_last => SEEK_LAST,
            _ => self.seek,
        };
        let end = if fills { None } else { self.seek_end(line, cut, cut_byte, distance)? };
        if end.is_none() && index == 0 && !fills && self.may_fill() {
            self.text.clear();
            self.lossy_line = None;
            self.fills_first = true;
            let Some(line) = self.next_line(0)? else { return Ok(false) };
            return self.show(&line);
        }
        self.mark(end.map(|end| end.content_end - cut_byte), rest);
        let Some(end) = end else {
            self.raw.truncate(cut);
            self.position = cut_byte;
            self.end = End::Inside(rest);
            self.keep(written)?;
            return Ok(false);
        };
        self.seek -= (end.content_end - cut_byte).min(self.seek);
        let ending = to_usize(end.next - end.content_end);
        if matches!(line.ending, RawEnd::Here(_)) {
            self.raw.drain(cut..line.text.end);
        } else {
            let bytes = self.view.source.bytes(self.view.path, end.content_end, ending)?;
            self.raw.truncate(cut);
            self.raw.extend_from_slice(&bytes);
            self.position = end.next;
        }
        self.clipped.push(rest);
        self.last_line = if ending == 0 { LastLine::EndsFile } else { LastLine::Ended };
        written.ending = ending;
        self.keep(written)
    }

    /// Writes the marker after the cut of a line.
    fn mark(&mut self, rest_bytes: Option<u64>, rest: Place) {
        match self.layout.clip.map(|clip| clip.marker).filter(|_| !self.fills_first || !self.shown.is_empty())
        {
            Some(Marker::Text(text)) => self.text.push_str(text),
            Some(Marker::Continuation) | None => self.text += &marker(rest_bytes, rest),
        }
    }

    /// Appends the text of a range of the buffer.
    fn decode(&mut self, range: Range<usize>, number: i64) -> error::Result<()> {
        let start = self.text.len();
        let most = range.len().saturating_mul(LONGEST_CHARACTER);
        let is_room = self.text.try_reserve(most).is_ok() && self.shown.try_reserve(1).is_ok();
        if !is_room {
            return Err(self.out_of_memory());
        }
        let has_bom = self.start_byte == 0 && self.shown.is_empty();
        let mut lossy = self.view.plan.codec.decode_into(&self.raw[range], &mut self.text);
        let nul = self.layout.nul;
        if nul != Hidden::Keep && self.text[start..].contains('\0') {
            if nul == Hidden::Error {
                let media_type = "application/octet-stream".to_owned();
                let kind = ErrorKind::Binary { media_type, size_bytes: self.view.size() };
                return Err(Error::new(self.view.path, kind));
            }
            lossy = true;
        }
        if replace_hidden(self.layout, has_bom, &mut self.text, start).is_err() {
            return Err(self.out_of_memory());
        }
        if lossy {
            self.lossy_line.get_or_insert(number);
        }
        Ok(())
    }

    /// Keeps the line that was just written if it fits; otherwise applies [`Layout::over_budget`].
    fn keep(&mut self, written: Written) -> error::Result<bool> {
        let Written { old_text, text_start, content_end, ending, place } = written;
        let spent = self.spent_with(old_text, text_start);
        let fits = self.fits(spent);
        let keeps = fits || self.layout.over_budget == OverBudget::After;
        if !fits && !keeps {
            self.record_excess(spent);
        }
        let is_cut = self.shown.is_empty() && self.layout.over_budget.cuts_first();
        if !keeps && !is_cut {
            self.tally.cut(&self.text, old_text);
            self.text.truncate(old_text);
            self.clipped.retain(|rest| rest.offset != place.offset);
            self.lossy_line = self.lossy_line.filter(|line| *line != place.offset);
            self.last_line = LastLine::Ended;
            self.end = End::Budget;
            return Ok(false);
        }
        self.spent = spent;
        let raw_end = content_end + ending;
        self.shown.push(ShownLine {
            text_end: self.text.len(),
            content_end,
            raw_end,
            end_byte: self.byte_at(raw_end),
            clipped: self.clipped.len(),
        });
        if !keeps {
            self.cut_first(text_start)?;
        } else if !fits && matches!(self.end, End::Complete) {
            self.end = End::Reached;
        }
        Ok(fits)
    }

    /// How much of [`Layout::budget`] the lines use, including the one that was just written.
    fn spent_with(&self, old_text: usize, text_start: usize) -> u64 {
        let Some(budget) = self.layout.budget else { return 0 };
        let is_first = self.shown.is_empty();
        let gutter = &self.text.as_bytes()[old_text + usize::from(!is_first)..text_start];
        self.spent + budget.cost(&self.text.as_bytes()[text_start..], gutter, is_first)
    }

    /// Whether the page is within its budgets; its lines use `spent` of [`Layout::budget`].
    fn fits(&mut self, spent: u64) -> bool {
        let max_tokens = self.usable(self.layout.max_tokens);
        self.text.len() as u64 <= self.usable(self.layout.max_bytes)
            && self.layout.budget.is_none_or(|budget| spent <= self.usable(budget.maximum))
            && (self.layout.counter.is_some() || !self.tally.exceeds(&self.text, max_tokens))
    }

    /// Records the space that the page would have needed when it first did not fit.
    fn record_excess(&mut self, spent: u64) {
        if self.excess.is_some() {
            return;
        }
        let over = self.layout.budget.filter(|budget| spent > budget.maximum);
        let bytes = self.text.len() as u64;
        self.excess = Some(match over {
            Some(budget) => Excess { used: spent, budget: budget.maximum, unit: name(budget.unit) },
            None if bytes > self.layout.max_bytes => {
                Excess { used: bytes, budget: self.layout.max_bytes, unit: "bytes" }
            }
            None => {
                let used = self.tally.count(&self.text).tokens();
                Excess { used, budget: self.layout.max_tokens, unit: "tokens" }
            }
        });
    }
}

/// The name of a unit in errors.
fn name(unit: Unit) -> &'static str {
    match unit {
        Unit::Chars => "characters",
        Unit::Utf16 => "UTF-16 units",
        Unit::Bytes => "bytes",
    }
}

/// Replaces or removes the hidden characters in `text` from `start`, as the layout requires.
///
/// # Errors
/// There is no memory for the longer text.
pub(super) fn replace_hidden(
    layout: &Layout<'_>,
    has_bom: bool,
    text: &mut String,
    start: usize,
) -> Result<(), TryReserveError> {
    let replace =
        |text: &mut String, hidden: Hidden, character: char, symbol: &str| -> Result<(), TryReserveError> {
            let symbol = match hidden {
                Hidden::Show => symbol,
                Hidden::Drop => "",
                Hidden::Keep | Hidden::Error => return Ok(()),
            };
            if text[start..].contains(character) {
                let plain = &text[start..];
                let more = plain.matches(character).count().saturating_mul(symbol.len());
                let mut shown = String::new();
                shown.try_reserve(plain.len().saturating_add(more))?;
                for (index, piece) in plain.split(character).enumerate() {
                    shown.push_str(if index > 0 { symbol } else { "" });
                    shown.push_str(piece);
                }
                text.truncate(start);
                text.try_reserve(shown.len())?;
                text.push_str(&shown);
            }
            Ok(())
        };
    replace(text, layout.nul, '\0', "␀")?;
    replace(text, layout.cr, '\r', "␍")?;
    if has_bom && layout.lines.bom == Hidden::Show && text[start..].starts_with('\u{FEFF}') {
        text.replace_range(start..start + '\u{FEFF}'.len_utf8(), "<U+FEFF>");
    }
    Ok(())
}

/// Whether a piece of UTF-8 contains nothing except CRs that [`replace_hidden`] would replace.
pub(super) fn has_nothing_hidden(layout: &Layout<'_>, has_bom: bool, bytes: &[u8]) -> bool {
    let has_no_nul = layout.nul == Hidden::Keep || memchr::memchr(0, bytes).is_none();
    let shows_bom = has_bom && layout.lines.bom == Hidden::Show && bytes.starts_with(b"\xEF\xBB\xBF");
    has_no_nul && !shows_bom
}
