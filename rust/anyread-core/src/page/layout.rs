//! The layout of a page: what a line is, how it is shown, and how much fits.

use crate::gutter::Gutter;
use crate::scan::LineEnds;
use crate::tokens::Counter;

/// How a text is divided into lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRule {
    /// What ends a line.
    pub ends: LineEnds,
    /// The meaning of a line ending at the end of a text.
    pub final_newline: FinalNewline,
    /// How a byte order mark is shown; unless dropped, it is the first character of the first line.
    pub bom: Hidden,
}

impl LineRule {
    /// The rule for the reader's own pages.
    pub const READER: Self =
        Self { ends: LineEnds::Detected, final_newline: FinalNewline::Ends, bom: Hidden::Drop };
}

/// The meaning of a line ending at the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FinalNewline {
    /// It ends the last line. An empty text has no line.
    Ends,
    /// It starts one more, empty line. An empty text has one empty line.
    Starts,
}

/// The minimum width of line numbers, if it is larger than the gutter's width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// The width of each number.
    Gutter,
    /// The width of the last number on the page.
    Last,
    /// The width of the number of lines in the file.
    Total,
}

/// The unit in which the length of a line or of a page is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Unicode characters.
    Chars,
    /// UTF-16 code units: two for a character beyond the Basic Multilingual Plane.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
}

impl Unit {
    /// The length of a character.
    #[must_use]
    pub fn of(self, character: char) -> u64 {
        match self {
            Self::Chars => 1,
            Self::Utf16 => character.len_utf16() as u64,
            Self::Bytes => character.len_utf8() as u64,
        }
    }

    /// The length of a text, given as UTF-8.
    #[must_use]
    pub fn count(self, bytes: &[u8]) -> u64 {
        if self == Self::Bytes || bytes.is_ascii() {
            return bytes.len() as u64;
        }
        let matching = |test: fn(u8) -> bool| bytes.iter().filter(|byte| test(**byte)).count() as u64;
        match self {
            // Count all bytes except continuation bytes; a four-byte character is two UTF-16 units.
            Self::Bytes | Self::Chars => matching(|byte| byte & 0xC0 != 0x80),
            Self::Utf16 => matching(|byte| byte & 0xC0 != 0x80) + matching(|byte| byte >= 0xF0),
        }
    }
}

/// How long lines are clipped. Lengths are measured before any character is replaced.
#[derive(Debug, Clone, Copy)]
pub struct Clip<'a> {
    /// The unit of the lengths.
    pub unit: Unit,
    /// The maximum length of a line that is not clipped.
    pub length: u64,
    /// How much of a clipped line is kept, at most [`Clip::length`].
    pub keep: u64,
    /// Whether a character that begins within [`Clip::keep`] but ends after it is kept.
    pub rounds_up: bool,
    /// The text after the cut.
    pub marker: Marker<'a>,
}

impl Clip<'_> {
    /// The same with at most this length.
    #[must_use]
    pub fn within(self, length: u64) -> Self {
        Self { length: self.length.min(length), keep: self.keep.min(length), ..self }
    }

    /// The clip of the reader's own pages: at most this many characters.
    #[must_use]
    pub fn reader(max_line_chars: u64) -> Self {
        let (length, keep) = (max_line_chars, max_line_chars);
        Self { unit: Unit::Chars, length, keep, rounds_up: false, marker: Marker::Continuation }
    }

    /// How many characters are kept of a line that begins with `start`; `None` if it is not clipped.
    ///
    /// `start` is the whole line, or a part of it longer than [`Clip::length`].
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

/// The text after the cut of a long line.
#[derive(Debug, Clone, Copy)]
pub enum Marker<'a> {
    /// How much is missing, and the arguments of the read that continues there.
    Continuation,
    /// A fixed text.
    Text(&'a str),
}

/// A budget for the lines of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The maximum number of units.
    pub maximum: u64,
    /// The unit.
    pub unit: Unit,
    /// Whether gutters count.
    pub counts_gutters: bool,
    /// Whether the line feeds between the lines count.
    pub counts_line_feeds: bool,
}

impl Budget {
    /// How much of the budget a line uses; the line is UTF-8 without its gutter.
    #[must_use]
    pub fn cost(&self, line: &[u8], gutter: &[u8], is_first: bool) -> u64 {
        let gutter = if self.counts_gutters { self.unit.count(gutter) } else { 0 };
        self.unit.count(line) + gutter + u64::from(self.counts_line_feeds && !is_first)
    }
}

