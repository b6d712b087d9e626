//! The page of a small plain text whose lines all fit, written in one pass: the most frequent read.

use std::ops::Range;
use std::path::Path;

use crate::encoding::Codec;
use crate::gutter::{GUTTER_BLOCK, increment};
use crate::memory::zeros;
use crate::page::footer::Footer;
use crate::page::layout::{Align, FinalNewline, Layout, OverBudget, Total};
use crate::page::tally::Tally;
use crate::page::view::View;
use crate::page::{Content, Page, Place, Window};
use crate::scan::to_usize;
use crate::source::Source;
use crate::tokens;

use super::{FOOTER_BYTES, FOOTER_TOKENS, PlainText};

/// The maximum size of a window here. A larger one is likely to exceed a budget, and would be built twice.
const MOST_BYTES: usize = 64 << 10;
/// Shorter lines, in bytes, are copied as a block of this size: a few instructions, and no call of `memcpy`.
const LINE_BLOCK: usize = 64;

/// The page, if it consists of whole lines of plain text within all budgets.
///
/// Otherwise it is `None`, and the general builder shortens the page or reports the error.
/// It does so too for layouts that are not worth the code here.
pub(super) fn page(
    view: &View<'_>,
    plain: PlainText<'_>,
    window: Window,
    layout: &Layout<'_>,
) -> Option<Page> {
    let Source::Memory(bytes) = view.source else { return None };
    let line_feeds = plain.line_feeds;
    if !(view.plan.is_plain && applies(view, layout)) || window.column > 1 || window.limit == 0 {
        return None;
    }
    let final_newline = bytes.last() == Some(&b'\n');
    let has_empty_end = view.lines.final_newline == FinalNewline::Starts;
    let total = line_feeds.len() as u64 + u64::from(!final_newline || has_empty_end);
    let number = match u64::try_from(window.offset) {
        Ok(number) => number.max(1),
        Err(_) => total.saturating_sub(window.offset.unsigned_abs()) + 1,
    };
    let lines = (total + 1).checked_sub(number).filter(|left| *left > 0)?.min(window.limit);
    // The line feeds before the window, and those in it.
    let (before, from_start) = line_feeds.split_at_checked(to_usize(number - 1))?;
    let line_feeds = from_start.get(..to_usize(lines)).unwrap_or(from_start);
    let is_rest = number + lines > total;
    let after = |line_feeds: &[u32]| line_feeds.last().map(|at| to_usize(u64::from(*at)) + 1);
    let start = after(before).unwrap_or(0);
    let end = if is_rest { bytes.len() } else { after(line_feeds)? };
    // At its end, the number of lines of a file is known.
    let is_counted = layout.total != Total::Known || is_rest && window.offset >= 0;
    // In every unit, a text uses at most as much of a budget as it has bytes.
    let budget = usable(layout, layout.budget.map_or(u64::MAX, |budget| budget.maximum));
    if end - start > MOST_BYTES || (end - start) as u64 > budget || !is_counted {
        return None;
    }
    let first_number = layout.first_number.unwrap_or(number.cast_signed());
    let range = start..end;
    let mut text = numbered(view.path, bytes, range, line_feeds, layout, (first_number, lines))?;
    let mut tally = Tally::default();
    let max_tokens = usable(layout, layout.max_tokens);
    if text.len() as u64 > usable(layout, layout.max_bytes).min(budget) || tally.exceeds(&text, max_tokens) {
        return None;
    }
    let next = (!is_rest).then_some(Place { offset: (number + lines).cast_signed(), column: 1 });
    let (start_line, end_line) = (number.cast_signed(), (number + lines - 1).cast_signed());
    let has_room = layout.max_bytes >= 4 * FOOTER_BYTES && layout.max_tokens >= 4 * FOOTER_TOKENS;
    let is_whole = number == 1 && next.is_none();
    let footer = if layout.guides && has_room && !is_whole {
        let lines = (start_line, end_line);
        Footer { lines, total: Some(total), estimate: 0, size: view.size(), clipped: 0, next }.to_string()
    } else {
        String::new()
    };
    let shown_bytes = text.len() + if footer.is_empty() { 0 } else { footer.len() + 1 };
    if shown_bytes as u64 > layout.max_bytes
        || tokens::ceiling(shown_bytes).tokens() > layout.max_tokens
            && (tally.count(&text) + tokens::estimate(&footer)).tokens() > layout.max_tokens
    {
        return None;
    }
    let tokens = tally.known(&text, &footer);
    let content = if plain.keeps_bytes && end - start == bytes.len() {
        Content::of_whole_file(&view.plan)
    } else {
        let mut content = Vec::new();
        content.try_reserve_exact(end - start).ok()?;
        content.extend_from_slice(&bytes[start..end]);
        Content::new(content, &view.plan)
    };
    if !footer.is_empty() {
        text.try_reserve_exact(1 + footer.len()).ok()?;
        text.push('\n');
        text.push_str(&footer);
    }
    Some(Page {
        text,
        footer_bytes: footer.len(),
        content,
        start_byte: start as u64,
        end_byte: end as u64,
        start_line,
        end_line,
        total_lines: Some(total),
        total_lines_estimate: None,
        next,
        clipped: Vec::new(),
        final_newline,
        is_over_budget: false,
        lossy_line: None,
        tokens,
    })
}

