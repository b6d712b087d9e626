//! Builds a page: reads on from the window's start, line by line, until something ends the page.

mod cut;
mod plain;
mod start;

use std::borrow::Cow;
use std::ops::Range;

use crate::encoding::Codec;
use crate::error::{Error, ErrorKind, Result};
use crate::lock::NoLockHeld;
use crate::page::build::start::Start;
use crate::page::footer::{Footer, marker};
use crate::page::tally::Tally;
use crate::page::view::{LineEnd, View};
use crate::page::{Content, Layout, Nul, Page, Place, Window};
use crate::scan::to_usize;
use crate::tokens;

/// The end of a clipped last line is not sought farther away than this.
const SEEK_LAST: u64 = 1 << 20;
/// Bytes read at first; each further step is twice as long, up to the largest.
const FIRST_STEP: u64 = 16 << 10;
const LARGEST_STEP: u64 = 256 << 10;
/// Lines that there is room for at first.
const FIRST_LINES: u64 = 512;
/// Room that a footer needs at the most. Pages too small for four of it go without footer and marker.
const FOOTER_BYTES: u64 = 160;
const FOOTER_TOKENS: u64 = 48;

/// Builds the page of `window`.
///
/// # Errors
/// [`ErrorKind::OffsetPastEnd`], [`ErrorKind::OverBudget`] if the layout says so, [`ErrorKind::Binary`] for a NUL
/// where those are refused, and those of reading.
pub fn build(view: &View<'_>, window: Window, layout: &Layout<'_>) -> Result<Page> {
    let counted = layout.exact_total || view.size() <= layout.count_bytes;
    let total = if counted { Some(view.total_lines()?) } else { None };
    if view.size() <= view.plan.bom_len {
        return Ok(empty(view));
    }
    let start = Start::locate(view, window, total)?;
    let estimate = if counted { None } else { Some(view.estimate_lines()?) };
    let mut builder = Builder::new(view, layout, &start, window.limit);
    // Other lines need no room where the window begins inside a line, or there are none.
    builder.fills_first = builder.may_fill() && (start.column > 1 || total == Some(1));
    builder.fill_page()?;
    builder.finish(total, estimate)
}

fn empty(view: &View<'_>) -> Page {
    Page {
        text: String::new(),
        footer_bytes: 0,
        content: Content { bytes: Vec::new(), codec: view.plan.codec },
        start_byte: view.size(),
        start_line: 1,
        end_line: 0,
        total_lines: Some(0),
        total_lines_estimate: None,
        next: None,
        clipped: Vec::new(),
        final_newline: false,
        lossy_line: None,
        tokens: Some(0),
    }
}

/// How a line ends.
enum Ending {
    /// With so many bytes, which follow its text in the buffer.
    Here(usize),
    /// With the file.
    File,
    /// Farther away than what may be shown of it.
    Far,
}

/// A line in the buffer: as much of its text as may be needed, and how it ends.
struct Line {
    text: Range<usize>,
    ending: Ending,
}

/// A line that is on the page: the state behind it, so that the page can be cut back to it.
#[derive(Clone, Copy)]
struct Shown {
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
    /// The next line did not fit.
    Budget,
    /// In a line whose end is too far away.
    Inside(Place),
}

struct Builder<'a> {
    view: &'a View<'a>,
    layout: &'a Layout<'a>,
    limit: u64,
    number: i64,
    column: u64,
    start_byte: u64,
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
    /// Whether the page is so full that each line must be looked at.
    nearly_full: bool,
    shown: Vec<Shown>,
    clipped: Vec<Place>,
    lossy_line: Option<i64>,
    end: End,
    /// What the page would have taken, in bytes and tokens, when it first did not fit.
    excess: Option<(u64, u64)>,
    /// Whether the first line alone did not fit: then none does, even if nothing of it is missing.
    first_cut: bool,
    /// Whether the first line is shown as far as the budgets allow, rather than clipped.
    fills_first: bool,
}

impl<'a> Builder<'a> {
    fn new(view: &'a View<'a>, layout: &'a Layout<'a>, start: &Start, limit: u64) -> Self {
        Self {
            view,
            layout,
            limit,
            number: start.number,
            column: start.column,
            start_byte: start.position.byte,
            raw: start.position.shift.clone(),
            shift: start.position.shift.len(),
            position: start.position.byte,
            step: FIRST_STEP,
            seek: layout.count_bytes,
            text: String::new(),
            tally: Tally::default(),
            nearly_full: false,
            shown: Vec::with_capacity(to_usize(limit.min(FIRST_LINES))),
            clipped: Vec::new(),
            lossy_line: None,
            end: End::Complete,
            excess: None,
            first_cut: false,
            fills_first: false,
        }
    }

