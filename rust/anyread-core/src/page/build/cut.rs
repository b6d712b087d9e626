//! A page that does not fit: how many whole lines do, cutting the first line, and refusing the page.

use super::show::replace_hidden;
use super::{Builder, End, Ending, Excess, FOOTER_BYTES, FOOTER_TOKENS, LEAST_FOOTERS, Line};
use crate::error::{Error, ErrorKind, Result};
use crate::lock::NoLockHeld;
use crate::memory;
use crate::page::footer::marker;
use crate::page::tally::Tally;
use crate::page::{Hidden, LONGEST_CHARACTER, Position, Unit};
use crate::scan::to_usize;
use crate::tokens::{self, Running};

/// A long footer of a page of one line, of which a counter counts the tokens.
const LONG_FOOTER: &str =
    "\n[line 1,000,000 of about 10,000,000 (1.0 GB) · next: offset=1000000, column=1000000]";

/// The approximate length of the marker of a cut line, in characters.
const MARKER_CHARS: usize = 64;

impl Builder<'_> {
    /// How many leading lines are within the budgets, but for those of a counter.
    pub(super) fn fitting(&mut self) -> usize {
        if self.fits() {
            return self.lines.len();
        }
        let mut lines = self.lines.partition_point(|line| self.is_within(line));
        let max_tokens = self.usable(self.layout.max_tokens);
        while lines > 0 && self.layout.counter.is_none() && self.exceeds(lines, max_tokens) {
            lines -= 1;
        }
        lines
    }

    /// Whether the estimate of the first `lines` lines exceeds a number of tokens.
    fn exceeds(&mut self, lines: usize, max_tokens: u64) -> bool {
        let end = self.text_end(lines);
        self.tally.cut(&self.text, end);
        self.tally.exceeds(&self.text[..end], max_tokens)
    }

    /// The space that the page would have needed with the line after the first `lines` lines.
    pub(super) fn excess_with(&mut self, lines: usize) -> Option<Excess> {
        let line = *self.lines.get(lines)?;
        let bytes = line.text_end as u64;
        let over = self.layout.budget.filter(|budget| line.spent > budget.maximum);
        Some(match over {
            Some(budget) => Excess { used: line.spent, budget: budget.maximum, unit: name(budget.unit) },
            None if bytes > self.layout.max_bytes => {
                Excess { used: bytes, budget: self.layout.max_bytes, unit: "bytes" }
            }
            None => {
                self.tally.cut(&self.text, line.text_end);
                let used = self.tally.count(&self.text[..line.text_end]).tokens();
                Excess { used, budget: self.layout.max_tokens, unit: "tokens" }
            }
        })
    }

    /// Cuts the first line to the budget; the page then ends inside that line.
    pub(super) fn cut_first(&mut self) -> Result<()> {
        let Some(first) = self.lines.first().copied() else { return Ok(()) };
        let codec = self.view.plan.codec;
        let number = self.number;
        // A part of a page of ranges has what they leave beside their own footer.
        let is_part = !self.layout.guides;
        let with_marker = self.has_room_for_footers(LEAST_FOOTERS - u64::from(is_part));
        let has_footer = with_marker && !is_part;
        let (footer_bytes, footer_tokens) = match self.layout.counter {
            _ if !has_footer => (0, 0),
            Some(counter) => {
                (FOOTER_BYTES, counter.count(LONG_FOOTER, NoLockHeld::check())?.max(FOOTER_TOKENS))
            }
            None => (FOOTER_BYTES, FOOTER_TOKENS),
        };
        let max_bytes = to_usize(self.layout.max_bytes - footer_bytes);
        let max_tokens = self.layout.max_tokens - footer_tokens.min(self.layout.max_tokens / 2);
        // The line is decoded again from the buffer, because the shown text may contain a marker.
        let line_end = first.content_end;
        let path = self.view.path;
        let most = line_end.saturating_mul(LONGEST_CHARACTER);
        let mut line = String::new();
        // For the text of the line and copies of it, the ends of its characters, and the estimates of a counter.
        memory::require_memory(path, most.saturating_mul(6).saturating_add(line_end.saturating_mul(24)))?;
        codec.decode_into(&self.content.get()[..line_end], &mut line);
        replace_hidden(self.layout, false, &mut line, 0);
        let ends: Vec<usize> = line.char_indices().map(|(at, char)| at + char.len_utf8()).collect();
        let position = |chars: usize| Position { offset: number, column: self.column + chars as u64 };
        let mut gutter = String::new();
        self.layout.gutter.push_wide(self.shown_number(0), self.columns, &mut gutter);
        let end_of = |chars: usize| {
            chars.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(line.len())
        };
        let marker_after =
            |chars: usize| if with_marker { marker(None, position(chars), false) } else { String::new() };
        let shown = |chars: usize| format!("{gutter}{}{}", &line[..end_of(chars)], marker_after(chars));
        // The largest number of characters that fits, at least one: a page always advances.
        let fits_in_bytes =
            |chars: usize| gutter.len() + end_of(chars) + marker_after(chars).len() <= max_bytes;
        let high = largest_where(1, ends.len().min(max_bytes).max(1), |chars| Ok(fits_in_bytes(chars)))?;
        let low = if let Some(counter) = self.layout.counter {
            let all: Vec<usize> = ends.iter().take(high).map(|end| gutter.len() + end).collect();
            let (most, _) = tokens::longest_prefix(counter, &format!("{gutter}{line}"), &all, max_tokens)?;
            let fits = |chars: usize| Ok(counter.count(&shown(chars), NoLockHeld::check())? <= max_tokens);
            // The marker replaces a few characters.
            let mut back = MARKER_CHARS;
            while back < most && !fits(most - back)? {
                back *= 2;
            }
            largest_where(most.saturating_sub(back).max(1), most.max(1), fits)?
        } else {
            // The part that is known to fit is not estimated again.
            let (mut known, mut counted) = (Running::default(), 0);
            known.push(&gutter);
            largest_where(1, high, |chars| {
                let mut running = known;
                running.push(&line[counted..end_of(chars)]);
                let without_marker = running;
                running.push(&marker_after(chars));
                let fits = running.estimate().tokens() <= max_tokens;
                if fits {
                    (known, counted) = (without_marker, end_of(chars));
                }
                Ok(fits)
            })?
        };
        let is_only = self.lines.len() == 1;
        let is_clipped = (is_only && self.inside.is_some())
            || self.clipped.first().is_some_and(|rest| rest.offset == number);
        let is_whole = low >= ends.len() && !is_clipped;
        let (content_end, raw_end, end_byte, end) = if is_whole {
            // A line of at most one character is shown whole.
            self.text = gutter + &line;
            let end = if first.end_byte < self.view.size() { End::Budget } else { End::Complete };
            (line_end, first.raw_end, first.end_byte, end)
        } else {
            let (cut, chars) = codec.skip_chars(&self.content.get()[..line_end], low as u64);
            self.text = shown(to_usize(chars));
            let end_byte = self.start_byte + cut.saturating_sub(self.shift) as u64;
            (cut, cut, end_byte, End::Inside(position(to_usize(chars))))
        };
        // Bytes that could not be decoded may be after the cut.
        let mut kept = String::new();
        let lossy = codec.decode_into(&self.content.get()[..content_end], &mut kept);
        let has_symbol = self.layout.nul != Hidden::Keep && kept.contains('\0');
        self.lossy_line = (lossy || has_symbol).then_some(number);
        self.clipped.clear();
        self.tally = Tally::default();
        if !is_only {
            self.ending = Ending::Line;
        }
        self.lines = vec![Line { text_end: self.text.len(), content_end, raw_end, end_byte, spent: 0 }];
        self.inside = if let End::Inside(position) = end { Some(position) } else { None };
        (self.kept, self.first_cut) = (1, Some(end));
        Ok(())
    }

    /// Returns the error for a page that does not fit, unless the page is complete as requested.
    pub(super) fn refuse(&self) -> Result<()> {
        let inside = matches!(self.end(), End::Inside(_));
        let fits = self.text_end(self.kept) as u64 <= self.layout.max_bytes;
        if inside && fits && self.kept as u64 == self.limit {
            // The page has as many lines as requested; only its last line is incomplete.
            return Ok(());
        }
        let largest_limit = self.kept as u64 - u64::from(inside || self.first_cut.is_some());
        // Without a recorded excess, only the footer did not fit: report one byte more than the maximum.
        let maximum = self.layout.max_bytes;
        let (used, budget, unit) =
            self.excess.as_ref().map_or((maximum.saturating_add(1), maximum, "bytes"), |excess| {
                (excess.used, excess.budget, excess.unit)
            });
        Err(Error::new(
            self.view.path,
            ErrorKind::OverBudget { used, budget, unit, largest_limit, of: "lines" },
        ))
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

/// The largest number in `low..=high` for which `fits` is true; `low` if there is none.
///
/// `fits` must be monotone. It is never called with a number at or below one for which it was true.
fn largest_where(low: usize, high: usize, mut fits: impl FnMut(usize) -> Result<bool>) -> Result<usize> {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle)? {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Ok(low)
}
