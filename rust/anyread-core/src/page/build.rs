//! Builds a page: appends lines to a list until one of them exceeds a budget, and cuts the list once, at the end.

mod bytes;
mod cut;
mod finish;
mod line;
mod plain;
mod show;
mod start;

use crate::error::{Error, ErrorKind, Result};
use crate::memory;
use crate::page::build::bytes::PageBytes;
use crate::page::build::line::{FIRST_STEP, Input};
use crate::page::build::start::Start;
use crate::page::layout::{Align, Layout, OverBudget, Total};
use crate::page::tally::Tally;
use crate::page::view::View;
use crate::page::{Content, Page, Position, Window};
use crate::scan::to_usize;
use crate::source::Source;

/// The initial value of [`Builder::batch_bytes`].
const BATCH_BYTES: usize = 8 << 10;
/// The initial capacity for lines.
const FIRST_LINES: u64 = 512;
/// The maximum space for a footer, in bytes.
pub const FOOTER_BYTES: u64 = 160;
/// The maximum space for a footer, in tokens.
pub const FOOTER_TOKENS: u64 = 48;
/// Pages with less space than for so many footers have no footer and no marker.
pub const LEAST_FOOTERS: u64 = 4;

/// Builds the page of `window`.
///
/// # Errors
/// [`ErrorKind::OffsetPastEnd`] and [`ErrorKind::OverBudget`] if the layout requires them,
/// [`ErrorKind::Binary`] for a NUL if the layout refuses it, and any error from reading.
pub fn build(view: &View<'_>, window: Window, layout: &Layout<'_>) -> Result<Page> {
    build_moving(view, window, layout, false)
}

/// [`build`]; with `moves_bytes`, the caller owns the bytes of the file, and moves them into a page that shows all
/// of them ([`Content::complete`]).
///
/// # Errors
/// Those of [`build`].
pub fn build_moving(view: &View<'_>, window: Window, layout: &Layout<'_>, moves_bytes: bool) -> Result<Page> {
    let is_counted = view.counts_lines(layout);
    // Counting lines in memory is cheaper than narrowing their gutters afterward.
    let counts_for_width = layout.align == Align::Last && matches!(view.source, Source::Memory(_));
    let needs_total = is_counted || counts_for_width || layout.needs_total();
    let total = if needs_total || (layout.total == Total::Bounded && view.is_counted()) {
        Some(view.total_lines()?)
    } else {
        None
    };
    if view.has_no_line() {
        return no_lines(view, 1, Some(0).filter(|_| layout.total != Total::Never));
    }
    let start = match Start::locate(view, window, total) {
        Err(Error { kind: ErrorKind::OffsetPastEnd { offset, total_lines }, .. }) if !layout.guides => {
            let total = Some(total_lines).filter(|_| layout.total != Total::Never);
            return no_lines(view, i64::try_from(offset).unwrap_or(i64::MAX), total);
        }
        start => start?,
    };
    let estimate =
        if layout.total == Total::Bounded && total.is_none() { Some(view.estimate_lines()?) } else { None };
    let mut builder = Builder::new(view, layout, &start, window.limit, total);
    // No other line needs space if the window begins inside a line or the file has only one. What lines show
    // does not depend on whether an earlier read has counted the file.
    builder.fills_first = builder.may_fill() && (start.column > 1 || (needs_total && total == Some(1)));
    builder.moves_bytes = moves_bytes;
    builder.fill_page()?;
    builder.finish(estimate)
}

/// A page without lines, at the position of line `number`.
pub(super) fn no_lines(view: &View<'_>, number: i64, total_lines: Option<u64>) -> Result<Page> {
    Ok(Page {
        text: String::new(),
        footer_bytes: 0,
        content: Content::new(Vec::new(), &view.plan),
        start_byte: view.size(),
        end_byte: view.size(),
        start_line: number,
        end_line: number - 1,
        total_lines,
        total_lines_estimate: None,
        next: None,
        clipped: Vec::new(),
        final_newline: view.final_newline()?,
        is_over_budget: false,
        lossy_line: None,
        tokens: Some(0),
        shown: Vec::new(),
        rest: Vec::new(),
        hits: Vec::new(),
        is_literal: false,
    })
}

