//! Finishes a page: the footer, whether it fits, and the page's metadata.

use std::borrow::Cow;

use super::{Builder, End, Ending, Excess, LEAST_FOOTERS, Line};
use crate::error::Result;
use crate::lock::NoLockHeld;
use crate::page::footer::{Footer, Next};
use crate::page::layout::{Align, FinalNewline, OverBudget, Total};
use crate::page::{Content, LineRange, Page, Position};
use crate::tokens;

use super::decimal_columns;

impl Builder<'_> {
    pub(super) fn finish(mut self, estimate: Option<u64>) -> Result<Page> {
        self.kept = self.fitting();
        let takes_one_more = self.layout.over_budget == OverBudget::After;
        if self.kept < self.lines.len() {
            if takes_one_more {
                (self.kept, self.reached) = (self.kept + 1, true);
            } else if self.layout.over_budget.refuses() {
                self.excess = self.excess_with(self.kept);
            }
        }
        if let Some(counter) = self.layout.counter {
            let ends: Vec<usize> = self.lines[..self.kept].iter().map(|line| line.text_end).collect();
            let (text, maximum) = (self.kept_text(), self.usable(self.layout.max_tokens));
            let (lines, _) = tokens::longest_prefix(counter, text, &ends, maximum)?;
            if lines < ends.len() {
                if self.layout.over_budget.refuses() && self.excess.is_none() {
                    let used = counter.count(text, NoLockHeld::check())?;
                    self.excess = Some(Excess { used, budget: self.layout.max_tokens, unit: "tokens" });
                }
                self.reached = takes_one_more;
                self.kept = lines + usize::from(takes_one_more);
            }
        }
        if self.kept == 0 && self.layout.over_budget.cuts_first() {
            self.cut_first()?;
        }
        let mut page_footer = self.footer(estimate);
        while !self.fits_with(&page_footer)? && !page_footer.is_empty() && self.kept > 0 {
            self.kept -= 1;
            if self.kept == 0 && self.layout.over_budget.cuts_first() {
                self.cut_first()?;
                page_footer = self.footer(estimate);
                break;
            }
            page_footer = self.footer(estimate);
        }
        if self.layout.over_budget.refuses() && matches!(self.end(), End::Budget | End::Inside(_)) {
            self.refuse()?;
        }
        self.page(&page_footer, estimate)
    }

    /// Why the page ends after the lines that are kept.
    pub(super) fn end(&self) -> End {
        match (self.first_cut, self.inside) {
            (Some(end), _) => end,
            _ if self.kept < self.lines.len() && self.layout.over_budget != OverBudget::After => End::Budget,
            (None, Some(position)) if self.kept == self.lines.len() => End::Inside(position),
            _ if self.kept < self.lines.len() || self.reached => End::Reached,
            _ => End::Complete,
        }
    }

    /// Where the next page begins, if the file goes on after this one.
    fn next(&self) -> Option<Position> {
        let next_line = Position { offset: self.number_of(self.kept), column: 1 };
        match self.end() {
            End::Inside(position) => Some(position),
            End::Budget => Some(next_line),
            End::Complete | End::Reached => self.has_more().then_some(next_line),
        }
    }

    /// Whether lines follow those on the page.
    fn has_more(&self) -> bool {
        let ending = if self.kept == self.lines.len() { self.ending } else { Ending::Line };
        match self.view.lines.final_newline {
            _ if ending == Ending::Unknown => {
                self.total.is_some_and(|total| self.number_of(self.kept).unsigned_abs() <= total)
            }
            FinalNewline::Starts => ending != Ending::File,
            FinalNewline::Ends => self.end_byte() < self.view.size(),
        }
    }

    /// The last line that is kept.
    fn last(&self) -> Option<&Line> {
        self.kept.checked_sub(1).and_then(|last| self.lines.get(last))
    }

    /// The offset in the file of the byte after the page.
    fn end_byte(&self) -> u64 {
        self.last().map_or(self.start_byte, |last| last.end_byte)
    }

    /// The end of the first `lines` lines in the text.
    pub(super) fn text_end(&self, lines: usize) -> usize {
        lines.checked_sub(1).and_then(|last| self.lines.get(last)).map_or(0, |last| last.text_end)
    }

    /// The text of the lines that are kept.
    fn kept_text(&self) -> &str {
        &self.text[..self.text_end(self.kept)]
    }

    /// How many lines that are kept are clipped.
    fn clipped_lines(&self) -> usize {
        let end = self.number_of(self.kept);
        self.clipped.partition_point(|rest| rest.offset < end)
    }

    fn footer(&self, estimate: Option<u64>) -> String {
        if !self.layout.guides {
            return String::new();
        }
        let next = self.next();
        let clipped = self.clipped_lines();
        let whole = self.number == 1 && self.column == 1 && next.is_none() && clipped == 0;
        if whole || !self.has_room_for_footers(LEAST_FOOTERS) {
            return String::new();
        }
        let lines = &[LineRange { first: self.number, last: self.end_line() }];
        let next = next.map(Next::Position);
        let size = self.view.size();
        let total = self.total.or_else(|| self.total_at_end().filter(|_| self.layout.total != Total::Never));
        let estimate = self.estimate_from_here(estimate.unwrap_or(0));
        Footer {
            lines,
            total,
            estimate,
            size,
            clipped,
            named: &[],
            inside: &[],
            from: None,
            missing: &[],
            hits: None,
            next,
        }
        .to_string()
    }

    /// The number of the last line shown.
    fn end_line(&self) -> i64 {
        self.number_of(self.kept) - 1
    }

    /// The number of lines in the file, if the page shows its end and its lines are counted from the start.
    fn total_at_end(&self) -> Option<u64> {
        (self.next().is_none() && self.number > 0).then(|| self.end_line().unsigned_abs())
    }

    /// The estimated number of lines, given the estimate for the entire file.
    ///
    /// The lines up to the end of this page are counted, unless their numbers are negative, so only the rest is estimated.
    fn estimate_from_here(&self, estimate: u64) -> u64 {
        if self.number < 0 {
            return estimate;
        }
        let size = u128::from(self.view.size().max(1));
        let rest = u128::from(self.view.size().saturating_sub(self.end_byte()));
        let below = u64::try_from(u128::from(estimate) * rest / size).unwrap_or(u64::MAX);
        self.end_line().unsigned_abs().saturating_add(below.max(u64::from(self.next().is_some())))
    }

    fn fits_with(&mut self, footer: &str) -> Result<bool> {
        let end = self.text_end(self.kept);
        let bytes = end + if footer.is_empty() { 0 } else { footer.len() + 1 };
        if bytes as u64 > self.layout.max_bytes {
            return Ok(false);
        }
        let tokens = match self.layout.counter {
            Some(counter) => counter.count(&self.joined(footer)?, NoLockHeld::check())?,
            None if tokens::ceiling(bytes).tokens() <= self.layout.max_tokens => return Ok(true),
            None => {
                self.tally.cut(&self.text, end);
                (self.tally.count(&self.text[..end]) + tokens::estimate(footer)).tokens()
            }
        };
        Ok(tokens <= self.layout.max_tokens)
    }

    /// The text of the page and its footer.
    fn joined(&self, footer: &str) -> Result<Cow<'_, str>> {
        let text = self.kept_text();
        if footer.is_empty() {
            return Ok(Cow::Borrowed(text));
        }
        let mut joined = self.string(text.len() + 1 + footer.len())?;
        joined.extend([text, "\n", footer]);
        Ok(Cow::Owned(joined))
    }

    /// An empty text with room for this many bytes.
    fn string(&self, bytes: usize) -> Result<String> {
        let mut string = String::new();
        string.try_reserve_exact(bytes).map_err(|_| self.out_of_memory())?;
        Ok(string)
    }

    /// Removes what is lost when the lines are joined and split again ([`Layout::splits_again`]).
    fn split_again(&mut self) -> Result<()> {
        let last = self.lines.len().saturating_sub(1);
        let previous = last.checked_sub(1).and_then(|index| self.lines.get(index));
        let start = previous.map_or(0, |previous| previous.text_end + 1);
        let mut gutter = String::new();
        self.layout.gutter.push_wide(self.shown_number(last), self.columns, &mut gutter);
        let is_blank = self.text.get(start..) == Some(&gutter);
        if is_blank {
            self.text.truncate(start);
        }
        self.narrow(if is_blank { last } else { self.lines.len() })?;
        if self.text.contains("\r\n") {
            let mut joined = self.string(self.text.len())?;
            for (line, piece) in self.text.split("\r\n").enumerate() {
                if line > 0 {
                    joined.push('\n');
                }
                joined.push_str(piece);
            }
            self.text = joined;
        }
        if is_blank {
            self.text.pop();
        }
        Ok(())
    }

    /// Narrows the gutters of the first `lines` lines, the only ones left, to the widest number among them.
    fn narrow(&mut self, lines: usize) -> Result<()> {
        let Some(last) = lines.checked_sub(1).filter(|_| self.layout.align == Align::Last) else {
            return Ok(());
        };
        let widest = decimal_columns(self.shown_number(0)).max(decimal_columns(self.shown_number(last)));
        let blanks = self.columns - widest.max(self.layout.gutter.width).min(self.columns);
        if blanks == 0 || self.layout.gutter.separator.is_none() {
            return Ok(());
        }
        let before = self.layout.gutter.before.len();
        let mut narrow = self.string(self.text.len())?;
        let mut start = 0;
        for line in &self.lines[..lines] {
            let blanks_start = start + before;
            narrow.push_str(&self.text[start..blanks_start]);
            narrow.push_str(&self.text[blanks_start + blanks..line.text_end]);
            // Here the line includes its line feed.
            start = line.text_end.min(self.text.len());
            if start < self.text.len() {
                narrow.push('\n');
                start += 1;
            }
        }
        self.text = narrow;
        Ok(())
    }

    /// Cuts everything after the lines that are kept.
    fn cut(&mut self) {
        let (text_end, end) = (self.text_end(self.kept), self.number_of(self.kept));
        self.tally.cut(&self.text, text_end);
        self.text.truncate(text_end);
        self.content.truncate(self.last().map_or(0, |last| last.raw_end));
        self.clipped.truncate(self.clipped_lines());
        self.lossy_line = self.lossy_line.filter(|line| *line < end);
        self.lines.truncate(self.kept);
    }

    fn page(mut self, footer: &str, estimate: Option<u64>) -> Result<Page> {
        let next = self.next();
        let end_line = self.end_line();
        let total_at_end = self.total_at_end();
        let end = self.end();
        let estimate =
            estimate.filter(|_| total_at_end.is_none()).map(|whole| self.estimate_from_here(whole));
        let end_byte = self.end_byte();
        self.cut();
        if self.layout.splits_again {
            self.split_again()?;
        } else {
            self.narrow(self.lines.len())?;
        }
        let tokens = match self.layout.counter {
            Some(counter) => {
                let separator = if footer.is_empty() { "" } else { "\n" };
                let joined = [&*self.text, separator, footer].concat();
                Some(counter.count(&joined, NoLockHeld::check())?)
            }
            None => self.tally.known(&self.text, footer),
        };
        if !footer.is_empty() {
            self.text.try_reserve(1 + footer.len()).map_err(|_| self.out_of_memory())?;
            self.text.push('\n');
            self.text.push_str(footer);
        }
        let total = match self.layout.total {
            Total::Never => None,
            Total::Known if self.total.is_none() && total_at_end.is_none() => self.view.known_total()?,
            _ => self.total.or(total_at_end),
        };
        let is_over_budget = self.first_cut.is_some()
            || matches!(end, End::Budget)
            || (matches!(end, End::Reached) && next.is_some());
        let content = if self.moves_bytes && self.content.is_whole(self.view.source) {
            Content::of_whole_file(&self.view.plan)
        } else {
            Content::new(self.content.into_vec(), &self.view.plan)
        };
        Ok(Page {
            footer_bytes: footer.len(),
            text: self.text,
            content,
            start_byte: self.start_byte,
            end_byte,
            start_line: self.number,
            end_line,
            total_lines: total,
            total_lines_estimate: estimate,
            next,
            clipped: self.clipped,
            final_newline: self.view.final_newline()?,
            is_over_budget,
            lossy_line: self.lossy_line,
            tokens,
            shown: Vec::new(),
            rest: Vec::new(),
            hits: Vec::new(),
            is_literal: false,
        })
    }
}
