//! The text that a page adds to the lines: the marker of a clipped line and the footer.

use std::fmt::{self, Write as _};

use crate::page::{LineRange, Position};

/// A number with thousands separators.
pub struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (position, digit) in digits.chars().enumerate() {
            if position > 0 && (digits.len() - position).is_multiple_of(3) {
                f.write_char(',')?;
            }
            f.write_char(digit)?;
        }
        Ok(())
    }
}

/// A line number, which is negative if lines are counted from the end.
struct LineNumber(i64);

impl fmt::Display for LineNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}", Grouped(self.0.unsigned_abs()))
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", LineNumber(self.first))?;
        if self.last == i64::MAX {
            f.write_str(" to the end")?;
        } else if self.last != self.first {
            let to = if self.first < 0 || self.last < 0 { " to " } else { "-" };
            write!(f, "{to}{}", LineNumber(self.last))?;
        }
        Ok(())
    }
}

/// Writes "line" or "lines" and some ranges of them.
fn write_lines(f: &mut impl fmt::Write, ranges: &[LineRange]) -> fmt::Result {
    let is_one = matches!(ranges, [range] if range.first == range.last);
    f.write_str(if is_one { "line " } else { "lines " })?;
    for (index, range) in ranges.iter().enumerate() {
        write!(f, "{}{range}", if index > 0 { ", " } else { "" })?;
    }
    Ok(())
}

/// The only line of a search that found nothing.
pub fn no_hits_line(searched: LineRange) -> String {
    let mut text = String::new();
    let _ = write_lines(&mut text, &[searched]);
    format!("[no hits in {text}]")
}

/// The line between two ranges of a page; empty if no line is left out.
pub fn gap(first: i64, last: i64) -> String {
    let mut text = String::new();
    if first <= last {
        let _ = write_lines(&mut text, &[LineRange { first, last }]);
        text = format!("[{text} not shown]");
    }
    text
}

/// The marker before a line of which only what is around a hit is shown.
pub fn characters_before(column: u64) -> String {
    format!("[{} characters] … ", Grouped(column - 1))
}

/// Formats the arguments of a read that begins at this position.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset={}", self.offset)?;
        if self.column > 1 {
            write!(f, ", column={}", self.column)?;
        }
        Ok(())
    }
}

/// The marker at the end of a clipped line; `rest` is the number of its bytes that are not shown, if known.
///
/// A record of JSON can also be opened by its number.
pub fn marker(rest: Option<u64>, position: Position, is_record: bool) -> String {
    let record = if is_record { format!("at=\"{}\" or ", position.offset) } else { String::new() };
    match rest {
        Some(1) => format!(" … [1 more byte: {record}{position}]"),
        Some(rest) => format!(" … [{} more bytes: {record}{position}]", Grouped(rest)),
        None => format!(" … [more: {record}{position}]"),
    }
}

/// The arguments of the read that continues a page.
#[derive(Clone, Copy)]
pub enum Next<'a> {
    /// A window from a position on.
    Position(Position),
    /// Ranges of lines, and the first character of the first line.
    Ranges(&'a [LineRange], u64),
}

impl fmt::Display for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ranges, column) = match self {
            Self::Position(position) => return position.fmt(f),
            Self::Ranges(ranges, column) => (ranges, *column),
        };
        let pairs: Vec<String> =
            ranges.iter().map(|range| format!("[{}, {}]", range.first, range.last_argument())).collect();
        write!(f, "ranges=[{}]", pairs.join(", "))?;
        if column > 1 {
            write!(f, ", column={column}")?;
        }
        Ok(())
    }
}

/// The footer below the lines of a page that leaves something out.
#[derive(Clone, Copy)]
pub struct Footer<'a> {
    /// The lines shown.
    pub lines: &'a [LineRange],
    /// The exact number of lines, if it may be shown.
    pub total: Option<u64>,
    /// The estimated number of lines, shown if `total` is `None`.
    pub estimate: u64,
    /// The size of the file in bytes, shown with the estimate.
    pub size: u64,
    /// The number of clipped lines.
    pub clipped: usize,
    /// The lines that were named without a range.
    pub named: &'a [i64],
    /// The blocks of which only the lines around a named line are shown.
    pub inside: &'a [LineRange],
    /// The first character shown of a line in the middle, and where what is before it is shown.
    pub from: Option<(u64, Position)>,
    /// Ranges that were requested and have no line.
    pub missing: &'a [LineRange],
    /// Of a search, how many hits are shown, how many there are, and whether these are all.
    pub hits: Option<(u64, u64, bool)>,
    /// How the next page is read.
    pub next: Option<Next<'a>>,
}

