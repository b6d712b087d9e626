//! The page of a small plain text whose lines all fit, written in one pass: the most frequent read.

use std::path::Path;

use crate::encoding::Codec;
use crate::gutter::GUTTER_BLOCK;
use crate::page::footer::Footer;
use crate::page::layout::{Align, FinalNewline, Layout, OverBudget, Total};
use crate::page::tally::Tally;
use crate::page::view::View;
use crate::page::{Content, Page, Place, Window};
use crate::scan::{to_usize, vectors};
use crate::size::zeros;
use crate::source::Source;
use crate::tokens;

use super::{FOOTER_BYTES, FOOTER_TOKENS};

/// The maximum size of a window here. A larger one is likely to exceed a budget, and would be built twice.
const MOST_BYTES: usize = 64 << 10;
/// Up to this length in bytes a line is copied as a block of a fixed size.
const LINE_BLOCK: usize = 128;

/// The page, if it consists of whole lines of plain text within all budgets.
///
/// Otherwise it is `None`, and the general builder shortens the page or reports the error.
/// It does so too for layouts that are not worth the code here.
pub(super) fn page(view: &View<'_>, window: Window, layout: &Layout<'_>) -> Option<Page> {
    let Source::Memory(bytes) = view.source else { return None };
    if !(view.plan.is_plain && applies(view, layout)) || window.column > 1 || window.limit == 0 {
        return None;
    }
    let final_newline = bytes.last() == Some(&b'\n');
    let has_empty_end = view.lines.final_newline == FinalNewline::Starts;
    let total = vectors::count(bytes, b'\n') as u64 + u64::from(!final_newline || has_empty_end);
    let number = match u64::try_from(window.offset) {
        Ok(number) => number.max(1),
        Err(_) => total.saturating_sub(window.offset.unsigned_abs()) + 1,
    };
    let lines = (total + 1).checked_sub(number).filter(|left| *left > 0)?.min(window.limit);
    let start = start_of(bytes, number)?;
    let is_rest = number + lines > total;
    let end = if is_rest { bytes.len() } else { start + start_of(&bytes[start..], lines + 1)? };
    // At its end, the number of lines of a file is known.
    let is_counted = layout.total != Total::Known || is_rest && window.offset >= 0;
    // In every unit, a text uses at most as much of a budget as it has bytes.
    let budget = usable(layout, layout.budget.map_or(u64::MAX, |budget| budget.maximum));
    if end - start > MOST_BYTES || (end - start) as u64 > budget || !is_counted {
        return None;
    }
    let first_number = layout.first_number.unwrap_or(number.cast_signed());
    let mut text = numbered(view.path, &bytes[start..end], lines, layout, first_number)?;
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
    let mut content = Vec::new();
    content.try_reserve_exact(end - start).ok()?;
    content.extend_from_slice(&bytes[start..end]);
    if !footer.is_empty() {
        text.try_reserve_exact(1 + footer.len()).ok()?;
        text.push('\n');
        text.push_str(&footer);
    }
    Some(Page {
        text,
        footer_bytes: footer.len(),
        content: Content { bytes: content, codec: Codec::Utf8 },
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

/// Where line `number` begins.
fn start_of(bytes: &[u8], number: u64) -> Option<usize> {
    let before = to_usize(number).checked_sub(2);
    before.map_or(Some(0), |before| memchr::memchr_iter(b'\n', bytes).nth(before).map(|at| at + 1))
}

/// The text of a window of `lines` lines; `None` if one of them is clipped, or its gutter too wide.
fn numbered(path: &Path, bytes: &[u8], lines: u64, layout: &Layout<'_>, first_number: i64) -> Option<String> {
    let longest = layout.clip.map_or(usize::MAX, |clip| to_usize(clip.length));
    let mut gutters = layout.gutter.from(first_number, layout.gutter.width);
    let last = layout.gutter.from(first_number.checked_add_unsigned(lines)?, layout.gutter.width);
    let widest = gutters.bytes().len().max(last.bytes().len());
    // The lines, their gutters and line feeds, and what the last blocks write too much.
    let most = bytes.len() + to_usize(lines).checked_mul(widest + 1)?;
    let mut text = zeros(path, most.checked_add(GUTTER_BLOCK + LINE_BLOCK)?).ok()?;
    let mut ends = memchr::memchr_iter(b'\n', bytes);
    let (mut from, mut written) = (0, 0);
    for _ in 0..lines {
        let end = ends.next().unwrap_or(bytes.len());
        let length = end.checked_sub(from).filter(|length| *length <= longest)?;
        let (gutter, gutter_bytes) = gutters.block()?;
        *text.get_mut(written..)?.first_chunk_mut()? = *gutter;
        written += gutter_bytes;
        copy_line(&bytes[from..], length, text.get_mut(written..)?)?;
        written += length;
        *text.get_mut(written)? = b'\n';
        written += 1;
        from = end + 1;
        gutters.advance();
    }
    text.truncate(written - 1);
    String::from_utf8(text).ok()
}

/// Copies the first `length` bytes of `rest` to the start of `target`, possibly with bytes that follow them.
///
/// A copy of a fixed size takes a few instructions, and most lines are short.
fn copy_line(rest: &[u8], length: usize, target: &mut [u8]) -> Option<()> {
    if length <= 32 && copy_block::<32>(rest, target).is_some()
        || length <= 64 && copy_block::<64>(rest, target).is_some()
        || length <= LINE_BLOCK && copy_block::<LINE_BLOCK>(rest, target).is_some()
    {
        return Some(());
    }
    target.get_mut(..length)?.copy_from_slice(rest.get(..length)?);
    Some(())
}

/// Copies a block; `None` if one of the two is shorter, as near the end of the file.
fn copy_block<const SIZE: usize>(from: &[u8], to: &mut [u8]) -> Option<()> {
    *to.first_chunk_mut::<SIZE>()? = *from.first_chunk::<SIZE>()?;
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gutter::Gutter;
    use crate::page::build::general;
    use crate::page::layout::{Clip, LineRule};
    use crate::page::{Budget, Unit};
    use crate::scan::Never;
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
            let (view, window) = (view(text.as_bytes(), final_newline), Window { offset, limit, column: 1 });
            if let Some(page) = page(&view, window, &layout) {
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
            page(&view(b"one\ntwo\n\nfour", FinalNewline::Ends), window, &Layout::reader(&gutter))
                .map(|page| page.text)
        };
        assert_eq!(shown(1, 9).as_deref(), Some("  1\tone\n  2\ttwo\n  3\t\n  4\tfour"));
        let last = "  3\t\n  4\tfour\n[lines 3-4 of 4]";
        assert_eq!(shown(-2, 5).as_deref(), Some(last));
        assert_eq!(shown(2, 1).as_deref(), Some("  2\ttwo\n[line 2 of 4 · next: offset=3]"));
        assert_eq!(shown(5, 1), None);
    }
}
