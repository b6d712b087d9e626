//! Builds a page: reads lines from the start of the window until something ends the page.

mod ascii;
mod cut;
mod finish;
mod line;
mod plain;
mod show;
mod start;

use crate::error::{Error, ErrorKind, Result};
use crate::memory;
use crate::page::build::start::Start;
use crate::page::layout::{Align, FinalNewline, Layout, OverBudget, Total};
use crate::page::tally::Tally;
use crate::page::view::View;
use crate::page::{Content, Page, Place, Window};
use crate::scan::{line_feeds, to_usize};
use crate::source::Source;

/// The size of the first read in bytes; each further one is twice as large, up to `LARGEST_STEP`.
const FIRST_STEP: u64 = 16 << 10;
/// The initial capacity for lines.
const FIRST_LINES: u64 = 512;
/// The maximum space for a footer. Pages smaller than four times that have no footer and no marker.
const FOOTER_BYTES: u64 = 160;
const FOOTER_TOKENS: u64 = 48;

/// Builds the page of `window`.
///
/// # Errors
/// [`ErrorKind::OffsetPastEnd`] and [`ErrorKind::OverBudget`] if the layout requires them,
/// [`ErrorKind::Binary`] for a NUL if the layout refuses it, and any error from reading.
pub fn build(view: &View<'_>, window: Window, layout: &Layout<'_>) -> Result<Page> {
    let line_feeds = match view.source {
        Source::Memory(bytes) if view.plan.is_plain => line_feeds::of_plain(bytes),
        _ => None,
    };
    let plain = line_feeds.as_deref().map(|line_feeds| PlainText { line_feeds, keeps_bytes: false });
    build_plain(view, plain, window, layout)
}

/// A text in memory that [is plain](crate::text::TextPlan::is_plain), for [`build_plain`].
#[derive(Debug, Clone, Copy)]
pub struct PlainText<'a> {
    /// The offsets of all its line feeds.
    pub line_feeds: &'a [u32],
    /// Whether the caller owns the bytes of the file, and moves them into a page that shows all of them
    /// ([`Content::complete`]).
    pub keeps_bytes: bool,
}

/// [`build`] for a text whose line feeds are known if it is plain.
///
/// # Errors
/// Those of [`build`].
pub fn build_plain(
    view: &View<'_>,
    plain: Option<PlainText<'_>>,
    window: Window,
    layout: &Layout<'_>,
) -> Result<Page> {
    let page = plain.and_then(|plain| ascii::page(view, plain, window, layout));
    page.map_or_else(|| general(view, window, layout), Ok)
}

/// [`build`] for any text and layout.
fn general(view: &View<'_>, window: Window, layout: &Layout<'_>) -> Result<Page> {
    let is_counted = match layout.total {
        Total::Exact => true,
        Total::Bounded => view.size() <= layout.count_bytes,
        Total::Known | Total::Never => false,
    };
    // Counting lines in memory is cheaper than narrowing their gutters afterward.
    let counts_for_width = layout.align == Align::Last && matches!(view.source, Source::Memory(_));
    let total =
        if is_counted || counts_for_width || layout.needs_total() { Some(view.total_lines()?) } else { None };
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
    // No other line needs space if the window begins inside a line or the file has only one.
    builder.fills_first = builder.may_fill() && (start.column > 1 || total == Some(1));
    builder.fill_page()?;
    builder.finish(estimate)
}

/// A page without lines, at the position of line `number`.
fn no_lines(view: &View<'_>, number: i64, total_lines: Option<u64>) -> Result<Page> {
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
    })
}

/// The state after a line on the page, to which the page can be cut back.
#[derive(Clone, Copy)]
struct ShownLine {
    /// The end of the line in the text of the page.
    text_end: usize,
    /// The end of its bytes in the buffer, without and with the line ending.
    content_end: usize,
    raw_end: usize,
    /// The offset in the file of the byte after them.
    end_byte: u64,
    clipped: usize,
}

/// Why a page ended.
enum End {
    /// At the end of the file, or at `limit`.
    Complete,
    /// After the line that reached a budget.
    Reached,
    /// Before a line that did not fit.
    Budget,
    /// Inside a line whose end is too far away.
    Inside(Place),
}

/// How the last line on a page ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastLine {
    /// With a line ending.
    Ended,
    /// At the end of the file.
    EndsFile,
    /// Unknown, because its end was not searched for.
    Unended,
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
    /// The width of the numbers in gutters.
    columns: usize,
    /// The bytes of the lines, without those that are clipped.
    raw: Vec<u8>,
    /// The length of the escape sequence put at the start of `raw` that the file does not have there.
    shift: usize,
    /// The offset in the file of the end of `raw`.
    position: u64,
    step: u64,
    /// How many more bytes may be searched for the ends of clipped lines.
    seek: u64,
    text: String,
    tally: Tally,
    /// How much of [`Layout::budget`] the lines use.
    spent: u64,
    /// Whether the page is so full that lines must be added one by one.
    nearly_full: bool,
    shown: Vec<ShownLine>,
    clipped: Vec<Place>,
    lossy_line: Option<i64>,
    end: End,
    last_line: LastLine,
    excess: Option<Excess>,
    /// Whether the first line was cut because it did not fit by itself.
    first_cut: bool,
    /// Whether the first line is cut by the budgets rather than clipped.
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

    /// Whether the page is large enough for a footer and markers.
    fn has_room_for_footer(&self) -> bool {
        self.layout.max_bytes >= 4 * FOOTER_BYTES && self.layout.max_tokens >= 4 * FOOTER_TOKENS
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

    /// Reserves memory for a page that shows all the rest of a file in memory.
    ///
    /// Growing step by step would copy a large page several times.
    fn reserve_memory(&mut self) -> Result<()> {
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
        let is_reserved = self.text.try_reserve(to_usize(rest).saturating_add(gutters)).is_ok()
            && self.raw.try_reserve(to_usize(rest)).is_ok()
            && self.shown.try_reserve(lines).is_ok();
        self.step = rest;
        if is_reserved { Ok(()) } else { Err(self.out_of_memory()) }
    }

    fn fill_page(&mut self) -> Result<()> {
        self.reserve_memory()?;
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

    /// The offset in the file of a place in the buffer, if no bytes after it were dropped from the buffer.
    fn byte_at(&self, raw: usize) -> u64 {
        self.position - (self.raw.len() - raw) as u64
    }

    /// The offset in the file of the byte after the lines on the page.
    fn end_byte(&self) -> u64 {
        self.shown.last().map_or(self.start_byte, |shown| shown.end_byte)
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

/// The width of a number in columns.
fn decimal_columns(number: i64) -> usize {
    let digits = number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
    digits + usize::from(number < 0)
}
