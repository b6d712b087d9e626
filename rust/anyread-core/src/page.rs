//! A page: one window of a text as a model sees it.

pub(crate) mod block;
pub mod build;
pub(crate) mod footer;
pub mod layout;
pub(crate) mod ranges;
mod tally;
pub mod view;

pub use footer::Grouped;
pub use layout::{
    Align, Budget, Clip, FinalNewline, Hidden, Layout, LineRule, Marker, OverBudget, Total, Unit,
};

use std::collections::TryReserveError;

use crate::encoding::Codec;
use crate::scan::Terminator;
use crate::text::TextPlan;

/// The maximum size in UTF-8 of one byte of a file: a byte that cannot be decoded becomes U+FFFD.
pub(crate) const LONGEST_CHARACTER: usize = 3;

/// The window of a text that a page shows.
///
/// # Example
/// ```
/// # use anyread_core::engine::{Answer, Engine, Request};
/// # use anyread_core::gutter::Gutter;
/// # use anyread_core::scan::Never;
/// use anyread_core::page::{Layout, Window};
///
/// # use anyread_core::engine::Memory;
/// # use anyread_core::open::Opener;
/// # use anyread_core::mapping::Mapping;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.txt");
/// # let memory = Memory { index_bytes: 64 << 20, inline_bytes: 64 << 10, trust_append: true, mapping: Mapping::Auto };
/// # let engine = Engine::new(Opener::new(&[], &[])?, memory);
/// # let gutter = Gutter { before: String::new(), width: 0, separator: None, every: 0 };
/// std::fs::write(&path, "one\ntwo\nthree\n")?;
///
/// // A negative offset counts from the end: the last two lines.
/// let window = Window { offset: -2, limit: 2, column: 1 };
/// let answer = engine.read(&path, &Request::of_text(window, None), &Layout::reader(&gutter), Some(&Never))?;
/// assert!(matches!(answer, Answer::Text(answer) if answer.page.text == "two\nthree\n[lines 2-3 of 3]"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first line, counted from 1; if negative, counted from the end (-1 is the last line).
    pub offset: i64,
    /// The maximum number of lines.
    pub limit: u64,
    /// The first character of the first line, counted from 1.
    pub column: u64,
}

/// Lines of a text, both inclusive and counted from 1; if negative, counted from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub first: i64,
    /// The last line; `i64::MAX`: that of the file, while its number is not known.
    pub last: i64,
}

impl LineRange {
    /// The last line as an argument, in which -1 is that of the file.
    #[must_use]
    pub fn last_argument(self) -> i64 {
        if self.last == i64::MAX { -1 } else { self.last }
    }
}

/// What a request chooses: a range, or a line with what is around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// A line, negative if it is counted from the end, with ten lines before and after it; of one that is too
    /// long to be shown, what is around a character.
    Line(i64, u64),
    /// A line with the block around it, such as its function; like [`Span::Line`] if there is none.
    Block(i64),
    /// A range of lines.
    Range(LineRange),
}

/// A line that a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The line.
    pub line: i64,
    /// The character with which its first match begins.
    pub column: u64,
}

/// What a search found in a text, for its page.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The first hits, in order, and perhaps a few more than the page shows on purpose.
    pub hits: &'a [Hit],
    /// How many of them the page shows, if it has room.
    pub limit: usize,
    /// Whether hits follow these.
    pub has_more: bool,
    /// How many hits there are, at least unless it `is_exact`.
    pub total: u64,
    /// Whether all hits are counted.
    pub is_exact: bool,
    /// The lines that were searched.
    pub searched: LineRange,
    /// The ranges to which the search is limited, if it is.
    pub ranges: &'a [LineRange],
    /// The length of the parts of a long line, of which each can be a hit, in characters.
    pub part_chars: u64,
}

impl Found<'_> {
    /// Where the part of its line begins in which a hit is; 1: the line is shown from its beginning.
    pub(crate) fn part(&self, hit: Hit) -> u64 {
        (hit.column - 1) / self.part_chars * self.part_chars + 1
    }
}

/// Where another read can continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line; negative if lines are counted from the end.
    pub offset: i64,
    /// The character in the line, counted from 1.
    pub column: u64,
}

