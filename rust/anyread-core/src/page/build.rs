//! Builds a page: reads on from the window's start, line by line, until something ends the page.

mod cut;
mod finish;
mod line;
mod plain;
mod show;
mod start;

use crate::error::{Error, ErrorKind, Result};
use crate::page::build::start::Start;
use crate::page::layout::{Align, FinalNewline, Layout, OverBudget, Total};
use crate::page::tally::Tally;
use crate::page::view::View;
use crate::page::{Content, Page, Place, Window};
use crate::scan::to_usize;
use crate::source::Source;

/// Bytes read at first; each further step is twice as long, up to the largest.
const FIRST_STEP: u64 = 16 << 10;
/// Lines that there is room for at first.
const FIRST_LINES: u64 = 512;
/// Room that a footer needs at the most. Pages too small for four of it go without footer and marker.
const FOOTER_BYTES: u64 = 160;
const FOOTER_TOKENS: u64 = 48;

/// Builds the page of `window`.
///
/// # Errors
/// [`ErrorKind::OffsetPastEnd`] and [`ErrorKind::OverBudget`] if the layout says so, [`ErrorKind::Binary`] for a NUL
/// where those are refused, and those of reading.
pub fn build(view: &View<'_>, window: Window, layout: &Layout<'_>) -> Result<Page> {
    let is_counted = match layout.total {
        Total::Exact => true,
        Total::Bounded => view.size() <= layout.count_bytes,
        Total::Known | Total::Never => false,
    };
    // It costs less to count lines in memory than to narrow their gutters afterwards.
    let saves_work = layout.align == Align::Last && matches!(view.source, Source::Memory(_));
    let total =
        if is_counted || saves_work || layout.needs_total() { Some(view.total_lines()?) } else { None };
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
        if layout.total == Total::Bounded && !is_counted { Some(view.estimate_lines()?) } else { None };
    let mut builder = Builder::new(view, layout, &start, window.limit, total);
    // Other lines need no room where the window begins inside a line, or there are none.
    builder.fills_first = builder.may_fill() && (start.column > 1 || total == Some(1));
    builder.fill_page()?;
    builder.finish(estimate)
}

/// A page without lines, where line `number` would be.
fn no_lines(view: &View<'_>, number: i64, total_lines: Option<u64>) -> Result<Page> {
    Ok(Page {
        text: String::new(),
        footer_bytes: 0,
        content: Content { bytes: Vec::new(), codec: view.plan.codec },
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
    })
}

/// A line that is on the page: the state after it, so that the page can be cut back to it.
#[derive(Clone, Copy)]
struct ShownLine {
    /// End of its text in the page's.
    text_end: usize,
    /// End of its bytes in the buffer, without and with the line ending.
    content_end: usize,
    raw_end: usize,
    clipped: usize,
}

/// Why a page ended.
enum End {
    /// With the file, or at `limit`.
    Complete,
    /// With the line that reached a budget.
    Reached,
    /// The next line did not fit.
    Budget,
    /// In a line whose end is too far away.
    Inside(Place),
}

/// How the last line on a page ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastLine {
    /// With a line ending.
    Ended,
    /// With the file.
    EndsFile,
    /// Somewhere that nobody looked for.
    Unended,
}

