//! Several ranges of lines as one page: each as a window of its own shows it, with a line for each gap.

use crate::error::{Error, ErrorKind, Result};
use crate::lock::NoLockHeld;
use crate::page::block;
use crate::page::build::{FOOTER_BYTES, FOOTER_TOKENS, LEAST_FOOTERS, build, no_lines};
use crate::page::footer::{Footer, Next, characters_before, gap, no_hits_line};
use crate::page::view::View;
use crate::page::{Content, Found, Hit, Layout, LineRange, OverBudget, Page, Position, Span, Total, Window};
use crate::tokens;

/// A long footer, of which a counter counts the tokens.
const LONG_FOOTER: &str = "[lines 1,000,000-1,000,020 of about 10,000,000 (1.0 GB) · 100 ranges · 10 lines \
    clipped · no line from 20,000,000 on · next: the ranges from line 1,000,030 on]";

/// How many lines are shown before and after a line without a range.
const CONTEXT: i64 = 10;
/// How many lines are shown before and after a hit.
const NEAR_LINES: i64 = 2;
/// How many characters before and after one are shown of a line that is too long to be shown, and of a long hit.
const NEAR: u64 = 200;

/// Builds the page of what a search found: each hit with two lines before and after it that are not long, and with the
/// line that begins its block.
///
/// Of a long line, only what is around its first match is shown. A hit far from the beginning of its line is alone on
/// its page.
///
/// # Errors
/// Those of [`build`].
pub fn build_hits(
    view: &View<'_>,
    found: &Found<'_>,
    has_blocks: bool,
    most_lines: u64,
    layout: &Layout<'_>,
) -> Result<Page> {
    let Some(first) = found.hits.first() else { return no_hits(view, found) };
    let is_near = found.part(*first) == 1;
    let clip = layout.clip.map(|clip| if is_near { clip.within(2 * NEAR) } else { clip });
    let layout = &Layout { total: Total::Known, clip, ..*layout };
    let (mut spans, mut cuts) = (Vec::new(), Vec::new());
    if is_near {
        let are_near = |hit: &&Hit| found.part(**hit) == 1;
        let mut head = None;
        for Hit { line, column } in found.hits.iter().take(found.limit).take_while(are_near) {
            let first = (line - NEAR_LINES).max(found.searched.first);
            let last = (line + NEAR_LINES).min(found.searched.last);
            let (first, last) = (beside(view, *line, first, layout)?, beside(view, *line, last, layout)?);
            let before = clip.map_or(0, |clip| clip.keep / 2);
            if *column > before + 1 && is_long(view, *line, layout)? {
                cuts.push(Hit { line: *line, column: column - before });
            }
            if has_blocks
                && let Some(begin) = block::head(view, *line)?
                && head != Some(begin)
            {
                head = Some(begin);
                spans.extend(Some(begin).filter(|line| *line >= found.searched.first).map(one_line));
            }
            spans.push(Span::Range(LineRange { first, last }));
        }
    } else {
        spans.push(Span::Line(first.line, first.column));
    }
    let (page, cut) = build_spans(view, &spans, false, (1, most_lines), Some((found, &cuts)), layout)?;
    let is_before = |cut: Position| (cut.offset, cut.column) <= (first.line, first.column);
    if (page.end_line < first.line || cut.is_some_and(is_before)) && is_near {
        // What is around the hit, or precedes it in its line, leaves no room for it.
        let is_far = first.column > 2 * NEAR;
        let spans = [if is_far { Span::Line(first.line, first.column) } else { one_line(first.line) }];
        return Ok(build_spans(view, &spans, false, (1, 1), Some((found, &[])), layout)?.0);
    }
    Ok(page)
}

/// The last line from a hit to `end` that is shown with it: the one before a line that is too long.
fn beside(view: &View<'_>, hit: i64, end: i64, layout: &Layout<'_>) -> Result<i64> {
    let mut line = hit;
    while line != end && !is_long(view, line + (end - hit).signum(), layout)? {
        line += (end - hit).signum();
    }
    Ok(line)
}

/// Whether a line is too long to be shown completely.
fn is_long(view: &View<'_>, line: i64, layout: &Layout<'_>) -> Result<bool> {
    layout.clip.map_or(Ok(false), |clip| has_character(view, line, clip.length.saturating_add(1)))
}