impl Footer<'_> {
    /// The footer of many ranges, without naming each.
    pub fn in_brief(&self) -> String {
        let first = self.lines.first().map_or(1, |range| range.first);
        let lines = [LineRange { first, last: self.lines.last().map_or(1, |range| range.last) }];
        let Self { total, estimate, size, clipped, hits, .. } = *self;
        let inside = &self.inside[..self.inside.len().min(1)];
        let (named, missing, next, from) = (&[], &[], None, None);
        let brief = Footer {
            lines: &lines,
            total,
            estimate,
            size,
            clipped,
            named,
            inside,
            from,
            missing,
            hits,
            next,
        };
        let brief = brief.to_string();
        let mut clauses = vec![brief.trim_end_matches(']').to_owned()];
        if let [_, _, ..] = self.lines {
            clauses.push(format!("{} ranges", self.lines.len()));
        }
        if let Some(range) = self.missing.first() {
            clauses.push(format!("no line from {} on", LineNumber(range.first)));
        }
        match self.next {
            Some(Next::Ranges([range, ..], column)) => {
                let within = if column > 1 { format!(", column {column}") } else { String::new() };
                clauses.push(format!("next: the ranges from line {}{within} on", LineNumber(range.first)));
            }
            Some(Next::Position(position)) => clauses.push(format!("next: {position}")),
            _ => {}
        }
        clauses.join(" · ") + "]"
    }
}

impl fmt::Display for Footer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        if let Some((shown, total, is_exact)) = self.hits {
            let hits = if total == 1 { "hit" } else { "hits" };
            match (is_exact, shown == total) {
                (true, true) => write!(f, "{} {hits} · ", Grouped(total))?,
                (true, false) => write!(f, "{} of {} {hits} · ", Grouped(shown), Grouped(total))?,
                (false, _) => write!(f, "{} of at least {} {hits} · ", Grouped(shown), Grouped(total))?,
            }
        }
        write_lines(f, self.lines)?;
        if let Some(total) = self.total {
            write!(f, " of {}", Grouped(total))?;
        } else if self.hits.is_none() {
            let end = self.lines.last().map_or(0, |range| range.last);
            write!(f, " of about {} ({})", Grouped(rounded(self.estimate, end)), DecimalSize(self.size))?;
        }
        if !self.named.is_empty() {
            f.write_str(" · around ")?;
            let named: Vec<_> =
                self.named.iter().map(|line| LineRange { first: *line, last: *line }).collect();
            write_lines(f, &named)?;
        }
        if !self.inside.is_empty() {
            f.write_str(" · inside ")?;
            write_lines(f, self.inside)?;
        }
        if let Some((column, Position { offset, column: before })) = self.from {
            write!(f, " · from character {}; before it: {offset}@{before}", Grouped(column))?;
        }
        match self.clipped {
            0 => {}
            1 => f.write_str(" · 1 line clipped")?,
            clipped => write!(f, " · {} lines clipped", Grouped(clipped as u64))?,
        }
        if !self.missing.is_empty() {
            f.write_str(" · the file has no ")?;
            write_lines(f, self.missing)?;
        }
        if let Some(next) = self.next {
            write!(f, " · next: {next}")?;
        }
        f.write_char(']')
    }
}

/// An estimate rounded to three significant digits, because it is not more precise, but not to less than the line `end`.
fn rounded(estimate: u64, end: i64) -> u64 {
    let unit = 10_u64.pow(estimate.checked_ilog10().unwrap_or(0).saturating_sub(2));
    let nearest = (estimate + unit / 2) / unit * unit;
    if u64::try_from(end).is_ok_and(|end| nearest < end) { nearest + unit } else { nearest }
}