/// What a page would have taken when it first did not fit.
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
    /// Columns of the numbers in gutters.
    columns: usize,
    /// Bytes of the lines, without those that are clipped away.
    raw: Vec<u8>,
    /// The escape sequence at the start of `raw` that is not in the file there.
    shift: usize,
    /// Offset in the file of the end of `raw`.
    position: u64,
    step: u64,
    /// Bytes that may still be searched for the ends of clipped lines.
    seek: u64,
    text: String,
    tally: Tally,
    /// What the lines take of [`Layout::budget`].
    spent: u64,
    /// Whether the page is so full that each line must be looked at.
    nearly_full: bool,
    shown: Vec<ShownLine>,
    clipped: Vec<Place>,
    lossy_line: Option<i64>,
    end: End,
    last_line: LastLine,
    excess: Option<Excess>,
    /// Whether the first line alone did not fit: then none does, even if nothing of it is missing.
    first_cut: bool,
    /// Whether the first line is shown as far as the budgets allow, rather than clipped.
    fills_first: bool,
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
            columns: layout.gutter.width,
            raw: start.position.shift.clone(),
            shift: start.position.shift.len(),
            position: start.position.byte,
            step: FIRST_STEP,
            seek: layout.count_bytes,
            text: String::new(),
            tally: Tally::default(),
            spent: 0,
            nearly_full: false,
            shown: Vec::with_capacity(to_usize(limit.min(FIRST_LINES))),
            clipped: Vec::new(),
            lossy_line: None,
            end: End::Complete,
            last_line: LastLine::Ended,
            excess: None,
            first_cut: false,
            fills_first: false,
        };
        builder.columns = builder.columns.max(builder.aligned_columns());
        builder
    }

    /// The columns that [`Align`] asks for; of a page whose last line is not known yet, as many as it may need.
    fn aligned_columns(&self) -> usize {
        let last = match (self.layout.align, self.total) {
            (Align::Gutter, _) => return 0,
            (Align::Total, total) => return decimal_columns(total.unwrap_or(0).cast_signed()),
            // A line has a byte at least, except for the last.
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

    /// Whether the page is large enough for words of our own.
    fn has_room_for_footer(&self) -> bool {
        self.layout.max_bytes >= 4 * FOOTER_BYTES && self.layout.max_tokens >= 4 * FOOTER_TOKENS
    }

    fn out_of_memory(&self) -> Error {
        Error::new(self.view.path, ErrorKind::OUT_OF_MEMORY)
    }

    /// Whether the first line may fill the page: a caller that wants all or nothing gets a part of it only if one
    /// line is all it requested.
    fn may_fill(&self) -> bool {
        self.layout.fill_one_line && (self.layout.over_budget != OverBudget::Refuse || self.limit == 1)
    }

    /// What may be used of a budget before the page ends.
    fn usable(&self, maximum: u64) -> u64 {
        if self.layout.over_budget == OverBudget::After { maximum.saturating_sub(1) } else { maximum }
    }

    /// Makes room at once for a page that takes all the rest of a file in memory.
    ///
    /// Growing step by step would copy a page of a megabyte several times.
    fn make_room(&mut self) -> Result<()> {
        let rest = self.view.size() - self.start_byte;
        let lines = self.total.map(|total| (total + 1).saturating_sub(self.number.unsigned_abs()));
        let Some(lines) = lines.filter(|lines| *lines <= self.limit) else { return Ok(()) };
        let is_in_memory = matches!(self.view.source, Source::Memory(_));
        if !is_in_memory || rest <= FIRST_STEP || rest > self.layout.max_bytes {
            return Ok(());
        }
        let gutter = &self.layout.gutter;
        let separator = gutter.separator.as_ref().map_or(0, |separator| separator.len() + self.columns);
        let lines = to_usize(lines);
        let gutters = lines.saturating_mul(gutter.before.len() + separator + 1);
        let has_room = self.text.try_reserve(to_usize(rest).saturating_add(gutters)).is_ok()
            && self.raw.try_reserve(to_usize(rest)).is_ok()
            && self.shown.try_reserve(lines).is_ok();
        self.step = rest;
        if has_room { Ok(()) } else { Err(self.out_of_memory()) }
    }

    fn fill_page(&mut self) -> Result<()> {
        self.make_room()?;
        while (self.shown.len() as u64) < self.limit {
            let start = self.shown.last().map_or(0, |shown| shown.raw_end);
            if self.add_plain_lines(start) {
                continue;
            }
            let Some(line) = self.next_line(start)? else { break };
            if !self.show(&line)? {
                break;
            }
        }
        Ok(())
    }

    fn raw_end(&self) -> usize {
        self.shown.last().map_or(self.shift, |shown| shown.raw_end)
    }

    /// Offset in the file of the byte after the lines on the page.
    fn end_byte(&self) -> u64 {
        self.position - (self.raw.len() - self.raw_end()) as u64
    }

    /// Whether lines follow those on the page.
    fn has_more(&self) -> bool {
        match self.view.lines.final_newline {
            _ if self.last_line == LastLine::Unended => {
                self.total.is_some_and(|total| self.number_of(self.shown.len()).unsigned_abs() <= total)
            }
            FinalNewline::Starts => self.last_line != LastLine::EndsFile,
            FinalNewline::Ends => self.end_byte() < self.view.size(),
        }
    }
}

/// How many columns a number takes.
fn decimal_columns(number: i64) -> usize {
    let digits = number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
    digits + usize::from(number < 0)
}