/// What happens to lines that do not fit the budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverBudget {
    /// The page ends before them; if the first line does not fit, part of it is shown.
    Shorten,
    /// Like [`OverBudget::Shorten`] if one line was requested; otherwise they are an error.
    Refuse,
    /// The page ends before them, even if it then has no lines.
    Stop,
    /// The page ends after the line that reaches the budget.
    After,
    /// They are an error.
    Error,
}

impl OverBudget {
    /// Whether part of a first line that does not fit is shown.
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

/// How characters that are invisible or easily overlooked are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hidden {
    /// They are kept.
    Keep,
    /// They are removed.
    Drop,
    /// They are replaced by symbols: CR by `␍`, NUL by `␀`, a byte order mark by `<U+FEFF>`.
    Show,
    /// They are an error; applies to NUL only.
    Error,
}

/// Whether the lines of the file are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// Always.
    Exact,
    /// In files of up to [`Layout::count_bytes`]; in larger ones they are estimated, unless an earlier read has
    /// counted them.
    Bounded,
    /// If that requires no extra work.
    Known,
    /// Never.
    Never,
}

/// How much a page may contain and how it is shown.
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
/// # use anyread_core::mapping::Mapping;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.txt");
/// # let memory = Memory { index_bytes: 64 << 20, inline_bytes: 64 << 10, trust_append: true, mapping: Mapping::Auto };
/// # let engine = Engine::new(Opener::new(&[], &[])?, memory);
/// std::fs::write(&path, "a long line\nshort\n")?;
/// let gutter = Gutter { before: "L".to_owned(), width: 0, separator: Some(": ".to_owned()), every: 0 };
/// // Only LF ends a line, one more line starts after the last LF, and lines have at most six characters.
/// let lines = LineRule { ends: LineEnds::Lf, final_newline: FinalNewline::Starts, bom: Hidden::Keep };
/// let clip = Clip { unit: Unit::Chars, length: 6, keep: 6, rounds_up: false, marker: Marker::Text("…") };
/// let layout = Layout { align: Align::Total, clip: Some(clip), ..Layout::lines(&gutter, lines) };
///
/// let request = Request::of_text(Window { offset: 1, limit: 10, column: 1 }, None);
/// let Answer::Text(answer) = engine.read(&path, &request, &layout, Some(&Never))? else { return Ok(()) };
/// assert_eq!(answer.page.text, "L1: a long…\nL2: short\nL3: ");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Layout<'a> {
    /// What a line is.
    pub lines: LineRule,
    /// The format of the line numbers.
    pub gutter: &'a Gutter,
    /// The width of the line numbers.
    pub align: Align,
    /// The number shown before the first line; `None` for its own number.
    pub first_number: Option<i64>,
    /// Whether the lines of the page are joined and split again before they are numbered, as some tools do.
    /// That removes a carriage return at the end of each line but the last, and a last line that is empty.
    ///
    /// Such an empty line still counts as a line of the page.
    pub splits_again: bool,
    /// How long lines are clipped; `None` if they are not.
    pub clip: Option<Clip<'a>>,
    /// How a CR inside a line is shown.
    pub cr: Hidden,
    /// How NUL characters are shown.
    pub nul: Hidden,
    /// The maximum size of the page in bytes.
    pub max_bytes: u64,
    /// The maximum size of the page in tokens.
    pub max_tokens: u64,
    /// The token counter; without one, tokens are estimated.
    pub counter: Option<&'a dyn Counter>,
    /// An additional budget for the lines.
    pub budget: Option<Budget>,
    /// What happens to lines that do not fit the budgets.
    pub over_budget: OverBudget,
    /// Whether a page that has space for only one line shows as much of it as the budgets allow.
    pub fill_one_line: bool,
    /// Whether the lines of the file are counted.
    pub total: Total,
    /// The maximum size in bytes of files whose lines [`Total::Bounded`] counts, and how many bytes are
    /// searched for the ends of clipped lines.
    pub count_bytes: u64,
    /// Whether a page that leaves something out has a footer, and a window after the end is an error.
    ///
    /// If not set, such a window is a page without lines.
    pub guides: bool,
}

impl<'a> Layout<'a> {
    /// The layout of the reader's own pages, without limits.
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

    /// Whether the width of the numbers, or their cost in a budget, depends on the number of lines.
    pub(crate) fn needs_total(&self) -> bool {
        let is_charged = self.max_bytes < u64::MAX
            || self.max_tokens < u64::MAX
            || self.budget.is_some_and(|budget| budget.counts_gutters);
        self.align == Align::Total || (self.align == Align::Last && is_charged)
    }

    /// A layout of numbered lines only, without limits.
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