    fn number_of(&self, line: usize) -> i64 {
        self.number.saturating_add_unsigned(line as u64)
    }

    fn column_of(&self, line: usize) -> u64 {
        if line == 0 { self.column } else { 1 }
    }

    /// Whether the page is large enough for words of our own.
    fn has_room_for_footer(&self) -> bool {
        self.layout.max_bytes >= 4 * FOOTER_BYTES && self.layout.max_tokens >= 4 * FOOTER_TOKENS
    }

    /// Reads on, and says whether there was anything.
    fn read_more(&mut self) -> Result<bool> {
        let left = self.view.size() - self.position;
        if left == 0 {
            return Ok(false);
        }
        let bytes = self.view.source.bytes(self.view.path, self.position, to_usize(self.step.min(left)))?;
        let count = bytes.len();
        self.position += count as u64;
        match bytes {
            Cow::Owned(bytes) if self.raw.is_empty() => self.raw = bytes,
            bytes => {
                self.raw.try_reserve(count).map_err(|_| self.out_of_memory())?;
                self.raw.extend_from_slice(&bytes);
            }
        }
        self.step = (self.step * 2).min(LARGEST_STEP);
        Ok(count > 0)
    }

    fn out_of_memory(&self) -> Error {
        Error::new(self.view.path, ErrorKind::OUT_OF_MEMORY)
    }

    /// Whether the first line may fill the page: a caller that wants all or nothing gets a part of it only if one
    /// line is all it asked for.
    fn may_fill(&self) -> bool {
        self.layout.fill_one_line && (!self.layout.refuse_over_budget || self.limit == 1)
    }

    /// The most characters of a line that are shown: no character is less than a byte.
    fn max_chars(&self, line: usize) -> u64 {
        let fills = line == 0 && self.fills_first;
        if fills { self.layout.max_bytes } else { self.layout.max_line_chars }
    }

    /// The most bytes of a line that can be needed to show it.
    fn widest(&self, line: usize) -> usize {
        let codec = self.view.plan.codec;
        let most = self.max_chars(line).min(self.layout.max_bytes).saturating_add(16);
        // What fills the page in UTF-8 is that many bytes, whatever its characters.
        let is_as_shown = codec == Codec::Utf8 && line == 0 && self.fills_first;
        let width = if is_as_shown { 1 } else { codec.max_char_bytes() };
        to_usize(most.saturating_mul(width as u64))
    }