/// A line of the page, after which the page can be cut.
#[derive(Clone, Copy)]
struct Line {
    /// The end of the line in the text.
    text_end: usize,
    /// The end of its bytes in the content, without and with the line ending.
    content_end: usize,
    raw_end: usize,
    /// The offset in the file of the byte after them.
    end_byte: u64,
    /// How much of [`Layout::budget`] the lines up to this one use.
    spent: u64,
}

/// How the last line that was appended ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// With a line ending.
    Line,
    /// At the end of the file.
    File,
    /// Unknown, because its end was not searched for.
    Unknown,
}

/// Why a page ends.
#[derive(Clone, Copy)]
enum End {
    /// At the end of the file, or at `limit`.
    Complete,
    /// After the line that reached a budget.
    Reached,
    /// Before a line that did not fit.
    Budget,
    /// Inside a line whose end is too far away.
    Inside(Position),
}

/// The space that a page would have needed when it first exceeded a budget.
struct Excess {
    used: u64,
    budget: u64,
    unit: &'static str,
}

struct Builder<'a> {
    view: &'a View<'a>,
    layout: &'a Layout<'a>,
    /// The number of lines, if it is counted.
    total: Option<u64>,
    limit: u64,
    number: i64,
    column: u64,
    start_byte: u64,
    /// The length of the escape sequence at the start of `content` that the file does not have there.
    shift: usize,
    /// The width of the numbers in gutters.
    columns: usize,
    input: Input<'a>,
    /// How many more bytes may be searched for the ends of clipped lines.
    seek: u64,
    /// Whether the first line is cut by the budgets rather than clipped.
    fills_first: bool,

    // What grows with each line.
    lines: Vec<Line>,
    text: String,
    content: PageBytes<'a>,
    /// As in [`build_moving`].
    moves_bytes: bool,
    /// How many bytes of plain lines are added at a time. Lines after the end of the page are cut off later.
    batch_bytes: usize,
    tally: Tally,
    /// Where the rest of each clipped line begins.
    clipped: Vec<Position>,
    lossy_line: Option<i64>,
    /// How the last line ends.
    ending: Ending,
    /// Where its rest begins, if its end is too far away.
    inside: Option<Position>,

    // The cut.
    /// How many lines the page has.
    kept: usize,
    /// Why the page ends, if its first line was cut because it did not fit by itself.
    first_cut: Option<End>,
    /// Whether the last line reached a budget.
    reached: bool,
    excess: Option<Excess>,
}

impl<'a> Builder<'a> {
    fn new(
        view: &'a View<'a>,
        layout: &'a Layout<'a>,
        start: &Start,
        limit: u64,
        total: Option<u64>,
    ) -> Self {
        let mut builder = Self {
            view,
            layout,
            total,
            limit,
            number: start.number,
            column: start.column,
            start_byte: start.position.byte,
            shift: start.position.shift.len(),
            columns: layout.gutter.width,
            input: Input::new(view, &start.position),
            seek: view.count_bytes(layout),
            fills_first: false,
            lines: Vec::with_capacity(to_usize(limit.min(FIRST_LINES))),
            text: String::new(),
            content: PageBytes::new(view.source, &start.position),
            moves_bytes: false,
            batch_bytes: BATCH_BYTES,
            tally: Tally::default(),
            clipped: Vec::new(),
            lossy_line: None,
            ending: Ending::Line,
            inside: None,
            kept: 0,
            first_cut: None,
            reached: false,
            excess: None,
        };
        builder.columns = builder.columns.max(builder.aligned_columns());
        builder
    }