fn has_character(view: &View<'_>, line: i64, column: u64) -> Result<bool> {
    let start = match view.line_start(line.max(1).unsigned_abs()) {
        Err(error) if matches!(error.kind, ErrorKind::OffsetPastEnd { .. }) => return Ok(false),
        start => start?.byte,
    };
    Ok(view.column(start, column)?.0.is_some_and(|position| !position.starts_line))
}

fn one_line(line: i64) -> Span {
    Span::Range(LineRange { first: line, last: line })
}

/// The page of a search that found nothing: the lines that were searched.
fn no_hits(view: &View<'_>, found: &Found<'_>) -> Result<Page> {
    let LineRange { first, .. } = found.searched;
    let page = no_lines(view, first, view.known_total()?)?;
    if view.has_no_line() {
        return Ok(page);
    }
    let text = no_hits_line(found.searched);
    Ok(Page { footer_bytes: text.len(), tokens: None, text, ..page })
}

/// Builds the page of several ranges of lines.
///
/// They are shown in the order of the file; those that overlap or touch are merged. The first line begins at
/// `column`, unless the block around a line begins before the first range. The budgets, and `limit` lines in
/// all, are used in that order. [`Page::next`] is where the page ends, perhaps inside a line, and
/// [`Page::rest`] has the ranges from there on.
///
/// # Errors
/// [`ErrorKind::OffsetPastEnd`] if none of the ranges has a line, and those of [`build`].
pub fn build_ranges(
    view: &View<'_>,
    spans: &[Span],
    has_blocks: bool,
    (column, limit): (u64, u64),
    layout: &Layout<'_>,
) -> Result<Page> {
    Ok(build_spans(view, spans, has_blocks, (column, limit), None, layout)?.0)
}

