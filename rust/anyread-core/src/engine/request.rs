//! The requests to an engine.

use crate::encoding::Codec;
use crate::error::Result;
use crate::page::build::build_moving;
use crate::page::ranges::build_ranges;
use crate::page::view::View;
use crate::page::{Layout, Page, Span, Window};

/// What to read of a file.
///
/// # Example
/// ```
/// # use anyread_core::engine::{Answer, Engine};
/// # use anyread_core::gutter::Gutter;
/// # use anyread_core::page::{Layout, Window};
/// # use anyread_core::scan::Never;
/// use anyread_core::encoding::Codec;
/// use anyread_core::engine::Request;
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
/// std::fs::write(&path, b"caf\xE9\n")?;
/// let window = Window { offset: 1, limit: 10, column: 1 };
/// let request = Request::of_text(window, Codec::from_label("latin-1"));
/// let answer = engine.read(&path, &request, &Layout::reader(&gutter), Some(&Never))?;
/// assert!(matches!(answer, Answer::Text(answer) if answer.page.text == "café"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The window; of ranges, only its column, for their first line, and its limit, for all of their lines.
    pub window: Window,
    /// What to show instead of the window, if there is anything.
    pub ranges: &'a [Span],
    /// Whether a [`Span::Block`] is shown with its block; otherwise it is a [`Span::Line`].
    pub blocks: bool,
    /// The media types of files that another layer shows, as in [`crate::sniff::Kind::is_among`].
    pub formats: &'a [String],
    /// Overrides the detection of the encoding.
    pub encoding: Option<Codec>,
    /// Overrides the detection of the kind.
    pub kind: Option<WantedKind>,
    /// An argument that does not fit text, if the caller passed one.
    pub foreign: Option<&'a str>,
    /// A version that the caller has; if the file still has it, it is not read again.
    pub unless_version: Option<&'a str>,
}

impl Request<'_> {
    /// A window of a file that is read as text, whatever its bytes look like.
    #[must_use]
    pub fn of_text(window: Window, encoding: Option<Codec>) -> Self {
        let kind = Some(WantedKind::Text);
        Self {
            window,
            ranges: &[],
            blocks: true,
            formats: &[],
            encoding,
            kind,
            foreign: None,
            unless_version: None,
        }
    }

    /// Builds the page of its window or its ranges ([`build_moving`]).
    pub(super) fn page(&self, view: &View<'_>, layout: &Layout<'_>, moves_bytes: bool) -> Result<Page> {
        if self.ranges.is_empty() {
            return build_moving(view, self.window, layout, moves_bytes);
        }
        let window = (self.window.column, self.window.limit);
        build_ranges(view, self.ranges, self.blocks, window, layout)
    }
}

/// A kind that overrides the detected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedKind {
    /// Text, whatever the bytes look like.
    Text,
    /// A format that another layer shows.
    Format {
        /// Whether an empty file is one of it.
        may_be_empty: bool,
    },
}