    /// The width that [`Align`] requires; if the last line of the page is not known yet, the maximum.
    fn aligned_columns(&self) -> usize {
        let last = match (self.layout.align, self.total) {
            (Align::Gutter, _) => return 0,
            (Align::Total, total) => return decimal_columns(total.unwrap_or(0).cast_signed()),
            // Every line except the last has at least one byte.
            (Align::Last, None) => self.view.size() - self.start_byte + 1,
            (Align::Last, Some(total)) => total.saturating_sub(self.number.unsigned_abs()) + 1,
        };
        let last = to_usize(last.min(self.limit)).saturating_sub(1);
        decimal_columns(self.shown_number(0)).max(decimal_columns(self.shown_number(last)))
    }

    fn number_of(&self, line: usize) -> i64 {
        self.number.saturating_add_unsigned(line as u64)
    }

    /// The number in the gutter of a line.
    fn shown_number(&self, line: usize) -> i64 {
        self.layout.first_number.unwrap_or(self.number).saturating_add_unsigned(line as u64)
    }

    fn column_of(&self, line: usize) -> u64 {
        if line == 0 { self.column } else { 1 }
    }

    /// Whether the page has at least so many times the room of a footer, and thus room for a footer and markers.
    fn has_room_for_footers(&self, count: u64) -> bool {
        self.layout.max_bytes >= count * FOOTER_BYTES && self.layout.max_tokens >= count * FOOTER_TOKENS
    }

    fn out_of_memory(&self) -> Error {
        memory::out_of_memory(self.view.path)
    }

    /// Whether the first line may fill the page. With [`OverBudget::Refuse`], part of a line is shown only
    /// if just one line was requested.
    fn may_fill(&self) -> bool {
        self.layout.fill_one_line && (self.layout.over_budget != OverBudget::Refuse || self.limit == 1)
    }

    /// How much of a budget may be used before the page ends.
    fn usable(&self, maximum: u64) -> u64 {
        if self.layout.over_budget == OverBudget::After { maximum.saturating_sub(1) } else { maximum }
    }

    /// Whether the page is likely to show all the rest of a file in memory, which is then added at once.
    fn is_rest(&self) -> bool {
        let rest = self.view.size() - self.start_byte;
        let lines = self.total.map(|total| (total + 1).saturating_sub(self.number.unsigned_abs()));
        matches!(self.view.source, Source::Memory(_))
            && rest <= self.layout.max_bytes
            && lines.is_some_and(|lines| lines <= self.limit)
    }

    /// Appends lines until the page is full, or as many as one batch too many.
    fn fill_page(&mut self) -> Result<()> {
        if self.is_rest() {
            self.batch_bytes = usize::MAX;
            self.input.step = self.view.size().max(FIRST_STEP);
        }
        if self.limit > 0 {
            self.input.read_more()?;
        }
        while (self.lines.len() as u64) < self.limit && self.inside.is_none() && self.fits() {
            if !self.add_plain_lines()? {
                let Some(line) = self.next_line()? else { break };
                self.show(line)?;
            }
        }
        Ok(())
    }

    /// Whether all lines are within the budgets; a counter is only asked at the end.
    fn fits(&mut self) -> bool {
        let max_tokens = self.usable(self.layout.max_tokens);
        self.lines.last().is_none_or(|last| self.is_within(last))
            && (self.layout.counter.is_some() || !self.tally.exceeds(&self.text, max_tokens))
    }

    /// Whether the lines up to this one are within the budgets that are not in tokens.
    fn is_within(&self, line: &Line) -> bool {
        line.text_end as u64 <= self.usable(self.layout.max_bytes)
            && self.layout.budget.is_none_or(|budget| line.spent <= self.usable(budget.maximum))
    }

    /// How much of [`Layout::budget`] all lines use.
    fn spent(&self) -> u64 {
        self.lines.last().map_or(0, |last| last.spent)
    }
}

/// The width of a number in columns.
fn decimal_columns(number: i64) -> usize {
    let digits = number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
    digits + usize::from(number < 0)
}