/// Whether lines and budgets are counted as this module does.
fn applies(view: &View<'_>, layout: &Layout<'_>) -> bool {
    let is_counted = match layout.total {
        Total::Exact | Total::Known => true,
        Total::Bounded => view.size() <= layout.count_bytes,
        Total::Never => false,
    };
    is_counted
        && view.plan.codec == Codec::Utf8
        && layout.align == Align::Gutter
        && !layout.splits_again
        && layout.counter.is_none()
}

/// How much of a budget may be used before the page ends.
fn usable(layout: &Layout<'_>, maximum: u64) -> u64 {
    if layout.over_budget == OverBudget::After { maximum.saturating_sub(1) } else { maximum }
}

/// The text of the lines in a range of `bytes`; `None` if one of them is clipped, or its gutter too wide.
fn numbered(
    path: &Path,
    bytes: &[u8],
    range: Range<usize>,
    line_feeds: &[u32],
    layout: &Layout<'_>,
    (first_number, lines): (i64, u64),
) -> Option<String> {
    let lines = to_usize(lines);
    // The last line of a file may have no line feed.
    let has_rest = lines > line_feeds.len();
    let mut gutters = layout.gutter.from(first_number, layout.gutter.width);
    let last_number = first_number.checked_add_unsigned(lines as u64)?;
    let widest = gutters.bytes().len().max(layout.gutter.length(last_number, layout.gutter.width));
    // The lines, their gutters and line feeds, and what the last blocks write too much.
    let most = range.len() + lines.checked_mul(widest + 1)?;
    let mut text = zeros(path, most.checked_add(GUTTER_BLOCK + LINE_BLOCK)?).ok()?;
    let longest = layout.clip.map_or(usize::MAX, |clip| to_usize(clip.length));
    let mut writer = PageWriter { bytes, from: range.start, longest, text: &mut text, written: 0 };
    let mut left = line_feeds;
    while !left.is_empty() {
        let (columns, lines) = gutters.run().unwrap_or((0..0, left.len()));
        let (run, rest) = left.split_at(lines.min(left.len()));
        let (block, gutter_bytes) = gutters.block()?;
        writer.add_run(block, gutter_bytes, columns, run)?;
        gutters.advance_by(run.len());
        left = rest;
    }
    if has_rest {
        let (block, gutter_bytes) = gutters.block()?;
        writer.add_gutter(block, gutter_bytes)?;
        writer.add_line(range.end)?;
    }
    let written = writer.written.checked_sub(1)?;
    text.truncate(written);
    String::from_utf8(text).ok()
}

/// Writes lines and their gutters as blocks, each of which overwrites what the one before wrote too much.
struct PageWriter<'a> {
    bytes: &'a [u8],
    /// Where the next line begins.
    from: usize,
    /// The maximum length of a line in bytes.
    longest: usize,
    text: &'a mut [u8],
    written: usize,
}

