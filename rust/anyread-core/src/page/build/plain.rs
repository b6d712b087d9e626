//! The fast path of a page: plain lines are added many at a time.

use std::collections::TryReserveError;

use super::show::has_nothing_hidden;
use super::{Builder, Ending, FOOTER_BYTES, Line};
use crate::encoding::Codec;
use crate::error::Result;
use crate::page::{Budget, Hidden, Unit};
use crate::scan::{Rule, to_usize, vectors};

impl Builder<'_> {
    /// Adds plain lines, all at once; returns whether there were any.
    ///
    /// Plain lines are complete, valid UTF-8 and not clipped, as are nearly all lines in nearly all files.
    pub(super) fn add_plain_lines(&mut self) -> Result<bool> {
        let terminator = self.view.plan.terminator;
        if self.view.plan.codec != Codec::Utf8 {
            return Ok(false);
        }
        let unread = self.input.unread();
        let window = &unread[..self.batch_bytes.min(unread.len())];
        let Some(last) = terminator.rfind(window) else { return Ok(false) };
        let bytes = &window[..=last];
        let count = vectors::count(bytes, terminator.value);
        // If other characters also end lines, none of them may occur.
        let is_plain = has_nothing_hidden(self.layout, self.has_bom(), bytes)
            && (terminator.is_single() || terminator.count(&[], bytes) == count);
        if !is_plain {
            return Ok(false);
        }
        let shows_cr = self.layout.cr != Hidden::Keep && memchr::memchr(b'\r', bytes).is_some();
        let takes_cr = terminator.rule != Rule::Unit;
        let max_line_bytes = self.layout.clip.map_or(u64::MAX, |clip| clip.length);
        let start_byte = self.input.byte_at(0);
        let (old_text, old_content, old_lines) = (self.text.len(), self.content.len(), self.lines.len());
        let mut gutters = self.layout.gutter.from(self.shown_number(old_lines), self.columns);
        let last_number = self.shown_number(old_lines.saturating_add(count));
        let gutter_bytes = gutters.bytes().len().max(self.layout.gutter.length(last_number, self.columns));
        let mut piece = Vec::new();
        // A footer may follow.
        let most =
            bytes.len().saturating_add(count.saturating_mul(gutter_bytes + 1)) + to_usize(FOOTER_BYTES);
        // In ASCII every unit is one byte, so the characters of a line need not be counted.
        let budget = self.layout.budget.map(|budget| {
            let is_ascii = bytes.is_ascii() && gutters.bytes().is_ascii();
            if is_ascii { Budget { unit: Unit::Bytes, ..budget } } else { budget }
        });
        if piece.try_reserve(most).is_err() || self.lines.try_reserve(count).is_err() {
            return Err(self.out_of_memory());
        }
        let mut spent = self.spent();
        let mut from = 0;
        for at in memchr::memchr_iter(terminator.value, bytes) {
            let line = &bytes[from..at];
            let line = if takes_cr { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
            let index = self.lines.len();
            let is_shown_otherwise = shows_cr && memchr::memchr(b'\r', line).is_some();
            if line.len() as u64 > max_line_bytes || index as u64 == self.limit || is_shown_otherwise {
                break;
            }
            spent += budget.map_or(0, |budget| budget.cost(line, gutters.bytes(), index == 0));
            if index > 0 {
                piece.push(b'\n');
            }
            piece.extend_from_slice(gutters.bytes());
            piece.extend_from_slice(line);
            gutters.advance();
            self.lines.push(Line {
                text_end: old_text + piece.len(),
                content_end: old_content + from + line.len(),
                raw_end: old_content + at + 1,
                end_byte: start_byte + at as u64 + 1,
                spent,
            });
            from = at + 1;
        }
        let is_ascii = self.view.plan.is_plain;
        if !append(&mut self.text, piece, is_ascii).map_err(|_| self.out_of_memory())? {
            self.lines.truncate(old_lines);
            return Ok(false);
        }
        if !self.content.reserve(from) {
            return Err(self.out_of_memory());
        }
        self.content.extend(&bytes[..from]);
        self.input.consume(from);
        if from > 0 {
            self.ending = Ending::Line;
        }
        Ok(from > 0)
    }
}

/// Appends a piece to a text, unless it is not UTF-8; returns whether it is.
fn append(text: &mut String, piece: Vec<u8>, is_ascii: bool) -> std::result::Result<bool, TryReserveError> {
    // Most small files are one piece, which needs no copy. Only ASCII is checked as fast as by `simdutf8`.
    if text.is_empty() && is_ascii {
        return Ok(String::from_utf8(piece).map(|piece| *text = piece).is_ok());
    }
    let Ok(piece) = simdutf8::basic::from_utf8(&piece) else { return Ok(false) };
    text.try_reserve(piece.len())?;
    text.push_str(piece);
    Ok(true)
}