/// A size in decimal units with one digit after the point.
struct DecimalSize(u64);

impl fmt::Display for DecimalSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
        let Some((unit, name)) = units.into_iter().find(|(unit, _)| self.0 >= *unit) else {
            return write!(f, "{} bytes", self.0);
        };
        let tenths = (self.0 + unit / 20) / (unit / 10);
        write!(f, "{}.{} {name}", Grouped(tenths / 10), tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::{DecimalSize, Footer, Grouped, LineRange, Next, Position, gap, marker, rounded};

    #[test]
    fn test_numbers_are_grouped_by_thousands() {
        let shown = [0, 999, 1_000, 12_345, 30_697_984].map(|number| Grouped(number).to_string());
        assert_eq!(shown, ["0", "999", "1,000", "12,345", "30,697,984"]);
    }

    #[test]
    fn test_estimates_are_rounded_to_three_digits() {
        let shown = [0, 7, 999, 1_005, 87_432_860].map(|estimate| rounded(estimate, 1));
        assert_eq!(shown, [1, 7, 999, 1_010, 87_400_000]);
        assert_eq!(rounded(87_432_860, 87_432_859), 87_500_000);
    }

    #[test]
    fn test_sizes_have_one_decimal() {
        let shown = [0, 999, 1_000, 1_960, 9_999_999_940].map(|size| DecimalSize(size).to_string());
        assert_eq!(shown, ["0 bytes", "999 bytes", "1.0 kB", "2.0 kB", "10.0 GB"]);
    }

    #[test]
    fn test_footer_contains_only_what_applies() {
        let next = Some(Next::Position(Position { offset: 613, column: 1 }));
        let lines = &[LineRange { first: 1, last: 612 }];
        let total = Some(30_697_984);
        let mut footer = Footer {
            lines,
            total,
            estimate: 0,
            size: 0,
            clipped: 0,
            named: &[],
            inside: &[],
            from: None,
            missing: &[],
            hits: None,
            next,
        };
        assert_eq!(footer.to_string(), "[lines 1-612 of 30,697,984 · next: offset=613]");
        footer = Footer {
            lines: &[LineRange { first: -100, last: -1 }],
            total: None,
            estimate: 30_000_000,
            size: 10_000_000_000,
            ..footer
        };
        footer.next = None;
        assert_eq!(footer.to_string(), "[lines -100 to -1 of about 30,000,000 (10.0 GB)]");
        footer = Footer { lines: &[LineRange { first: 5, last: 5 }], total: Some(9), clipped: 1, ..footer };
        assert_eq!(footer.to_string(), "[line 5 of 9 · 1 line clipped]");
    }

    #[test]
    fn test_footer_of_ranges_names_them_or_counts_them() {
        let lines = [(10, 30), (80, 80)].map(|(first, last)| LineRange { first, last });
        let rest = [LineRange { first: 1_200, last: 1_201 }];
        let next = Some(Next::Ranges(&rest, 1));
        let missing = &[LineRange { first: 9_000, last: 9_010 }];
        let footer = Footer {
            lines: &lines,
            total: Some(5_000),
            estimate: 0,
            size: 0,
            clipped: 0,
            named: &[],
            inside: &[],
            from: None,
            missing,
            hits: None,
            next,
        };
        let shown =
            "[lines 10-30, 80 of 5,000 · the file has no lines 9,000-9,010 · next: ranges=[[1200, 1201]]]";
        assert_eq!(footer.to_string(), shown);
        let brief =
            "[lines 10-80 of 5,000 · 2 ranges · no line from 9,000 on · next: the ranges from line 1,200 on]";
        assert_eq!(footer.in_brief(), brief);
        assert_eq!(gap(31, 79), "[lines 31-79 not shown]");
        assert_eq!(gap(31, 31), "[line 31 not shown]");
        assert_eq!(gap(31, 30), "");
    }

    #[test]
    fn test_marker_contains_remaining_bytes_and_next_arguments() {
        let position = Position { offset: 12, column: 2_001 };
        assert_eq!(marker(Some(30_768), position, false), " … [30,768 more bytes: offset=12, column=2001]");
        assert_eq!(marker(None, position, false), " … [more: offset=12, column=2001]");
    }
}