impl PageWriter<'_> {
    /// Adds lines with line feeds at these offsets, whose numbers take the same columns of their gutters.
    fn add_run(
        &mut self,
        block: &[u8; GUTTER_BLOCK],
        gutter_bytes: usize,
        columns: Range<usize>,
        line_feeds: &[u32],
    ) -> Option<()> {
        if gutter_bytes <= size_of::<u64>() {
            return self.add_words(*block.first_chunk()?, gutter_bytes, columns, line_feeds);
        }
        let mut block = *block;
        for line_feed in line_feeds {
            self.add_gutter(&block, gutter_bytes)?;
            self.add_line(to_usize(u64::from(*line_feed)))?;
            // After the last line of the run it may not fit, and is not used.
            let _ = increment(block.get_mut(columns.clone())?);
        }
        Some(())
    }

    /// [`PageWriter::add_run`] for gutters of at most eight bytes.
    ///
    /// They are counted in a register: reading a block again after one of its bytes was changed is slow.
    fn add_words(
        &mut self,
        gutter: [u8; size_of::<u64>()],
        gutter_bytes: usize,
        columns: Range<usize>,
        line_feeds: &[u32],
    ) -> Option<()> {
        let mut word = u64::from_le_bytes(gutter);
        let first = u8::BITS * u32::try_from(columns.start).ok()?;
        let shift = u8::BITS * u32::try_from(columns.end.saturating_sub(1)).ok()?;
        let step = if columns.is_empty() { 0 } else { 1_u64.checked_shl(shift)? };
        // Local variables stay in registers.
        let (bytes, longest, mut from, mut written) = (self.bytes, self.longest, self.from, self.written);
        for line_feed in line_feeds {
            let end = to_usize(u64::from(*line_feed));
            let length = end.checked_sub(from).filter(|length| *length <= longest)?;
            let target = self.text.get_mut(written..)?.first_chunk_mut::<{ size_of::<u64>() + LINE_BLOCK }>();
            match (bytes.get(from..)?.first_chunk::<LINE_BLOCK>(), target) {
                (Some(line), Some(target)) if length < LINE_BLOCK => {
                    *target.first_chunk_mut()? = word.to_le_bytes();
                    // The block includes the line feed.
                    *target.get_mut(gutter_bytes..)?.first_chunk_mut()? = *line;
                    written += gutter_bytes + length + 1;
                    from = end + 1;
                }
                _ => {
                    (self.from, self.written) = (from, written);
                    self.add_gutter(&word.to_le_bytes(), gutter_bytes)?;
                    self.add_line(end)?;
                    (from, written) = (self.from, self.written);
                }
            }
            word = word.wrapping_add(step);
            let mut place = shift;
            // After the last line of a run the number may not fit, and is not used.
            while byte_at(word, place) > b'9' && place > first {
                word = word.wrapping_sub(10 << place);
                place -= u8::BITS;
                word = word.wrapping_add(1 << place);
                if byte_at(word, place) == b' ' + 1 {
                    word = word.wrapping_add(u64::from(b'0' - b' ') << place);
                }
            }
        }
        (self.from, self.written) = (from, written);
        Some(())
    }

    fn add_gutter<const SIZE: usize>(&mut self, block: &[u8; SIZE], length: usize) -> Option<()> {
        *self.text.get_mut(self.written..)?.first_chunk_mut()? = *block;
        self.written += length;
        Some(())
    }

    /// Adds the line that ends at `end`, and a line feed.
    #[inline(never)]
    fn add_line(&mut self, end: usize) -> Option<()> {
        let length = end.checked_sub(self.from).filter(|length| *length <= self.longest)?;
        let target = self.text.get_mut(self.written..)?;
        target.get_mut(..length)?.copy_from_slice(self.bytes.get(self.from..end)?);
        *target.get_mut(length)? = b'\n';
        self.written += length + 1;
        self.from = end + 1;
        Some(())
    }
}

