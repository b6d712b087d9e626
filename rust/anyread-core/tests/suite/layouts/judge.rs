//! A slow and simple renderer of layouts: the whole text, its lines as a list, one loop.

use anyread_core::page::{
    Align, Budget, FinalNewline, Hidden, Layout, Marker, OverBudget, Total, Unit, Window,
};
use anyread_core::scan::LineEnds;

/// The expected page.
#[derive(Debug, PartialEq, Eq)]
pub struct Judged {
    pub text: String,
    pub first: i64,
    pub last: i64,
    pub total: Option<u64>,
    pub next: Option<(i64, u64)>,
    pub clipped: Vec<(i64, u64)>,
    pub final_newline: bool,
    pub is_over_budget: bool,
    /// The text after the page; `None` if its last line is clipped, since its end may not be searched for.
    pub rest: Option<String>,
}

/// The lines of a text without their endings, and the text after each of them.
struct SplitText {
    lines: Vec<String>,
    rests: Vec<String>,
    /// Whether the last line has an ending.
    has_ending: bool,
}

fn lines(text: &str, ends: LineEnds) -> SplitText {
    let characters: Vec<char> = text.chars().collect();
    let (mut lines, mut rests, mut line, mut at) = (Vec::new(), Vec::new(), String::new(), 0);
    while at < characters.len() {
        let here = characters[at];
        let is_pair = here == '\r' && characters.get(at + 1) == Some(&'\n');
        let is_end = match ends {
            LineEnds::Detected | LineEnds::Lf => here == '\n',
            LineEnds::LfCrlf => here == '\n' || is_pair,
            LineEnds::LfCrlfCr => here == '\n' || here == '\r',
            LineEnds::SplitLines => "\n\r\u{B}\u{C}\u{1C}\u{1D}\u{1E}\u{85}\u{2028}\u{2029}".contains(here),
        };
        if is_end {
            lines.push(std::mem::take(&mut line));
            at += usize::from(is_pair);
            rests.push(characters[at + 1..].iter().collect());
        } else {
            line.push(here);
        }
        at += 1;
    }
    let has_ending = line.is_empty() && !lines.is_empty();
    lines.push(line);
    rests.push(String::new());
    SplitText { lines, rests, has_ending }
}

fn units(text: &str, unit: Unit) -> u64 {
    match unit {
        Unit::Chars => text.chars().count() as u64,
        Unit::Utf16 => text.encode_utf16().count() as u64,
        Unit::Bytes => text.len() as u64,
    }
}

/// A line, clipped if it is too long; and in that case the number of characters that are kept.
fn clipped(line: &str, layout: &Layout<'_>) -> (String, Option<u64>) {
    let Some(clip) = layout.clip.filter(|clip| units(line, clip.unit) > clip.length) else {
        return (line.to_owned(), None);
    };
    let mut kept = String::new();
    for character in line.chars() {
        let longer = format!("{kept}{character}");
        let has_room = units(&longer, clip.unit) <= clip.keep;
        let may_end_after = clip.rounds_up && units(&kept, clip.unit) < clip.keep;
        if !has_room && !may_end_after {
            break;
        }
        kept = longer;
    }
    let chars = kept.chars().count() as u64;
    (kept, Some(chars))
}

fn hidden(text: &str, character: char, symbol: &str, what: Hidden) -> String {
    match what {
        Hidden::Drop => text.replace(character, ""),
        Hidden::Show => text.replace(character, symbol),
        Hidden::Keep | Hidden::Error => text.to_owned(),
    }
}

fn cost(budget: Budget, gutter: &str, line: &str, is_first: bool) -> u64 {
    let gutter = if budget.counts_gutters { units(gutter, budget.unit) } else { 0 };
    gutter + units(line, budget.unit) + u64::from(budget.counts_line_feeds && !is_first)
}