/// The page, and where its last line is cut; of a search with the characters from which on long lines are shown.
fn build_spans(
    view: &View<'_>,
    spans: &[Span],
    has_blocks: bool,
    (column, limit): (u64, u64),
    found: Option<(&Found<'_>, &[Hit])>,
    layout: &Layout<'_>,
) -> Result<(Page, Option<Position>)> {
    let is_counted = view.counts_lines(layout);
    if view.has_no_line() {
        return Ok((no_lines(view, 1, Some(0).filter(|_| layout.total != Total::Never))?, None));
    }
    let is_from_end = |span: &Span| match span {
        Span::Line(line, _) | Span::Block(line) => *line < 0,
        // -1 is the last line, whatever its number.
        Span::Range(range) => range.first < 0 || range.last < -1,
    };
    let needs_total = is_counted || spans.iter().any(is_from_end);
    let total = if needs_total { Some(view.total_lines()?) } else { None };
    let mut chosen = Chosen::of(view, spans, has_blocks, total)?;
    let from = match (spans, chosen.merged.as_slice()) {
        ([Span::Line(_, wanted)], [_]) => character(view, chosen.named[0], *wanted, layout)?,
        _ => None,
    };
    let clip = layout.clip.map(|clip| if from.is_some() { clip.within(2 * NEAR) } else { clip });
    let layout = &Layout { clip, ..*layout };
    let is_before = |begin| chosen.merged.first().is_some_and(|range| range.first < begin);
    let column = if chosen.begin.is_some_and(is_before) { 1 } else { column };
    let column = from.map_or(column, |(column, _)| column);
    if let (Some((_, before)), Some(range)) = (from, chosen.merged.first_mut()) {
        (range.first, range.last) = (before.offset, before.offset);
    }
    let mut joined = Joined::new(view, layout, (column, limit), total, chosen)?;
    (joined.from, joined.found) = (from, found.map(|(found, _)| found));
    for (range, column) in pieces(&joined.merged, found.map_or(&[], |(_, cuts)| cuts)) {
        joined.is_full = !joined.add(range, column)?;
        if joined.is_full {
            break;
        }
    }
    joined.end_at_total();
    let cut = joined.inside;
    Ok((joined.into_page()?, cut))
}

/// Ranges, in which lines that are not shown from their first character are ranges of their own.
fn pieces(ranges: &[LineRange], cuts: &[Hit]) -> Vec<(LineRange, u64)> {
    let mut pieces = Vec::with_capacity(ranges.len());
    for LineRange { first, last } in ranges.iter().copied() {
        let is_inside = |cut: &&Hit| (first..=last).contains(&cut.line);
        let mut first = first;
        for cut in cuts.iter().filter(is_inside) {
            if first < cut.line {
                pieces.push((LineRange { first, last: cut.line - 1 }, 1));
            }
            pieces.push((LineRange { first: cut.line, last: cut.line }, cut.column));
            first = cut.line + 1;
        }
        if first <= last {
            pieces.push((LineRange { first, last }, 1));
        }
    }
    pieces
}

/// Where to begin with a line too long to be shown, so that a character is in the middle; and what is before that.
///
/// `None`: the beginning of the line has that character, or there is none.
fn character(
    view: &View<'_>,
    line: i64,
    column: u64,
    layout: &Layout<'_>,
) -> Result<Option<(u64, Position)>> {
    let Some(length) = layout.clip.map(|clip| clip.keep).filter(|length| column > *length) else {
        return Ok(None);
    };
    let is_found = has_character(view, line, column)?;
    let first = column.saturating_sub(NEAR.min(length / 2)).max(2);
    let before = Position { offset: line, column: first.saturating_sub(length).max(1) };
    Ok(Some((first, before)).filter(|_| is_found && line > 0))
}

/// What spans choose, counted from the first line.
#[derive(Default)]
struct Chosen {
    /// Ranges in order, merged where they overlap or touch.
    merged: Vec<LineRange>,
    /// Ranges without any line, as requested.
    missing: Vec<LineRange>,
    /// The lines that were named without a range.
    named: Vec<i64>,
    /// The first line of all ranges.
    begin: Option<i64>,
    /// The blocks that are too long to be shown completely.
    inside: Vec<LineRange>,
}

impl Chosen {
    fn of(view: &View<'_>, spans: &[Span], has_blocks: bool, total: Option<u64>) -> Result<Self> {
        let end = total.map_or(i64::MAX, u64::cast_signed);
        let from_first = |line: i64| if line < 0 { end.saturating_add(line).saturating_add(1) } else { line };
        let mut chosen = Self::default();
        let mut counted = Vec::with_capacity(spans.len());
        for span in spans {
            let (first, last, requested) = match *span {
                Span::Line(line, _) | Span::Block(line) => {
                    let named = from_first(line);
                    chosen.named.push(named);
                    let is_block = has_blocks && matches!(span, Span::Block(_));
                    let block = if is_block { block::around(view, named)? } else { None };
                    let (shown, inside) = block.unwrap_or_else(|| {
                        let (first, last) = (named.saturating_sub(CONTEXT), named.saturating_add(CONTEXT));
                        (LineRange { first, last }, None)
                    });
                    chosen.inside.extend(inside);
                    (shown.first, shown.last, LineRange { first: line, last: line })
                }
                Span::Range(range) => {
                    let first = from_first(range.first);
                    chosen.begin = Some(chosen.begin.map_or(first, |begin| begin.min(first)));
                    (first, from_first(range.last), range)
                }
            };
            let (first, last) = (first.max(1), last.min(end));
            if first <= last {
                counted.push(LineRange { first, last });
            } else {
                chosen.missing.push(requested);
            }
        }
        counted.sort_by_key(|range| range.first);
        for range in counted {
            match chosen.merged.last_mut() {
                Some(last) if range.first <= last.last.saturating_add(1) => {
                    last.last = last.last.max(range.last);
                }
                _ => chosen.merged.push(range),
            }
        }
        chosen.inside.dedup();
        chosen.named.sort_unstable();
        chosen.named.dedup();
        Ok(chosen)
    }
}

/// The pages of the ranges so far.
struct Joined<'a> {
    view: &'a View<'a>,
    layout: &'a Layout<'a>,
    total: Option<u64>,
    /// The ranges requested, in order.
    merged: Vec<LineRange>,
    /// The pages, each with the line of the gap before it.
    pages: Vec<(String, Page)>,
    bytes: u64,
    tokens: u64,
    lines_left: u64,
    /// The first character of the first line.
    column: u64,
    /// Where the page ends inside a line.
    inside: Option<Position>,
    /// Ranges without any line.
    missing: Vec<LineRange>,
    /// The lines that were named without a range.
    named: Vec<i64>,
    /// The blocks that are too long to be shown completely.
    blocks: Vec<LineRange>,
    /// The first character of a line that is shown from the middle, and where what is before it is shown.
    from: Option<(u64, Position)>,
    /// What a search found.
    found: Option<&'a Found<'a>>,
    /// Whether a budget has ended the page.
    is_full: bool,
    /// The bytes and tokens that are kept for a footer; none in a small budget.
    footer_room: (u64, u64),
}

