//! How a page looks: what a line is, what is shown of it and around it, and how much fits.

use crate::gutter::Gutter;
use crate::scan::LineEnds;
use crate::tokens::Counter;

/// What the lines of a text are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRule {
    /// What ends a line.
    pub ends: LineEnds,
    /// What a line ending at the end of a text does.
    pub final_newline: FinalNewline,
    /// What happens to a byte order mark, which is the first character of the first line unless it is left out.
    pub bom: Hidden,
}

impl LineRule {
    /// The rule of the reader's own pages.
    pub const READER: Self =
        Self { ends: LineEnds::Detected, final_newline: FinalNewline::Ends, bom: Hidden::Drop };
}

/// What a line ending at the end of a text does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FinalNewline {
    /// It ends the last line. An empty text has no line.
    Ends,
    /// It starts one more line, which is empty. An empty text has one empty line.
    Starts,
}

/// How wide the line numbers are, if that is more than the gutter's width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// As wide as each number is.
    Gutter,
    /// As wide as the last number on the page.
    Last,
    /// As wide as the number of lines in the file.
    Total,
}

/// In what the length of a line or of a page is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Unicode characters.
    Chars,
    /// Units of UTF-16: two for a character beyond the Basic Multilingual Plane.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
}

impl Unit {
    /// How many units a character has.
    #[must_use]
    pub fn of(self, character: char) -> u64 {
        match self {
            Self::Chars => 1,
            Self::Utf16 => character.len_utf16() as u64,
            Self::Bytes => character.len_utf8() as u64,
        }
    }

    /// How many units a text has, which is given as UTF-8.
    #[must_use]
    pub fn count(self, bytes: &[u8]) -> u64 {
        if self == Self::Bytes || bytes.is_ascii() {
            return bytes.len() as u64;
        }
        let matching = |test: fn(u8) -> bool| bytes.iter().filter(|byte| test(**byte)).count() as u64;
        match self {
            // Every byte but those that continue a character; four bytes are two units of UTF-16.
            Self::Bytes | Self::Chars => matching(|byte| byte & 0xC0 != 0x80),
            Self::Utf16 => matching(|byte| byte & 0xC0 != 0x80) + matching(|byte| byte >= 0xF0),
        }
    }
}

/// What is cut off from a long line. Lengths are those of the file's own characters, before any is replaced.
#[derive(Debug, Clone, Copy)]
pub struct Clip<'a> {
    /// In what the lengths are measured.
    pub unit: Unit,
    /// A line of more units is cut.
    pub length: u64,
    /// How many units of it are kept, at most [`Clip::length`].
    pub keep: u64,
    /// Whether a character that begins within [`Clip::keep`] is kept even if it ends after it.
    pub rounds_up: bool,
    /// What is written after the cut.
    pub marker: Marker<'a>,
}

impl Clip<'_> {
    /// The clip of the reader's own pages: so many characters.
    #[must_use]
    pub fn reader(max_line_chars: u64) -> Self {
        let (length, keep) = (max_line_chars, max_line_chars);
        Self { unit: Unit::Chars, length, keep, rounds_up: false, marker: Marker::Continuation }
    }

    /// How many characters are kept of a line that begins with `start`; `None`: it is not cut.
    ///
    /// `start` is the whole line, or more of it than [`Clip::length`].
    #[must_use]
    pub(crate) fn kept_chars(&self, start: &str) -> Option<u64> {
        let (mut units, mut kept) = (0, 0);
        for character in start.chars() {
            let end = units + self.unit.of(character);
            kept += u64::from(if self.rounds_up { units < self.keep } else { end <= self.keep });
            units = end;
            if units > self.length {
                return Some(kept);
            }
        }
        None
    }
}

/// What is written after the cut of a long line.
#[derive(Debug, Clone, Copy)]
pub enum Marker<'a> {
    /// How much is missing, and which call reads on there.
    Continuation,
    /// Always the same.
    Text(&'a str),
}

/// A budget for the lines of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Most units.
    pub maximum: u64,
    /// The unit.
    pub unit: Unit,
    /// Whether gutters count.
    pub counts_gutters: bool,
    /// Whether the line feeds between the lines count.
    pub counts_line_feeds: bool,
}

impl Budget {
    /// What a line takes, given as UTF-8 without its gutter.
    #[must_use]
    pub fn cost(&self, line: &[u8], gutter: &[u8], is_first: bool) -> u64 {
        let gutter = if self.counts_gutters { self.unit.count(gutter) } else { 0 };
        self.unit.count(line) + gutter + u64::from(self.counts_line_feeds && !is_first)
    }
}

/// What becomes of lines that do not fit the budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverBudget {
    /// The page ends before them; of a first line that does not fit, a part is shown.
    Shorten,
    /// As [`OverBudget::Shorten`] where one line was requested; otherwise an error.
    Refuse,
    /// The page ends before them, even if it has no line then.
    Stop,
    /// The line that reaches the budget is the last.
    After,
    /// An error.
    Error,
}

impl OverBudget {
    /// Whether a part of the first line is better than nothing.
    #[must_use]
    pub fn cuts_first(self) -> bool {
        matches!(self, Self::Shorten | Self::Refuse)
    }

    /// Whether lines that do not fit are an error.
    #[must_use]
    pub fn refuses(self) -> bool {
        matches!(self, Self::Refuse | Self::Error)
    }
}