    fn fill_page(&mut self) -> Result<()> {
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

    /// The line that begins at `start` of the buffer; `None` at the end of the file.
    fn next_line(&mut self, start: usize) -> Result<Option<Line>> {
        let terminator = self.view.plan.terminator;
        let shift = if start == 0 { self.shift } else { 0 };
        let mut searched = start + shift;
        loop {
            // Lines of wide code units begin at a multiple of their width in the buffer, as they do in the file.
            if let Some(at) = terminator.find(&self.raw, searched) {
                let end = self.without_cr(start + shift, at);
                let ending = Ending::Here(at + terminator.width - end);
                return Ok(Some(Line { text: start..end, ending }));
            }
            searched = self.raw.len() - (self.raw.len() - searched) % terminator.width;
            if self.raw.len() - start > self.widest(self.shown.len()) {
                return Ok(Some(Line { text: start..self.raw.len(), ending: Ending::Far }));
            }
            if !self.read_more()? {
                let nothing = self.raw.len() == start + shift;
                return Ok((!nothing).then_some(Line { text: start..self.raw.len(), ending: Ending::File }));
            }
        }
    }

    fn without_cr(&self, start: usize, end: usize) -> usize {
        let terminator = self.view.plan.terminator;
        let cr = terminator.with_value(b'\r');
        match end.checked_sub(terminator.width) {
            Some(before) if before >= start && terminator.takes_cr() && cr.is_at(&self.raw, before) => before,
            _ => end,
        }
    }

    /// Adds a line to the page; `false` if the page ends with or before it.
    fn show(&mut self, line: &Line) -> Result<bool> {
        let index = self.shown.len();
        let place = Place { offset: self.number_of(index), column: self.column_of(index) };
        let old_text = self.text.len();
        let (cut, chars) = self.clip(line);
        if index > 0 {
            self.text.push('\n');
        }
        self.layout.gutter.push(place.offset, &mut self.text);
        let text_start = self.text.len();
        self.decode(line.text.start..cut, place.offset)?;
        let is_far = matches!(line.ending, Ending::Far);
        if cut == line.text.end && !is_far {
            let ending = if let Ending::Here(bytes) = line.ending { bytes } else { 0 };
            return self.keep(old_text, (line.text.end, ending), place, text_start);
        }
        let rest = Place { column: place.column + chars, ..place };
        // What is behind the cut in the buffer may be a line or more that is read again below.
        let cut_byte = self.position - (self.raw.len() - cut) as u64;
        let is_last = index as u64 + 1 == self.limit;
        let fills = index == 0 && self.fills_first;
        let distance = if is_last { SEEK_LAST } else { self.seek };
        let end = if fills { None } else { self.seek_end(line, cut, cut_byte, distance)? };
        if end.is_none() && index == 0 && !fills && self.may_fill() {
            self.text.clear();
            self.lossy_line = None;
            self.fills_first = true;
            let Some(line) = self.next_line(0)? else { return Ok(false) };
            return self.show(&line);
        }
        self.text += &marker(end.map(|end| end.content_end - cut_byte), rest);
        let Some(end) = end else {
            self.raw.truncate(cut);
            self.position = cut_byte;
            self.end = End::Inside(rest);
            self.keep(old_text, (cut, 0), place, text_start)?;
            return Ok(false);
        };
        self.seek -= (end.content_end - cut_byte).min(self.seek);
        let ending = to_usize(end.next - end.content_end);
        if matches!(line.ending, Ending::Here(_)) {
            self.raw.drain(cut..line.text.end);
        } else {
            let bytes = self.view.source.bytes(self.view.path, end.content_end, ending)?;
            self.raw.truncate(cut);
            self.raw.extend_from_slice(&bytes);
            self.position = end.next;
        }
        self.clipped.push(rest);
        self.keep(old_text, (cut, ending), place, text_start)
    }

    /// How many bytes and characters of a line are shown.
    fn clip(&self, line: &Line) -> (usize, u64) {
        let bytes = &self.raw[line.text.clone()];
        let most = self.max_chars(self.shown.len());
        if bytes.len() as u64 <= most && !matches!(line.ending, Ending::Far) {
            return (line.text.end, 0);
        }
        let (cut, chars) = self.view.plan.codec.skip_chars(bytes, most);
        (line.text.start + cut, chars)
    }

    /// The end of a clipped line, if it may be sought that far.
    fn seek_end(&self, line: &Line, cut: usize, cut_byte: u64, distance: u64) -> Result<Option<LineEnd>> {
        let here = |ending: usize| {
            let content_end = cut_byte + (line.text.end - cut) as u64;
            Some(LineEnd { content_end, next: content_end + ending as u64 })
        };
        let end = match line.ending {
            Ending::Here(ending) => here(ending),
            Ending::File => here(0),
            Ending::Far => self.view.line_end(cut_byte, distance)?,
        };
        Ok(end.filter(|end| end.content_end - cut_byte <= distance))
    }

    /// Appends the text of a range of the buffer.
    fn decode(&mut self, range: Range<usize>, number: i64) -> Result<()> {
        let start = self.text.len();
        let is_room = self.text.try_reserve(range.len()).is_ok() && self.shown.try_reserve(1).is_ok();
        if !is_room {
            return Err(self.out_of_memory());
        }
        let mut lossy = self.view.plan.codec.decode_into(&self.raw[range], &mut self.text);
        if self.layout.nul != Nul::Keep && self.text[start..].contains('\0') {
            if self.layout.nul == Nul::Error {
                let media_type = "application/octet-stream".to_owned();
                let kind = ErrorKind::Binary { media_type, size_bytes: self.view.size() };
                return Err(Error::new(self.view.path, kind));
            }
            let shown = self.text[start..].replace('\0', "␀");
            self.text.replace_range(start.., &shown);
            lossy = true;
        }
        if lossy {
            self.lossy_line.get_or_insert(number);
        }
        Ok(())
    }

    /// Keeps the line that was just written if it fits; cuts it if it is the first.
    fn keep(
        &mut self,
        old_text: usize,
        (content_end, ending): (usize, usize),
        place: Place,
        text_start: usize,
    ) -> Result<bool> {
        let fits = self.text.len() as u64 <= self.layout.max_bytes
            && (self.layout.counter.is_some() || !self.tally.exceeds(&self.text, self.layout.max_tokens));
        if !fits {
            let tokens = self.tally.count(&self.text).tokens();
            self.note_excess(tokens);
        }
        if !fits && !self.shown.is_empty() {
            self.tally.cut(&self.text, old_text);
            self.text.truncate(old_text);
            self.clipped.retain(|rest| rest.offset != place.offset);
            self.lossy_line = self.lossy_line.filter(|line| *line != place.offset);
            self.end = End::Budget;
            return Ok(false);
        }
        self.shown.push(Shown {
            text_end: self.text.len(),
            content_end,
            raw_end: content_end + ending,
            clipped: self.clipped.len(),
        });
        if !fits {
            self.cut_first(text_start)?;
        }
        Ok(fits)
    }

    fn finish(mut self, total: Option<u64>, estimate: Option<u64>) -> Result<Page> {
        if let Some(counter) = self.layout.counter {
            let ends: Vec<usize> = self.shown.iter().map(|shown| shown.text_end).collect();
            let (lines, _) = tokens::longest_prefix(counter, &self.text, &ends, self.layout.max_tokens)?;
            if lines < ends.len() && self.layout.refuse_over_budget {
                self.note_excess(counter.count(&self.text, NoLockHeld::check())?);
            }
            self.cut_back(lines)?;
        }
        let mut page_footer = self.footer(total, estimate);
        while !self.fits_with(&page_footer)? {
            let Some(fewer) = self.shown.len().checked_sub(1).filter(|_| !page_footer.is_empty()) else {
                break;
            };
            self.cut_back(fewer)?;
            page_footer = self.footer(total, estimate);
            if fewer == 0 {
                break;
            }
        }
        if self.layout.refuse_over_budget && matches!(self.end, End::Budget | End::Inside(_)) {
            self.refuse()?;
        }
        self.page(&page_footer, total, estimate)
    }

    fn raw_end(&self) -> usize {
        self.shown.last().map_or(self.shift, |shown| shown.raw_end)
    }

    /// Where the next page begins, if anything is behind this one.
    fn next(&self) -> Option<Place> {
        match self.end {
            End::Inside(place) => Some(place),
            End::Budget => Some(Place { offset: self.number_of(self.shown.len()), column: 1 }),
            End::Complete => {
                let behind = self.position - (self.raw.len() - self.raw_end()) as u64;
                (behind < self.view.size())
                    .then(|| Place { offset: self.number_of(self.shown.len()), column: 1 })
            }
        }
    }

    fn footer(&self, total: Option<u64>, estimate: Option<u64>) -> String {
        let next = self.next();
        let whole = self.number == 1 && self.column == 1 && next.is_none() && self.clipped.is_empty();
        if whole || !self.has_room_for_footer() {
            return String::new();
        }
        let lines = (self.number, self.number_of(self.shown.len()) - 1);
        let (clipped, size) = (self.clipped.len(), self.view.size());
        Footer { lines, total, estimate: estimate.unwrap_or(0), size, clipped, next }.to_string()
    }

    fn fits_with(&mut self, footer: &str) -> Result<bool> {
        let bytes = self.text.len() + if footer.is_empty() { 0 } else { footer.len() + 1 };
        if bytes as u64 > self.layout.max_bytes {
            return Ok(false);
        }
        let tokens = match self.layout.counter {
            Some(counter) => counter.count(&join(&self.text, footer), NoLockHeld::check())?,
            None if tokens::ceiling(bytes).tokens() <= self.layout.max_tokens => return Ok(true),
            None => (self.tally.count(&self.text) + tokens::estimate(footer)).tokens(),
        };
        Ok(tokens <= self.layout.max_tokens)
    }

    fn page(mut self, footer: &str, total: Option<u64>, estimate: Option<u64>) -> Result<Page> {
        let next = self.next();
        let end_line = self.number_of(self.shown.len()) - 1;
        let at_end = next.is_none() && self.number > 0;
        let tokens = match self.layout.counter {
            Some(counter) => Some(counter.count(&join(&self.text, footer), NoLockHeld::check())?),
            None => self.tally.known(&self.text, footer),
        };
        self.raw.truncate(self.raw_end());
        if !footer.is_empty() {
            self.text.push('\n');
            self.text.push_str(footer);
        }
        Ok(Page {
            footer_bytes: footer.len(),
            text: self.text,
            content: Content { bytes: self.raw, codec: self.view.plan.codec },
            start_byte: self.start_byte,
            start_line: self.number,
            end_line,
            total_lines: total.or_else(|| at_end.then_some(end_line.unsigned_abs())),
            total_lines_estimate: estimate,
            next,
            clipped: self.clipped,
            final_newline: self.view.final_newline()?,
            lossy_line: self.lossy_line,
            tokens,
        })
    }
}

fn join(text: &str, footer: &str) -> String {
    if footer.is_empty() { text.to_owned() } else { format!("{text}\n{footer}") }
}