impl<'a> Joined<'a> {
    fn new(
        view: &'a View<'a>,
        layout: &'a Layout<'a>,
        (column, limit): (u64, u64),
        total: Option<u64>,
        Chosen { merged, missing, named, inside, .. }: Chosen,
    ) -> Result<Self> {
        let footer_tokens = match layout.counter {
            Some(counter) => counter.count(LONG_FOOTER, NoLockHeld::check())?.max(FOOTER_TOKENS),
            None => FOOTER_TOKENS,
        };
        let has_room = layout.max_bytes >= LEAST_FOOTERS * FOOTER_BYTES
            && layout.max_tokens >= LEAST_FOOTERS * FOOTER_TOKENS
            && layout.max_tokens / 2 >= footer_tokens;
        Ok(Self {
            view,
            layout,
            total,
            merged,
            pages: Vec::new(),
            bytes: 0,
            tokens: 0,
            lines_left: limit,
            column,
            inside: None,
            missing,
            named,
            blocks: inside,
            from: None,
            found: None,
            is_full: false,
            footer_room: if has_room { (FOOTER_BYTES, footer_tokens) } else { (0, 0) },
        })
    }

    /// Adds a range, of which the first line may be shown from a character on; returns whether all of it fits.
    fn add(&mut self, range: LineRange, column: u64) -> Result<bool> {
        let (footer_bytes, footer_tokens) = self.footer_room;
        let previous = self.pages.last().map(|(_, page)| page.end_line);
        // Numbers on both sides of a jump say as much.
        let shows = |line| self.layout.gutter.shows(line);
        let hidden = previous.filter(|previous| !(shows(*previous) && shows(range.first)));
        let gap = hidden.map_or_else(String::new, |previous| gap(previous + 1, range.first - 1));
        let is_first = self.pages.is_empty();
        let before = if column > 1 { characters_before(column) } else { String::new() };
        let column = if is_first { self.column.max(column) } else { column };
        let used = self.bytes + (gap.len() + before.len()) as u64;
        let used_tokens = self.tokens + self.count(&gap)? + self.count(&before)?;
        let layout = Layout {
            max_bytes: self.layout.max_bytes.saturating_sub(used + footer_bytes),
            max_tokens: self.layout.max_tokens.saturating_sub(used_tokens + footer_tokens),
            over_budget: match self.layout.over_budget {
                OverBudget::Shorten if is_first => OverBudget::Shorten,
                OverBudget::Refuse => OverBudget::Error,
                _ => OverBudget::Stop,
            },
            // The rest of a line may need all of the page, as that of a line that is read from a column on.
            fill_one_line: is_first && self.column > 1 && self.from.is_none() && self.layout.fill_one_line,
            total: Total::Known,
            guides: false,
            ..*self.layout
        };
        if self.lines_left == 0 || layout.max_bytes == 0 || layout.max_tokens == 0 {
            return Ok(false);
        }
        let limit = (range.last - range.first).unsigned_abs().saturating_add(1).min(self.lines_left);
        let window = Window { offset: range.first, limit, column };
        let mut page = build(self.view, window, &layout).map_err(|error| self.whole_error(error, &layout))?;
        if column > 1 && page.start_line > range.first {
            // After the last character of a window's first line, its second one begins; a range has its own lines.
            let kind = ErrorKind::ColumnPastEnd { column, line: range.first, characters: column - 1 };
            return Err(Error::new(self.view.path, kind));
        }
        if page.end_line < page.start_line {
            if page.next.is_some() {
                return Ok(false);
            }
            self.total = self.total.or(page.total_lines);
            self.missing.push(range);
            return Ok(true);
        }
        let next = page.next.map_or(i64::MAX, |position| position.offset);
        self.inside = page.next.filter(|position| position.column > 1);
        if page.next.is_none() {
            self.total = self.total.or(Some(page.end_line.unsigned_abs()));
        }
        self.bytes = used + page.text.len() as u64 + 2;
        self.tokens = used_tokens + self.count(&page.text)?;
        let gutter = self.layout.gutter.from(page.start_line, self.layout.gutter.width).bytes().len();
        page.text.insert_str(gutter, &before);
        self.lines_left -= (page.end_line - page.start_line).unsigned_abs() + 1;
        self.pages.push((gap, page));
        Ok(self.inside.is_none() && next > range.last)
    }

    /// The tokens of some lines, if they are limited.
    fn count(&self, text: &str) -> Result<u64> {
        match self.layout.counter {
            Some(counter) => counter.count(text, NoLockHeld::check()),
            None if self.layout.max_tokens == u64::MAX => Ok(0),
            None => Ok(tokens::estimate(text).tokens()),
        }
    }

