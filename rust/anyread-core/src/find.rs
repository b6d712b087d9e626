//! The lines of a text that match a pattern.
//!
//! A text is searched in windows of whole lines: small ones at first, so that the first hits come at once, and then
//! on all cores. A window has the lines that begin in it. UTF-8 is searched as it is, a block of lines at a time, and
//! other texts are decoded line by line. A line of more than 256 KiB is searched in pieces that overlap, in constant memory;
//! only there can a match be missed, if it is longer than 64 KiB.

mod lines;
mod pattern;
mod syntax;
#[cfg(test)]
mod tests;
mod window;

use std::ops::Range;

use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::page::view::{Position, View};
use crate::scan::{BLOCK, ScanWindow, in_windows, to_usize, window_for};
use window::{Search, Searched, Start};

pub(crate) use pattern::SourceFilter;
pub use pattern::{Pattern, PatternError};

/// The size of the first window; each further one is twice as large, until there are windows for all cores.
const FIRST_WINDOW: u64 = 64 << 10;
/// This many bytes are searched before there are windows for all cores.
const NEAR: u64 = 4 << 20;

/// Which part of a text is searched, and how hits are counted.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// The number of the first line and its first column, both counted from 1; no match that begins before counts.
    pub from: (u64, u64),
    /// The number of the last line.
    pub last_line: u64,
    /// The maximum number of hits that are returned.
    pub limit: usize,
    /// The length of the parts of a long line, each of which can be a hit, in characters.
    pub max_line_chars: u64,
    /// Whether all hits are counted; otherwise the search ends when there are more than `limit`.
    pub exact: bool,
}

/// A line that matches, or a part of a long line: columns 1 to `max_line_chars`, as many after these, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// The number of the line, counted from 1.
    pub line: u64,
    /// The column in which its first match begins, counted from 1.
    pub column: u64,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hits {
    /// The first hits, in order.
    pub hits: Vec<Hit>,
    /// The first hit that is not among them.
    pub next: Option<Hit>,
    /// The number of hits, at least unless it `is_exact`.
    pub total: u64,
    /// Whether all hits in the scope are counted.
    pub is_exact: bool,
    /// The number of the last line that was searched.
    pub looked_to_line: u64,
}

/// Finds the lines of a text that match a pattern.
///
/// # Errors
/// [`ErrorKind::OffsetPastEnd`] if the first line does not exist, and those of reading.
pub fn find(view: &View<'_>, pattern: &Pattern, scope: &Scope) -> Result<Hits> {
    let size = view.size();
    view.source.require_all(view.path)?;
    let start = match start(view, scope.from)? {
        Some(start) if start.byte < size && start.line <= scope.last_line => start,
        _ => return Ok(Collector::new(scope, scope.from.0).into_hits()),
    };
    let search = Search {
        path: view.path,
        size,
        codec: view.plan.codec,
        terminator: view.plan.terminator,
        pattern,
        scope,
        start: &start,
    };
    let mut collector = Collector::new(scope, start.line);
    let first = start.byte / BLOCK;
    let outcome = search_windows(view, &search, first * BLOCK, &mut collector);
    if let Some((entry, known)) = view.shared.as_ref().filter(|_| !collector.counts.is_empty()) {
        entry.append(view.source, view.path, known, first, &collector.counts)?;
    }
    outcome?;
    Ok(collector.into_hits())
}

/// Where to begin: at a column, or at the start of the next line if the line ends before it; `None` after the text.
fn start(view: &View<'_>, (line, column): (u64, u64)) -> Result<Option<Start>> {
    let begin = view.line_start(line)?;
    // A byte-order mark that is shown has a column and still is no part of what is searched.
    let mark = if begin.byte == 0 { view.plan.bom_len } else { 0 };
    let marks = u64::from(mark > 0);
    if column <= 1 + marks {
        return Ok(Some(Start { byte: begin.byte + mark, line, chars: marks, before: String::new() }));
    }
    let Some(Position { byte, starts_line, .. }) = view.column(begin.byte, column)?.0 else {
        return Ok(None);
    };
    if starts_line {
        return Ok(Some(Start { byte, line: line + 1, chars: 0, before: String::new() }));
    }
    let previous = view.column(begin.byte, column - 1)?.0.map_or(begin.byte, |position| position.byte);
    let bytes = view.source.bytes(view.path, previous, to_usize(byte - previous))?;
    let mut before = String::new();
    view.plan.codec.decode_into(&bytes, &mut before);
    Ok(Some(Start { byte, line, chars: column - 1, before }))
}

