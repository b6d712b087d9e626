//! The requests to an engine.

use crate::encoding::Codec;
use crate::error::{ErrorKind, Result};
use crate::find::{self, Pattern, Scope};
use crate::page::block;
use crate::page::build::build_moving;
use crate::page::ranges::{build_hits, build_ranges};
use crate::page::view::View;
use crate::page::{Found, Hit, Layout, LineRange, Page, Span, Window};
use crate::size::to_usize;

/// How many hits more than a page shows are looked for, because the lines after the last one may have some.
const MORE_HITS: u64 = 3;

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
    /// Whether a [`Span::Block`] is shown with its block; otherwise it is a [`Span::Line`]. Of hits, whether the line
    /// is shown that begins their block.
    pub blocks: bool,
    /// What is looked for in the window, or in the ranges; a page has only what was found.
    pub find: Option<Find<'a>>,
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
            find: None,
            formats: &[],
            encoding,
            kind,
            foreign: None,
            unless_version: None,
        }
    }

    /// Builds the page of its window or its ranges ([`build_moving`]).
    pub(super) fn page(&self, view: &View<'_>, layout: &Layout<'_>, moves_bytes: bool) -> Result<Page> {
        if let Some(find) = self.find {
            let page = self.found(find.limit, find.pattern, view, layout)?;
            let literal = find.or_literal.filter(|_| page.shown.is_empty() && page.next.is_none());
            let is_literal = literal.is_some() || find.pattern.is_literal();
            let page = literal.map_or(Ok(page), |literal| self.found(find.limit, literal, view, layout))?;
            // That the pattern is no expression matters most where nothing is found.
            let is_told = !page.shown.is_empty() || find.pattern.is_literal();
            return Ok(Page { is_literal: is_literal && is_told, ..page });
        }
        if self.ranges.is_empty() {
            return build_moving(view, self.window, layout, moves_bytes);
        }
        let window = (self.window.column, self.window.limit);
        build_ranges(view, self.ranges, self.blocks, window, layout)
    }

    /// The page again, to see whether its lines have changed.
    pub(super) fn page_again(&self, view: &View<'_>, layout: &Layout<'_>, page: &Page) -> Result<Page> {
        if self.find.is_some() && !page.shown.is_empty() {
            let shown: Vec<Span> = page.shown.iter().copied().map(Span::Range).collect();
            let again = build_ranges(view, &shown, false, (1, u64::MAX), layout)?;
            // A page of a part of a long line is another one.
            if again.content == page.content {
                return Ok(again);
            }
        }
        self.page(view, layout, false)
    }

    fn found(&self, limit: u64, pattern: &Pattern, view: &View<'_>, layout: &Layout<'_>) -> Result<Page> {
        // A page has no more lines, and hits take memory.
        let limit = limit.min(self.window.limit);
        let part_chars = layout.clip.map_or(u64::MAX, |clip| clip.keep);
        let exact = view.counts_lines(layout);
        let (mut hits, mut total, mut is_exact, mut has_more) = (Vec::new(), 0, true, false);
        let mut searched: Option<LineRange> = None;
        let ranges = self.searched(view)?;
        for LineRange { first, last } in ranges.iter().copied() {
            let left = limit.saturating_add(MORE_HITS).saturating_sub(hits.len() as u64);
            let column = if searched.is_none() { self.window.column } else { 1 };
            let scope = Scope {
                from: (first.unsigned_abs(), column),
                last_line: last.unsigned_abs(),
                limit: to_usize(left),
                max_line_chars: part_chars,
                exact,
            };
            let found = match find::find(view, pattern, &scope) {
                // Only the first range must exist, as in a read without a search.
                Err(error) if searched.is_some() && matches!(error.kind, ErrorKind::OffsetPastEnd { .. }) => {
                    break;
                }
                found => found?,
            };
            hits.extend(
                found.hits.iter().map(|hit| Hit { line: hit.line.cast_signed(), column: hit.column }),
            );
            total += found.total;
            has_more |= found.next.is_some();
            is_exact &= found.is_exact;
            let begin = searched.map_or(first + i64::from(column > 1), |range| range.first);
            searched = Some(LineRange { first: begin, last: found.looked_to_line.cast_signed() });
            if !exact && has_more {
                break;
            }
        }
        let found = Found {
            hits: &hits,
            limit: to_usize(limit),
            has_more,
            total,
            is_exact,
            searched: searched.unwrap_or(LineRange { first: 1, last: 0 }),
            ranges: if self.ranges.is_empty() { &[] } else { &ranges },
            part_chars,
        };
        build_hits(view, &found, self.blocks, self.window.limit, layout)
    }

    /// The lines that are searched, in order.
    fn searched(&self, view: &View<'_>) -> Result<Vec<LineRange>> {
        let mut ranges = Vec::with_capacity(self.ranges.len().max(1));
        for span in self.ranges {
            ranges.push(match *span {
                Span::Range(range) => range,
                Span::Block(line) if self.blocks && line > 0 => {
                    let block = block::around(view, line)?;
                    block.map_or(one_line(line), |(shown, whole)| whole.unwrap_or(shown))
                }
                Span::Line(line, _) | Span::Block(line) => one_line(line),
            });
        }
        if ranges.is_empty() {
            ranges.push(LineRange { first: self.window.offset, last: i64::MAX });
        }
        if ranges.iter().any(|range| range.first < 0 || range.last < -1) {
            let total = view.total_lines()?.cast_signed();
            let from_first = |line: i64| if line < 0 { (total + line + 1).max(1) } else { line };
            for range in &mut ranges {
                *range = LineRange { first: from_first(range.first), last: from_first(range.last) };
            }
        }
        for range in &mut ranges {
            range.last = if range.last == -1 { i64::MAX } else { range.last };
        }
        ranges.sort_by_key(|range| range.first);
        // No line is searched twice.
        ranges.dedup_by(|range, before| {
            let overlaps = range.first <= before.last;
            before.last = if overlaps { before.last.max(range.last) } else { before.last };
            overlaps
        });
        Ok(ranges)
    }
}

fn one_line(line: i64) -> LineRange {
    LineRange { first: line, last: line }
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Find<'a> {
    /// The pattern.
    pub pattern: &'a Pattern,
    /// The same letters as they are, which are looked for if the pattern has no hit.
    pub or_literal: Option<&'a Pattern>,
    /// The maximum number of hits on a page.
    pub limit: u64,
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