    /// The error for all ranges, if one of them does not fit what those before it leave.
    fn whole_error(&self, mut error: Error, left: &Layout<'_>) -> Error {
        if let ErrorKind::OverBudget { used, budget, unit, largest_limit, of } = &mut error.kind {
            let whole = if *unit == "tokens" { self.layout.max_tokens } else { self.layout.max_bytes };
            let left = if *unit == "tokens" { left.max_tokens } else { left.max_bytes };
            *used += whole - left;
            (*budget, *largest_limit, *of) = (whole, 0, "ranges");
        }
        error
    }

    fn into_page(mut self) -> Result<Page> {
        let mut footer = self.footer()?;
        if let Some(counter) = self.layout.counter {
            // Only now, because its counts need not add up.
            while self.pages.len() > 1
                && counter.count(&self.text(&footer), NoLockHeld::check())? > self.layout.max_tokens
            {
                self.pages.pop();
                (self.is_full, self.inside) = (true, None);
                footer = self.footer()?;
            }
        }
        let text = self.text(&footer);
        let Some((_, first)) = self.pages.first() else {
            if let Some(range) = self.merged.first().filter(|_| self.is_full) {
                let page = no_lines(self.view, range.first, self.total)?;
                let next = Some(Position { offset: range.first, column: self.column });
                return Ok(Page { next, is_over_budget: true, rest: self.rest(), ..page });
            }
            let total_lines = self.total.map_or_else(|| self.view.total_lines(), Ok)?;
            let offset = self.missing.first().map_or(1, |range| range.first).unsigned_abs();
            return Err(Error::new(self.view.path, ErrorKind::OffsetPastEnd { offset, total_lines }));
        };
        let (start_byte, start_line, final_newline) =
            (first.start_byte, first.start_line, first.final_newline);
        let counted = self.layout.counter.map(|counter| counter.count(&text, NoLockHeld::check()));
        let total_lines_estimate = if self.total.is_none() && self.layout.total == Total::Bounded {
            Some(self.view.estimate_lines()?)
        } else {
            None
        };
        let mut page = Page {
            footer_bytes: footer.len(),
            text,
            content: Content::new(Vec::new(), &self.view.plan),
            start_byte,
            end_byte: start_byte,
            start_line,
            end_line: start_line,
            total_lines: self.total,
            total_lines_estimate,
            next: self.next(),
            clipped: Vec::new(),
            final_newline,
            is_over_budget: self.is_full,
            lossy_line: None,
            tokens: counted.transpose()?,
            shown: self.shown(),
            rest: self.rest(),
            hits: self.found.map_or_else(Vec::new, |found| self.hits(found).0),
            is_literal: false,
        };
        for (_, part) in self.pages {
            page.content.bytes.extend(part.content.bytes);
            page.clipped.extend(part.clipped);
            page.lossy_line = page.lossy_line.or(part.lossy_line);
            (page.end_byte, page.end_line) = (part.end_byte, part.end_line);
        }
        Ok(page)
    }

    /// Cuts the ranges that are not shown at the last line of the file, once that is known.
    fn end_at_total(&mut self) {
        let Some(total) = self.total.map(u64::cast_signed) else { return };
        let (found, empty) = self.merged.iter().partition::<Vec<LineRange>, _>(|range| range.first <= total);
        self.merged = found;
        self.missing.extend(empty);
        for line in self.named.iter().copied().filter(|line| *line > total) {
            // Instead of the lines around it.
            self.missing.retain(|range| !(range.first <= line && line <= range.last));
            self.missing.push(LineRange { first: line, last: line });
        }
        if let Some(last) = self.merged.last_mut() {
            last.last = last.last.min(total);
        }
    }

    /// The lines of the hits that are shown, and the first hit that is not.
    fn hits(&self, found: &Found<'_>) -> (Vec<i64>, Option<Hit>) {
        let shown = self.shown();
        let is_line_shown = |line: i64| shown.iter().any(|range| (range.first..=range.last).contains(&line));
        let part = self.from.and(found.hits.first()).map_or(1, |hit| found.part(*hit));
        let is_shown = |hit: &&Hit| is_line_shown(hit.line) && found.part(**hit) == part;
        let hits: Vec<i64> = found.hits.iter().take_while(is_shown).map(|hit| hit.line).collect();
        let next = found.hits.get(hits.len()).copied();
        (hits, next)
    }