/// The bytes of a window, which are decoded on request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The bytes, without those clipped from long lines.
    pub bytes: Vec<u8>,
    /// Their encoding.
    pub codec: Codec,
    /// What ends their lines, if these must be decoded one by one.
    terminator: Option<Terminator>,
    /// Whether these are all bytes of a file, which [`Content::complete`] will add.
    is_incomplete: bool,
}

impl Content {
    /// The content of a window of a text with this plan.
    #[must_use]
    pub fn new(bytes: Vec<u8>, plan: &TextPlan) -> Self {
        let terminator = plan.codec.is_stateful().then_some(plan.terminator);
        Self { bytes, codec: plan.codec, terminator, is_incomplete: false }
    }

    /// All bytes of a file, which [`Content::complete`] must add, so that they need not be copied.
    #[must_use]
    pub fn of_whole_file(plan: &TextPlan) -> Self {
        Self { is_incomplete: true, ..Self::new(Vec::new(), plan) }
    }

    /// Adds the bytes of the file, if they are missing.
    pub fn complete(&mut self, file: impl FnOnce() -> Vec<u8>) {
        if self.is_incomplete {
            self.bytes = file();
            self.is_incomplete = false;
        }
    }

    /// The decoded text of the window.
    ///
    /// # Errors
    /// There is not enough memory for it.
    pub fn decode(&self) -> Result<String, TryReserveError> {
        let mut text = String::new();
        text.try_reserve(self.bytes.len().saturating_mul(LONGEST_CHARACTER))?;
        let Some(terminator) = self.terminator else {
            self.codec.decode_into(&self.bytes, &mut text);
            return Ok(text);
        };
        // Lines are decoded one by one, and without their endings, so that an escape sequence left open by a
        // line that is clipped does not affect what follows.
        let (bytes, mut start) = (&self.bytes, 0);
        while start < bytes.len() {
            let (end, next) = match terminator.find(bytes, start) {
                Some(ending) => (terminator.without_cr(bytes, start, ending.start), ending.end),
                None => (bytes.len(), bytes.len()),
            };
            self.codec.decode_into(&bytes[start..end], &mut text);
            text.extend(bytes[end..next].iter().map(|byte| char::from(*byte)));
            start = next;
        }
        Ok(text)
    }
}

/// A window of a text as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The numbered lines and, if anything is left out, the footer.
    pub text: String,
    /// The size of the footer at the end of `text` in bytes; 0 if there is none.
    pub footer_bytes: usize,
    /// The bytes of the window.
    pub content: Content,
    /// The offset in the file of the first byte of the window.
    pub start_byte: u64,
    /// The offset in the file of the byte after the last line shown, or after the part of it that is shown.
    pub end_byte: u64,
    /// The number of the first line shown.
    pub start_line: i64,
    /// The number of the last line shown; `start_line` - 1 if there is none.
    pub end_line: i64,
    /// The number of lines in the file, if it is known exactly.
    pub total_lines: Option<u64>,
    /// The estimated number of lines in the file, if they are not counted.
    pub total_lines_estimate: Option<u64>,
    /// Where the next page begins; `None` at the end of the file.
    pub next: Option<Position>,
    /// Where the rest of each clipped line begins, except for the line that `next` continues.
    pub clipped: Vec<Position>,
    /// Whether the file ends with a line ending.
    pub final_newline: bool,
    /// Whether the page ended because of a budget.
    pub is_over_budget: bool,
    /// The number of the first line in which something could not be decoded or is replaced by a symbol.
    pub lossy_line: Option<i64>,
    /// The tokens of `text`: exact with a counter, otherwise estimated; `None` if they were not needed.
    pub tokens: Option<u64>,
    /// The lines shown, if ranges were requested.
    pub shown: Vec<LineRange>,
    /// The ranges requested that a budget leaves out.
    pub rest: Vec<LineRange>,
    /// The lines of the hits that are shown.
    pub hits: Vec<i64>,
    /// Whether letters were looked for as they are, because they are no regular expression or match nothing as one.
    pub is_literal: bool,
}
