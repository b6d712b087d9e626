//! Handling a page that does not fit: cut back to whole lines, cut the first line, or refuse the page.

use super::show::replace_hidden;
use super::{Builder, End, FOOTER_BYTES, FOOTER_TOKENS, LastLine, ShownLine};
use crate::error::{Error, ErrorKind, Result};
use crate::lock::NoLockHeld;
use crate::memory;
use crate::page::footer::marker;
use crate::page::tally::Tally;
use crate::page::{Hidden, LONGEST_CHARACTER, OverBudget, Place};
use crate::scan::to_usize;
use crate::tokens::{self, Running};

/// The approximate length of the marker of a cut line, in characters.
const MARKER_CHARS: usize = 64;

impl Builder<'_> {
    /// Cuts the page back to its first `lines` lines, or to the part of the first line that fits.
    pub(super) fn cut_back(&mut self, lines: usize) -> Result<()> {
        if lines >= self.shown.len() {
            return Ok(());
        }
        if lines == 0 && self.layout.over_budget.cuts_first() {
            let mut gutter = String::new();
            self.layout.gutter.push_wide(self.shown_number(0), self.columns, &mut gutter);
            return self.cut_first(gutter.len());
        }
        self.shown.truncate(lines);
        let (text_end, clipped) = self.shown.last().map_or((0, 0), |last| (last.text_end, last.clipped));
        self.tally.cut(&self.text, text_end);
        self.text.truncate(text_end);
        self.clipped.truncate(clipped);
        self.last_line = LastLine::Ended;
        let end = self.number_of(lines);
        self.lossy_line = self.lossy_line.filter(|line| *line < end);
        self.end = if self.layout.over_budget == OverBudget::After { End::Reached } else { End::Budget };
        Ok(())
    }

    /// Cuts the only line of the page to the budget; the page then ends inside that line.
    pub(super) fn cut_first(&mut self, text_start: usize) -> Result<()> {
        let codec = self.view.plan.codec;
        let number = self.number;
        let with_marker = self.has_room_for_footer();
        let (footer_bytes, footer_tokens) = if with_marker { (FOOTER_BYTES, FOOTER_TOKENS) } else { (0, 0) };
        let max_bytes = to_usize(self.layout.max_bytes - footer_bytes);
        let max_tokens = self.layout.max_tokens - footer_tokens;
        // The line is decoded again from the buffer, because the shown text may contain a marker.
        let line_end = self.shown.first().map_or(self.raw.len(), |shown| shown.content_end);
        let path = self.view.path;
        let most = line_end.saturating_mul(LONGEST_CHARACTER);
        let mut line = String::new();
        line.try_reserve(most).map_err(|_| memory::out_of_memory(path))?;
        codec.decode_into(&self.raw[..line_end], &mut line);
        replace_hidden(self.layout, false, &mut line, 0).map_err(|_| memory::out_of_memory(path))?;
        let ends = memory::collected(path, line.char_indices().map(|(at, char)| at + char.len_utf8()))?;
        // For the copies of the line below, and for the estimates of a counter.
        memory::require_memory(path, most.saturating_mul(4).saturating_add(ends.len().saturating_mul(16)))?;
        let place = |chars: usize| Place { offset: number, column: self.column + chars as u64 };
        let gutter = self.text[..text_start].to_owned();
        let end_of = |chars: usize| {
            chars.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(line.len())
        };
        let marker_after =
            |chars: usize| if with_marker { marker(None, place(chars)) } else { String::new() };
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
        let ends_inside = self.shown.len() == 1 && matches!(self.end, End::Inside(_));
        let is_clipped = ends_inside || self.shown.first().is_some_and(|shown| shown.clipped > 0);
        let whole = self.shown.first().copied().filter(|_| low >= ends.len() && !is_clipped);
        let (content_end, raw_end, end_byte) = if let Some(whole) = whole {
            // A line of at most one character is shown whole.
            self.text = gutter + &line;
            self.end = if whole.end_byte < self.view.size() { End::Budget } else { End::Complete };
            (line_end, whole.raw_end, whole.end_byte)
        } else {
            let (cut, chars) = codec.skip_chars(&self.raw[..line_end], low as u64);
            self.text = shown(to_usize(chars));
            self.end = End::Inside(place(to_usize(chars)));
            (cut, cut, self.start_byte + cut.saturating_sub(self.shift) as u64)
        };
        // Bytes that could not be decoded may be after the cut.
        let mut kept = String::new();
        let lossy = codec.decode_into(&self.raw[..content_end], &mut kept);
        let has_symbol = self.layout.nul != Hidden::Keep && kept.contains('\0');
        self.lossy_line = (lossy || has_symbol).then_some(number);
        self.clipped.clear();
        self.first_cut = true;
        self.tally = Tally::default();
        self.shown =
            vec![ShownLine { text_end: self.text.len(), content_end, raw_end, end_byte, clipped: 0 }];
        Ok(())
    }

    /// Returns the error for a page that does not fit, unless the page is complete as requested.
    pub(super) fn refuse(&self) -> Result<()> {
        let inside = matches!(self.end, End::Inside(_));
        if inside && self.text.len() as u64 <= self.layout.max_bytes && self.shown.len() as u64 == self.limit
        {
            // The page has as many lines as requested; only its last line is incomplete.
            return Ok(());
        }
        let largest_limit = self.shown.len() as u64 - u64::from(inside || self.first_cut);
        // Without a recorded excess, only the footer did not fit: report one byte more than the maximum.
        let maximum = self.layout.max_bytes;
        let (used, budget, unit) =
            self.excess.as_ref().map_or((maximum.saturating_add(1), maximum, "bytes"), |excess| {
                (excess.used, excess.budget, excess.unit)
            });
        Err(Error::new(self.view.path, ErrorKind::OverBudget { used, budget, unit, largest_limit }))
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