/// One byte of a gutter in a register.
fn byte_at(word: u64, shift: u32) -> u8 {
    let [byte, ..] = (word >> shift).to_le_bytes();
    byte
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gutter::Gutter;
    use crate::page::build::general;
    use crate::page::layout::{Clip, LineRule};
    use crate::page::{Budget, Unit};
    use crate::scan::{Never, line_feeds};
    use crate::text::TextPlan;

    /// A view of plain text in memory.
    fn view(bytes: &[u8], final_newline: FinalNewline) -> View<'_> {
        View {
            source: Source::Memory(bytes),
            path: Path::new("a"),
            plan: TextPlan::PLAIN,
            lines: LineRule { final_newline, ..LineRule::READER },
            shared: None,
            interrupt: &Never,
        }
    }

    fn gutters() -> impl Strategy<Value = Gutter> {
        let separators = prop_oneof![Just(None), Just(Some("\t")), Just(Some(" │ ")), Just(Some(":"))];
        ("[a-z]{0,3}", 0..40_usize, separators).prop_map(|(before, width, separator)| Gutter {
            before,
            width,
            separator: separator.map(str::to_owned),
        })
    }

    /// Lines of plain text, some of them long, with at least one line feed.
    fn texts() -> impl Strategy<Value = String> {
        let line = prop_oneof![4 => "[ -~\t]{0,40}", 2 => "[ -~]{25,140}", 1 => Just(String::new())];
        (prop::collection::vec(line, 1..500), "[ -~]{0,3}").prop_map(|(lines, last)| {
            let lines: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
            lines + &last
        })
    }

    /// A budget for the lines in any unit.
    fn line_budget() -> impl Strategy<Value = Budget> {
        let units = prop_oneof![Just(Unit::Bytes), Just(Unit::Chars), Just(Unit::Utf16)];
        (0..40_000_u64, units, any::<bool>(), any::<bool>()).prop_map(
            |(maximum, unit, counts_gutters, counts_line_feeds)| Budget {
                maximum,
                unit,
                counts_gutters,
                counts_line_feeds,
            },
        )
    }

    proptest! {
        #[test]
        fn test_page_is_that_of_the_general_builder(
            text in texts(),
            gutter in gutters(),
            offset in prop_oneof![Just(1), -600..600_i64],
            limit in prop_oneof![Just(2_000), 1..600_u64],
            budgets in (prop_oneof![0..40_000_u64, Just(u64::MAX)], prop_oneof![0..15_000_u64, Just(u64::MAX)]),
            longest in prop_oneof![Just(None), (0..150_u64).prop_map(Some)],
            (guides, after, first_number) in (any::<bool>(), any::<bool>(), prop::option::of(-5..2_000_i64)),
            (starts, known, budget) in (any::<bool>(), any::<bool>(), prop::option::of(line_budget())),
        ) {
            let over_budget = if after { OverBudget::After } else { OverBudget::Shorten };
            let final_newline = if starts { FinalNewline::Starts } else { FinalNewline::Ends };
            let total = if known { Total::Known } else { Total::Exact };
            let (max_bytes, max_tokens) = budgets;
            let clip = longest.map(Clip::reader);
            let reader = Layout::reader(&gutter);
            let layout =
                Layout { first_number, clip, max_bytes, max_tokens, budget, over_budget, total, guides, ..reader };
            let line_feeds = line_feeds::of_plain(text.as_bytes()).unwrap();
            let (view, window) = (view(text.as_bytes(), final_newline), Window { offset, limit, column: 1 });
            let plain = PlainText { line_feeds: &line_feeds, keeps_bytes: false };
            if let Some(page) = page(&view, plain, window, &layout) {
                prop_assert_eq!(Ok(page), general(&view, window, &layout));
            } else if budgets == (u64::MAX, u64::MAX) && gutter.width < 20 && !(after || known) && budget.is_none() {
                // The general builder is needed only for a clipped line or a window past the end.
                let expected = general(&view, window, &layout);
                let has_lines = expected.is_ok_and(|page| page.start_line <= page.end_line);
                prop_assert!(!has_lines || longest.is_some());
            }
        }
    }

    #[test]
    fn test_page_numbers_whole_lines() {
        let gutter = Gutter { before: String::new(), width: 3, separator: Some("\t".to_owned()) };
        let shown = |offset, limit| {
            let window = Window { offset, limit, column: 1 };
            let view = view(b"one\ntwo\n\nfour", FinalNewline::Ends);
            let plain = PlainText { line_feeds: &[3, 7, 8], keeps_bytes: false };
            page(&view, plain, window, &Layout::reader(&gutter)).map(|page| page.text)
        };
        assert_eq!(shown(1, 9).as_deref(), Some("  1\tone\n  2\ttwo\n  3\t\n  4\tfour"));
        let last = "  3\t\n  4\tfour\n[lines 3-4 of 4]";
        assert_eq!(shown(-2, 5).as_deref(), Some(last));
        assert_eq!(shown(2, 1).as_deref(), Some("  2\ttwo\n[line 2 of 4 · next: offset=3]"));
        assert_eq!(shown(5, 1), None);
    }
}