fn search_windows(
    view: &View<'_>,
    search: &Search<'_>,
    begin: u64,
    collector: &mut Collector<'_>,
) -> Result<()> {
    let run = |bytes: Range<u64>, window, max_lines, collector: &mut Collector<'_>| {
        let work = |window: &mut ScanWindow<'_>| search.window(window, max_lines);
        in_windows(view.source, view.path, &bytes, window, view.interrupt, work, |searched| {
            collector.take(searched)
        })
    };
    let (mut at, mut window) = (begin, FIRST_WINDOW);
    while at < search.size && !collector.is_done {
        let is_near = at - begin < NEAR;
        // The state of escapes carries over from line to line.
        let is_whole = search.codec.is_stateful();
        let end = if is_near && !is_whole { search.size.min(at + window) } else { search.size };
        if !view.source.allows(end - at) {
            return Err(Error::new(view.path, ErrorKind::WouldBlock(Blocked::Work)));
        }
        let length = if is_whole {
            end - at
        } else if is_near {
            window
        } else {
            window_for(end - at)
        };
        run(at..end, length.max(1), u64::MAX, collector)?;
        // A line that goes on through other windows needs no second look.
        let skipped = (collector.to.max(end) - end) / BLOCK * BLOCK;
        collector.is_counting &= skipped == 0;
        (at, window) = (end + skipped, 2 * window);
    }
    if let Some((range, lines)) = collector.cut.take() {
        let length = range.end - range.start;
        run(range, length, lines, collector)?;
    }
    Ok(())
}

/// Collects what is found in one window after another.
struct Collector<'a> {
    scope: &'a Scope,
    hits: Vec<Hit>,
    next: Option<Hit>,
    total: u64,
    /// The number of the first line of the next window.
    line: u64,
    /// How far the last line of the last window goes.
    to: u64,
    is_done: bool,
    /// The window in which the last line is, if its hits were not all recorded, and its lines up to that line.
    cut: Option<(Range<u64>, u64)>,
    /// The line endings of the leading blocks.
    counts: Vec<u16>,
    is_counting: bool,
}

impl<'a> Collector<'a> {
    fn new(scope: &'a Scope, line: u64) -> Self {
        Self {
            scope,
            hits: Vec::new(),
            next: None,
            total: 0,
            line,
            to: 0,
            is_done: false,
            cut: None,
            counts: Vec::new(),
            is_counting: true,
        }
    }

    /// Adds what was found in the next window; returns whether to continue.
    fn take(&mut self, Searched { range, to, found, counts }: Searched) -> bool {
        self.to = to;
        if self.is_counting {
            self.counts.extend_from_slice(&counts);
            self.is_counting = counts.len() as u64 == (range.end - range.start) / BLOCK;
        }
        let Scope { last_line, limit, exact, .. } = *self.scope;
        let first = self.line;
        let next = first + found.lines;
        self.is_done = next > last_line;
        let are_recorded = found.total == found.hits.len() as u64;
        if next > last_line.saturating_add(1) && !are_recorded && self.cut.is_none() {
            self.cut = Some((range, last_line - first + 1));
            self.is_counting = false;
            return false;
        }
        self.line = next;
        let mut counted = 0;
        for hit in found.hits {
            let hit = Hit { line: first + hit.line, ..hit };
            if hit.line > last_line || (!exact && self.total > limit as u64) {
                break;
            }
            counted += 1;
            self.total += 1;
            if self.hits.len() < limit {
                self.hits.push(hit);
            } else {
                self.next.get_or_insert(hit);
            }
        }
        if exact && !are_recorded {
            self.total += found.total - counted;
        }
        self.is_done |= !exact && self.total > limit as u64;
        !self.is_done
    }

    fn into_hits(self) -> Hits {
        let Self { scope, hits, next, total, line, .. } = self;
        let is_exact = scope.exact || next.is_none();
        let last = line.saturating_sub(1).min(scope.last_line);
        let looked_to_line = next.filter(|_| !is_exact).map_or(last, |next| next.line);
        Hits { hits, next, total, is_exact, looked_to_line }
    }
}
