//! The text that a page adds to the lines: the marker of a clipped line and the footer.

use std::fmt::{self, Write as _};

use crate::page::Place;

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

/// Formats the arguments of a read that begins at this place.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset={}", self.offset)?;
        if self.column > 1 {
            write!(f, ", column={}", self.column)?;
        }
        Ok(())
    }
}

/// The marker at the end of a clipped line; `rest` is the number of its bytes that are not shown, if known.
pub fn marker(rest: Option<u64>, place: Place) -> String {
    match rest {
        Some(1) => format!(" … [1 more byte: {place}]"),
        Some(rest) => format!(" … [{} more bytes: {place}]", Grouped(rest)),
        None => format!(" … [more: {place}]"),
    }
}

/// The footer below the lines of a page that leaves something out.
pub struct Footer {
    /// The first and last line shown.
    pub lines: (i64, i64),
    /// The exact number of lines, if it may be shown.
    pub total: Option<u64>,
    /// The estimated number of lines, shown if `total` is `None`.
    pub estimate: u64,
    /// The size of the file in bytes, shown with the estimate.
    pub size: u64,
    /// The number of clipped lines.
    pub clipped: usize,
    /// Where the next page begins.
    pub next: Option<Place>,
}

impl fmt::Display for Footer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = self.lines;
        if start == end {
            write!(f, "[line {}", LineNumber(start))?;
        } else {
            let to = if start < 0 { " to " } else { "-" };
            write!(f, "[lines {}{to}{}", LineNumber(start), LineNumber(end))?;
        }
        match self.total {
            Some(total) => write!(f, " of {}", Grouped(total))?,
            None => {
                write!(f, " of about {} ({})", Grouped(rounded(self.estimate, end)), DecimalSize(self.size))?;
            }
        }
        match self.clipped {
            0 => {}
            1 => f.write_str(" · 1 line clipped")?,
            clipped => write!(f, " · {} lines clipped", Grouped(clipped as u64))?,
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
    use super::{DecimalSize, Footer, Grouped, Place, marker, rounded};

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
        let next = Some(Place { offset: 613, column: 1 });
        let mut footer =
            Footer { lines: (1, 612), total: Some(30_697_984), estimate: 0, size: 0, clipped: 0, next };
        assert_eq!(footer.to_string(), "[lines 1-612 of 30,697,984 · next: offset=613]");
        footer =
            Footer { lines: (-100, -1), total: None, estimate: 30_000_000, size: 10_000_000_000, ..footer };
        footer.next = None;
        assert_eq!(footer.to_string(), "[lines -100 to -1 of about 30,000,000 (10.0 GB)]");
        footer = Footer { lines: (5, 5), total: Some(9), clipped: 1, ..footer };
        assert_eq!(footer.to_string(), "[line 5 of 9 · 1 line clipped]");
    }

    #[test]
    fn test_marker_contains_remaining_bytes_and_next_arguments() {
        let place = Place { offset: 12, column: 2_001 };
        assert_eq!(marker(Some(30_768), place), " … [30,768 more bytes: offset=12, column=2001]");
        assert_eq!(marker(None, place), " … [more: offset=12, column=2001]");
    }
}