/// The expected page of `text`; `None` if its lines do not fit and that is an error.
pub fn judge(text: &str, window: Window, layout: &Layout<'_>) -> Option<Judged> {
    let bom = layout.lines.bom;
    let text = if bom == Hidden::Drop { text.strip_prefix('\u{FEFF}').unwrap_or(text) } else { text };
    let SplitText { mut lines, rests, has_ending: final_newline } = lines(text, layout.lines.ends);
    if layout.lines.final_newline == FinalNewline::Ends && lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let total = lines.len() as u64;
    let known = (layout.total != Total::Never).then_some(total);
    let first = match u64::try_from(window.offset) {
        _ if total == 0 => 1,
        Ok(offset) => offset.max(1),
        Err(_) => total.saturating_sub(window.offset.unsigned_abs()) + 1,
    };
    let nothing = |first: u64| Judged {
        text: String::new(),
        first: first as i64,
        last: first as i64 - 1,
        total: known,
        next: None,
        clipped: Vec::new(),
        final_newline,
        is_over_budget: false,
        rest: Some(String::new()),
    };
    if total == 0 || first > total {
        return Some(nothing(first));
    }
    let last = total.min((first - 1).saturating_add(window.limit));
    let number = |line: u64| layout.first_number.unwrap_or(first as i64) + (line - first) as i64;
    let digits = |number: i64| number.to_string().len();
    let width = |last: u64| match layout.align {
        Align::Gutter => 0,
        Align::Last => digits(number(last.max(first))),
        Align::Total => digits(total as i64),
    };
    let gutter = |line: u64, last: u64| match &layout.gutter.separator {
        None => String::new(),
        Some(separator) => {
            let width = width(last).max(layout.gutter.width);
            format!("{}{:>width$}{separator}", layout.gutter.before, number(line))
        }
    };
    let limit = |maximum: u64| match layout.over_budget {
        OverBudget::After => maximum.saturating_sub(1),
        _ => maximum,
    };
    let (mut shown, mut clips, mut bytes, mut spent): (Vec<String>, _, u64, u64) =
        (Vec::new(), Vec::new(), 0, 0);
    let mut is_over = false;
    for line in first..=last {
        let (kept, cut) = clipped(&lines[line as usize - 1], layout);
        let mut body = hidden(&kept, '\0', "␀", layout.nul);
        body = hidden(&body, '\r', "␍", layout.cr);
        if line == 1 && bom == Hidden::Show && body.starts_with('\u{FEFF}') {
            body = body.replacen('\u{FEFF}', "<U+FEFF>", 1);
        }
        if let (Some(_), Some(Marker::Text(marker))) = (cut, layout.clip.map(|clip| clip.marker)) {
            body += marker;
        }
        // The page may end earlier, with narrower numbers.
        let charged = gutter(line, last);
        let is_first = line == first;
        bytes += (charged.len() + body.len()) as u64 + u64::from(!is_first);
        spent += layout.budget.map_or(0, |budget| cost(budget, &charged, &body, is_first));
        is_over = bytes > limit(layout.max_bytes)
            || layout.budget.is_some_and(|budget| spent > limit(budget.maximum));
        if is_over && layout.over_budget == OverBudget::Error {
            return None;
        }
        if is_over && layout.over_budget == OverBudget::Stop {
            break;
        }
        shown.push(body);
        clips.extend(cut.map(|chars| (line as i64, chars + 1)));
        if is_over {
            break;
        }
    }
    let end = first - 1 + shown.len() as u64;
    let rest = match end.checked_sub(first) {
        Some(_) => rests[end as usize - 1].clone(),
        None => rests.get((first as usize).wrapping_sub(2)).cloned().unwrap_or_else(|| text.to_owned()),
    };
    let ends_clipped = clips.last().is_some_and(|(line, _)| *line == end as i64);
    if layout.splits_again {
        let joined = shown.join("\n").replace("\r\n", "\n");
        shown = joined.split('\n').map(str::to_owned).collect();
        shown.pop_if(|line| line.is_empty());
    }
    let last_shown = first - 1 + shown.len() as u64;
    let numbered = shown.iter().zip(first..).map(|(body, line)| gutter(line, last_shown) + body);
    Some(Judged {
        text: numbered.collect::<Vec<_>>().join("\n"),
        last: end as i64,
        next: (end < total).then_some((end as i64 + 1, 1)),
        clipped: clips,
        is_over_budget: is_over && end < total,
        rest: (!ends_clipped).then_some(rest),
        ..nothing(first)
    })
}
