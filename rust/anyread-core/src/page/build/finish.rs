//! Finishes a page: the footer, whether it fits, and the page's metadata.

use std::borrow::Cow;

use super::{Builder, End, Excess};
use crate::error::Result;
use crate::lock::NoLockHeld;
use crate::memory;
use crate::page::footer::Footer;
use crate::page::layout::{Align, OverBudget, Total};
use crate::page::{Content, Page, Place};
use crate::tokens;

use super::decimal_columns;

impl Builder<'_> {
    pub(super) fn finish(mut self, estimate: Option<u64>) -> Result<Page> {
        if let Some(counter) = self.layout.counter {
            let ends = memory::collected(self.view.path, self.shown.iter().map(|shown| shown.text_end))?;
            let maximum = self.usable(self.layout.max_tokens);
            let (mut lines, _) = tokens::longest_prefix(counter, &self.text, &ends, maximum)?;
            if lines < ends.len() && self.layout.over_budget.refuses() {
                let used = counter.count(&self.text, NoLockHeld::check())?;
                let excess = Excess { used, budget: self.layout.max_tokens, unit: "tokens" };
                self.excess.get_or_insert(excess);
            }
            if lines < ends.len() && self.layout.over_budget == OverBudget::After {
                lines += 1;
                self.end = End::Reached;
            }
            self.cut_back(lines)?;
        }
        let mut page_footer = self.footer(estimate);
        while !self.fits_with(&page_footer)? {
            let Some(fewer) = self.shown.len().checked_sub(1).filter(|_| !page_footer.is_empty()) else {
                break;
            };
            self.cut_back(fewer)?;
            page_footer = self.footer(estimate);
            if fewer == 0 {
                break;
            }
        }
        if self.layout.over_budget.refuses() && matches!(self.end, End::Budget | End::Inside(_)) {
            self.refuse()?;
        }
        self.page(&page_footer, estimate)
    }

    /// Where the next page begins, if the file goes on after this one.
    fn next(&self) -> Option<Place> {
        let next_line = Place { offset: self.number_of(self.shown.len()), column: 1 };
        match self.end {
            End::Inside(place) => Some(place),
            End::Budget => Some(next_line),
            End::Complete | End::Reached => self.has_more().then_some(next_line),
        }
    }

    fn footer(&self, estimate: Option<u64>) -> String {
        if !self.layout.guides {
            return String::new();
        }
        let next = self.next();
        let whole = self.number == 1 && self.column == 1 && next.is_none() && self.clipped.is_empty();
        if whole || !self.has_room_for_footer() {
            return String::new();
        }
        let lines = (self.number, self.end_line());
        let (clipped, size) = (self.clipped.len(), self.view.size());
        let total = self.total.or_else(|| self.total_at_end().filter(|_| self.layout.total != Total::Never));
        let estimate = self.estimate_from_here(estimate.unwrap_or(0));
        Footer { lines, total, estimate, size, clipped, next }.to_string()
    }

    /// The number of the last line shown.
    fn end_line(&self) -> i64 {
        self.number_of(self.shown.len()) - 1
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
        let bytes = self.text.len() + if footer.is_empty() { 0 } else { footer.len() + 1 };
        if bytes as u64 > self.layout.max_bytes {
            return Ok(false);
        }
        let tokens = match self.layout.counter {
            Some(counter) => counter.count(&self.joined(footer)?, NoLockHeld::check())?,
            None if tokens::ceiling(bytes).tokens() <= self.layout.max_tokens => return Ok(true),
            None => (self.tally.count(&self.text) + tokens::estimate(footer)).tokens(),
        };
        Ok(tokens <= self.layout.max_tokens)
    }

    /// The text of the page and its footer.
    fn joined(&self, footer: &str) -> Result<Cow<'_, str>> {
        if footer.is_empty() {
            return Ok(Cow::Borrowed(self.text.as_str()));
        }
        let mut joined = String::new();
        joined.try_reserve_exact(self.text.len() + 1 + footer.len()).map_err(|_| self.out_of_memory())?;
        joined.extend([self.text.as_str(), "\n", footer]);
        Ok(Cow::Owned(joined))
    }

    /// Removes what is lost when the lines are joined and split again ([`Layout::splits_again`]).
    fn split_again(&mut self) -> Result<()> {
        let last = self.shown.len().saturating_sub(1);
        let previous = last.checked_sub(1).and_then(|index| self.shown.get(index));
        let start = previous.map_or(0, |previous| previous.text_end + 1);
        let mut gutter = String::new();
        self.layout.gutter.push_wide(self.shown_number(last), self.columns, &mut gutter);
        let is_blank = self.text.get(start..) == Some(&gutter);
        if is_blank {
            self.text.truncate(start);
        }
        self.narrow(if is_blank { last } else { self.shown.len() })?;
        if self.text.contains("\r\n") {
            let mut joined = String::new();
            joined.try_reserve_exact(self.text.len()).map_err(|_| self.out_of_memory())?;
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
        let mut narrow = String::new();
        narrow.try_reserve(self.text.len()).map_err(|_| self.out_of_memory())?;
        let mut start = 0;
        for shown in &self.shown[..lines] {
            let blanks_start = start + before;
            narrow.push_str(&self.text[start..blanks_start]);
            narrow.push_str(&self.text[blanks_start + blanks..shown.text_end]);
            // Here the line includes its line feed.
            start = shown.text_end.min(self.text.len());
            if start < self.text.len() {
                narrow.push('\n');
                start += 1;
            }
        }
        self.text = narrow;
        Ok(())
    }

    fn page(mut self, footer: &str, estimate: Option<u64>) -> Result<Page> {
        let next = self.next();
        let end_line = self.end_line();
        let total_at_end = self.total_at_end();
        let estimate =
            estimate.filter(|_| total_at_end.is_none()).map(|whole| self.estimate_from_here(whole));
        if self.layout.splits_again {
            self.split_again()?;
        } else {
            self.narrow(self.shown.len())?;
        }
        let tokens = match self.layout.counter {
            Some(counter) => Some(counter.count(&self.joined(footer)?, NoLockHeld::check())?),
            None => self.tally.known(&self.text, footer),
        };
        let end_byte = self.end_byte();
        self.raw.truncate(self.raw_end());
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
        let is_over_budget = self.first_cut
            || matches!(self.end, End::Budget)
            || (matches!(self.end, End::Reached) && next.is_some());
        Ok(Page {
            footer_bytes: footer.len(),
            text: self.text,
            content: Content::new(self.raw, &self.view.plan),
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
        })
    }
}