    /// Where the next page begins, if a budget leaves out something.
    fn next(&self) -> Option<Position> {
        if let Some(found) = self.found {
            let after = self.pages.last().map_or(found.searched.first, |(_, page)| page.end_line + 1);
            return match self.hits(found).1 {
                Some(hit) if found.part(hit) > 1 => {
                    Some(Position { offset: hit.line, column: found.part(hit) })
                }
                Some(hit) => Some(Position { offset: after.min(hit.line), column: 1 }),
                None => Some(Position { offset: after, column: 1 }).filter(|_| found.has_more),
            };
        }
        let first = self.rest().first().map(|range| Position { offset: range.first, column: 1 })?;
        Some(self.inside.unwrap_or(first))
    }

    /// What a budget leaves out of the ranges, with the line inside which the page ends.
    fn rest(&self) -> Vec<LineRange> {
        if let Some(found) = self.found {
            // The same search goes on in what is left of its ranges.
            let begin = self.next().map_or(i64::MAX, |position| position.offset);
            let after = |range: &&LineRange| range.last >= begin;
            let from = |range: &LineRange| LineRange { first: range.first.max(begin), ..*range };
            return found.ranges.iter().filter(after).map(from).collect();
        }
        let end = self.pages.last().map_or(0, |(_, page)| page.end_line) - i64::from(self.inside.is_some());
        let after = |range: &LineRange| LineRange { first: range.first.max(end + 1), ..*range };
        let ranges = self.merged.iter().filter(|range| self.is_full && range.last > end);
        ranges.map(after).collect()
    }

    fn shown(&self) -> Vec<LineRange> {
        let mut shown: Vec<LineRange> = Vec::with_capacity(self.pages.len());
        for (_, page) in &self.pages {
            match shown.last_mut() {
                Some(before) if page.start_line == before.last + 1 => before.last = page.end_line,
                _ => shown.push(LineRange { first: page.start_line, last: page.end_line }),
            }
        }
        shown
    }

    fn footer(&self) -> Result<String> {
        let clipped = self.pages.iter().map(|(_, page)| page.clipped.len()).sum();
        let is_whole = self.pages.len() == 1
            && self.pages.iter().all(|(_, page)| page.start_line == 1 && page.next.is_none());
        let rest = self.rest();
        let shown = self.shown();
        let is_shown = |line: i64| shown.iter().any(|range| (range.first..=range.last).contains(&line));
        let is_named = |_: &i64| self.found.is_none();
        let named: Vec<i64> =
            self.named.iter().copied().filter(is_named).filter(|line| is_shown(*line)).collect();
        let is_around =
            |block: &&LineRange| named.iter().any(|line| (block.first..=block.last).contains(line));
        let inside: Vec<LineRange> = self.blocks.iter().filter(is_around).copied().collect();
        let is_empty = self.found.is_none()
            && named.is_empty()
            && rest.is_empty()
            && self.missing.is_empty()
            && clipped == 0
            && is_whole;
        if is_empty || self.pages.is_empty() || self.footer_room.0 == 0 {
            return Ok(String::new());
        }
        let is_estimated = self.total.is_none() && self.found.is_none();
        let estimate = if is_estimated { self.view.estimate_lines()? } else { 0 };
        let footer = Footer {
            lines: &shown,
            total: self.total,
            estimate,
            size: self.view.size(),
            clipped,
            named: &named,
            inside: &inside,
            from: self.from,
            missing: &self.missing,
            hits: self.found.map(|found| (self.hits(found).0.len() as u64, found.total, found.is_exact)),
            next: self.next().map(|position| match &*rest {
                [] => Next::Position(position),
                rest => Next::Ranges(rest, position.column),
            }),
        };
        let text = footer.to_string();
        let is_short = text.len() as u64 <= FOOTER_BYTES && tokens::estimate(&text).tokens() <= FOOTER_TOKENS;
        Ok(if is_short { text } else { footer.in_brief() })
    }

    /// The lines, the gaps between them, and the footer.
    fn text(&self, footer: &str) -> String {
        let mut text = String::new();
        for (gap, page) in &self.pages {
            for piece in [gap, &page.text] {
                if !(text.is_empty() || piece.is_empty()) {
                    text.push('\n');
                }
                text.push_str(piece);
            }
        }
        if !footer.is_empty() {
            text.push('\n');
            text.push_str(footer);
        }
        text
    }
}