/// What happens to characters that are easily overlooked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hidden {
    /// They stay.
    Keep,
    /// They are left out.
    Drop,
    /// They are shown: CR as `␍`, NUL as `␀`, a byte order mark as `<U+FEFF>`.
    Show,
    /// They are an error; of NUL only.
    Error,
}

/// Whether the lines of the file are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// Always.
    Exact,
    /// In files of up to [`Layout::count_bytes`]; in larger ones they are estimated.
    Bounded,
    /// Where that costs nothing.
    Known,
    /// Never.
    Never,
}

/// How much a page may hold and how it is shown.
///
/// # Example
/// ```
/// # use anyread_core::engine::{Answer, Engine, Request};
/// # use anyread_core::scan::{LineEnds, Never};
/// use anyread_core::gutter::Gutter;
/// use anyread_core::page::{Align, Clip, FinalNewline, Hidden, Layout, LineRule, Marker, Unit, Window};
///
/// # use anyread_core::engine::Memory;
/// # use anyread_core::open::Opener;
/// # use anyread_core::scan::Mapping;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.txt");
/// # let memory = Memory { index_bytes: 64 << 20, trust_append: true, mapping: Mapping::Auto };
/// # let engine = Engine::new(Opener::new(&[], &[])?, memory);
/// std::fs::write(&path, "a long line\nshort\n")?;
/// let gutter = Gutter { before: "L".to_owned(), width: 0, separator: Some(": ".to_owned()) };
/// // Lines that only LF ends, one more behind the last LF, and at most six characters of each.
/// let lines = LineRule { ends: LineEnds::Lf, final_newline: FinalNewline::Starts, bom: Hidden::Keep };
/// let clip = Clip { unit: Unit::Chars, length: 6, keep: 6, rounds_up: false, marker: Marker::Text("…") };
/// let layout = Layout { align: Align::Total, clip: Some(clip), ..Layout::lines(&gutter, lines) };
///
/// let request = Request::of_text(Window { offset: 1, limit: 10, column: 1 }, None);
/// let Answer::Text(answer) = engine.read(&path, &request, &layout, &Never)? else { return Ok(()) };
/// assert_eq!(answer.page.text, "L1: a long…\nL2: short\nL3: ");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Layout<'a> {
    /// What a line is.
    pub lines: LineRule,
    /// The line numbers.
    pub gutter: &'a Gutter,
    /// How wide they are.
    pub align: Align,
    /// The number shown before the first line; `None`: its own.
    pub first_number: Option<i64>,
    /// Whether the lines of the page are joined and split again before they are numbered, as some tools do: a
    /// carriage return at the end of each but the last is left out, and so is a last line that is empty.
    ///
    /// Such a line still counts as one of the page's.
    pub splits_again: bool,
    /// What is cut off from long lines.
    pub clip: Option<Clip<'a>>,
    /// What happens to a CR inside a line.
    pub cr: Hidden,
    /// What happens to NUL characters.
    pub nul: Hidden,
    /// Most bytes of the page.
    pub max_bytes: u64,
    /// Most tokens of the page.
    pub max_tokens: u64,
    /// Counts tokens; without it they are estimated.
    pub counter: Option<&'a dyn Counter>,
    /// A further budget.
    pub budget: Option<Budget>,
    /// What happens to lines that do not fit the budgets.
    pub over_budget: OverBudget,
    /// Whether a page on which there is room for one line only shows as much of it as the budgets allow.
    pub fill_one_line: bool,
    /// Whether the lines of the file are counted.
    pub total: Total,
    /// Files up to this size are counted by [`Total::Bounded`], and so many bytes are searched for the ends of
    /// clipped lines.
    pub count_bytes: u64,
    /// Whether a page that leaves something out says so at its end, and a window after the end is an error.
    ///
    /// Without it such a window is a page without lines.
    pub guides: bool,
}

impl<'a> Layout<'a> {
    /// The reader's own page, without any limit.
    #[must_use]
    pub fn reader(gutter: &'a Gutter) -> Self {
        Self {
            lines: LineRule::READER,
            gutter,
            align: Align::Gutter,
            first_number: None,
            splits_again: false,
            clip: None,
            cr: Hidden::Keep,
            nul: Hidden::Keep,
            max_bytes: u64::MAX,
            max_tokens: u64::MAX,
            counter: None,
            budget: None,
            over_budget: OverBudget::Shorten,
            fill_one_line: true,
            total: Total::Bounded,
            count_bytes: u64::MAX,
            guides: true,
        }
    }

    /// Whether the width of the numbers cannot be known, or not be charged to a budget, without the number of lines.
    pub(crate) fn needs_total(&self) -> bool {
        let is_charged = self.max_bytes < u64::MAX
            || self.max_tokens < u64::MAX
            || self.budget.is_some_and(|budget| budget.counts_gutters);
        self.align == Align::Total || (self.align == Align::Last && is_charged)
    }

    /// Numbered lines and nothing else, without any limit.
    #[must_use]
    pub fn lines(gutter: &'a Gutter, lines: LineRule) -> Self {
        Self {
            lines,
            over_budget: OverBudget::Stop,
            fill_one_line: false,
            total: Total::Exact,
            guides: false,
            ..Self::reader(gutter)
        }
    }
}
