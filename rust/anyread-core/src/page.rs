//! A page: one window of a text as a model sees it.

pub mod build;
pub(crate) mod footer;
pub mod layout;
mod tally;
pub mod view;

pub use footer::Grouped;
pub use layout::{
    Align, Budget, Clip, FinalNewline, Hidden, Layout, LineRule, Marker, OverBudget, Total, Unit,
};

use std::collections::TryReserveError;

use crate::encoding::Codec;

/// The most bytes of UTF-8 that one byte of a file becomes: a byte that cannot be decoded is U+FFFD.
const LONGEST_CHARACTER: usize = 3;

/// Which window of a text is wanted.
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
/// # use anyread_core::scan::Mapping;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.txt");
/// # let memory = Memory { index_bytes: 64 << 20, trust_append: true, mapping: Mapping::Auto };
/// # let engine = Engine::new(Opener::new(&[], &[])?, memory);
/// # let gutter = Gutter { before: String::new(), width: 0, separator: None };
/// std::fs::write(&path, "one\ntwo\nthree\n")?;
///
/// // A negative offset counts from the end: the last two lines.
/// let window = Window { offset: -2, limit: 2, column: 1 };
/// let answer = engine.read(&path, &Request::of_text(window, None), &Layout::reader(&gutter), &Never)?;
/// assert!(matches!(answer, Answer::Text(answer) if answer.page.text == "two\nthree\n[lines 2-3 of 3]"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First line, from 1; negative: that many lines before the end.
    pub offset: i64,
    /// Most lines.
    pub limit: u64,
    /// First character of the first line, from 1.
    pub column: u64,
}

/// Where a later call goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line; negative where lines are counted from the end.
    pub offset: i64,
    /// The character in it, from 1.
    pub column: u64,
}

/// The bytes of a window, to be decoded when somebody asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The bytes; those cut out of long lines are missing.
    pub bytes: Vec<u8>,
    /// Their encoding.
    pub codec: Codec,
}

impl Content {
    /// The window's own text.
    ///
    /// # Errors
    /// The process gets no memory for it.
    pub fn decode(&self) -> Result<String, TryReserveError> {
        let mut text = String::new();
        text.try_reserve(self.bytes.len().saturating_mul(LONGEST_CHARACTER))?;
        if !self.codec.is_stateful() {
            self.codec.decode_into(&self.bytes, &mut text);
            return Ok(text);
        }
        // Each line by itself, as it is shown: an escape sequence left open does not reach into the next.
        for line in self.bytes.split_inclusive(|byte| *byte == b'\n') {
            self.codec.decode_into(line, &mut text);
        }
        Ok(text)
    }
}

/// A window of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The numbered lines and, if anything is left out, the footer.
    pub text: String,
    /// Bytes of the footer at the end of `text`, 0 if there is none.
    pub footer_bytes: usize,
    /// The window's own bytes.
    pub content: Content,
    /// Offset in the file of the first of those.
    pub start_byte: u64,
    /// Offset in the file of the byte after the last line shown, or after what is shown of it.
    pub end_byte: u64,
    /// Number of the first line shown.
    pub start_line: i64,
    /// Number of the last line shown, one less than the first if there is none.
    pub end_line: i64,
    /// The number of lines, if it is known exactly.
    pub total_lines: Option<u64>,
    /// About how many lines, where they are not counted.
    pub total_lines_estimate: Option<u64>,
    /// Where the next page begins.
    pub next: Option<Place>,
    /// Where the rest of each clipped line is that `next` does not lead to.
    pub clipped: Vec<Place>,
    /// Whether the file ends with a line ending.
    pub final_newline: bool,
    /// Whether the page ended because of a budget.
    pub is_over_budget: bool,
    /// The first line in which something could not be shown as it is.
    pub lossy_line: Option<i64>,
    /// Tokens of `text`: exact with a counter, else the estimate; `None` where nobody had to know it yet.
    pub tokens: Option<u64>,
}
