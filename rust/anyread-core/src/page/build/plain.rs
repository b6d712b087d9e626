//! The fast path of a page: plain lines are added many at a time.

use super::show::has_nothing_hidden;
use super::{Builder, ShownLine};
use crate::encoding::Codec;
use crate::page::{Budget, Hidden, Unit};
use crate::scan::{Rule, to_usize, vectors};

/// How many bytes of lines are added at a time; if they do not fit, lines are added one by one.
const PLAIN_BYTES: usize = 8 << 10;

impl Builder<'_> {
    /// Adds plain lines from the buffer, all at once; returns whether there were any.
    ///
    /// Plain lines are complete, valid UTF-8 and not clipped, as are nearly all lines in nearly all files.
    pub(super) fn add_plain_lines(&mut self, start: usize) -> bool {
        let terminator = self.view.plan.terminator;
        if self.nearly_full || self.view.plan.codec != Codec::Utf8 {
            return false;
        }
        let window = PLAIN_BYTES.min(self.raw.len() - start);
        let Some(last) = terminator.rfind(&self.raw[start..start + window]) else { return false };
        let lines = &self.raw[start..=start + last];
        let has_bom = start == 0 && self.start_byte == 0;
        // If other characters also end lines, none of them may occur.
        let shows_cr = self.layout.cr != Hidden::Keep;
        let is_plain = has_nothing_hidden(self.layout, has_bom, lines)
            && (terminator.is_single()
                || terminator.count(&[], lines) == vectors::count(lines, terminator.value));
        if !is_plain {
            return false;
        }
        let takes_cr = terminator.rule != Rule::Unit;
        let max_line_bytes = self.layout.clip.map_or(u64::MAX, |clip| clip.length);
        let start_byte = self.byte_at(start);
        let (old_text, old_shown) = (self.text.len(), self.shown.len());
        let mut gutters = self.layout.gutter.from(self.shown_number(old_shown), self.columns);
        // Capacity for the lines and, as a guess, for gutters a quarter as long.
        let mut piece = Vec::with_capacity(lines.len() + lines.len() / 4);
        let room = to_usize(self.usable(self.layout.max_bytes)).saturating_sub(old_text);
        // In ASCII every unit is one byte, so the characters of a line need not be counted.
        let is_ascii = lines.is_ascii() && gutters.bytes().is_ascii();
        let in_bytes = |budget| Budget { unit: Unit::Bytes, ..budget };
        let budget = self.layout.budget.map(|budget| if is_ascii { in_bytes(budget) } else { budget });
        let old_spent = self.spent;
        let mut spent = old_spent;
        let mut is_full = false;
        let mut from = 0;
        for at in memchr::memchr_iter(terminator.value, lines) {
            let line = &lines[from..at];
            let line = if takes_cr { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
            let index = self.shown.len();
            if line.len() as u64 > max_line_bytes || index as u64 == self.limit {
                break;
            }
            if self.shown.try_reserve(1).is_err() {
                break;
            }
            let cost = budget.map_or(0, |budget| budget.cost(line, gutters.bytes(), index == 0));
            if budget.is_some_and(|budget| spent + cost > self.usable(budget.maximum)) {
                is_full = true;
                break;
            }
            let line_start = piece.len();
            if index > 0 {
                piece.push(b'\n');
            }
            piece.extend_from_slice(gutters.bytes());
            piece.extend_from_slice(line);
            if piece.len() > room {
                piece.truncate(line_start);
                is_full = true;
                break;
            }
            spent += cost;
            gutters.advance();
            let content_end = start + from + line.len();
            let (text_end, clipped) = (old_text + piece.len(), self.clipped.len());
            let (raw_end, end_byte) = (start + at + 1, start_byte + at as u64 + 1);
            self.shown.push(ShownLine { text_end, content_end, raw_end, end_byte, clipped });
            from = at + 1;
        }
        // A CR that is part of a line ending is not in `piece`; any other must be replaced.
        if shows_cr && memchr::memchr(b'\r', &piece).is_some() {
            self.shown.truncate(old_shown);
            return false;
        }
        // Lines are separated by ASCII, so the whole is valid UTF-8 only if each line is.
        // A lack of memory is reported when the lines are added one by one.
        let piece = simdutf8::basic::from_utf8(&piece);
        let piece = piece.ok().filter(|piece| self.text.try_reserve(piece.len()).is_ok());
        let Some(piece) = piece else {
            self.shown.truncate(old_shown);
            return false;
        };
        self.text.push_str(piece);
        (self.nearly_full, self.spent) = (is_full, spent);
        if self.shown.len() == old_shown {
            return false;
        }
        let max_tokens = self.usable(self.layout.max_tokens);
        if self.layout.counter.is_none() && self.tally.exceeds(&self.text, max_tokens) {
            self.spent = old_spent;
            self.tally.cut(&self.text, old_text);
            self.text.truncate(old_text);
            self.shown.truncate(old_shown);
            self.nearly_full = true;
            return false;
        }
        true
    }
}
