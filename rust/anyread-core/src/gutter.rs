//! The gutter: the line number before each line, in one of the forms that models know.

use std::ops::Range;

use crate::size::to_usize;
use crate::sniff::count_controls;

/// The format of a gutter: `before`, the number right-aligned in `width` columns, then `separator`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gutter {
    /// The text before the number.
    pub before: String,
    /// Minimum width of the number, in columns.
    pub width: usize,
    /// The text between the number and the line; `None` for no gutter at all.
    pub separator: Option<String>,
}

impl Gutter {
    /// Appends the gutter of line `number`, which is negative if lines are counted from the end.
    pub fn push(&self, number: i64, text: &mut String) {
        self.push_wide(number, self.width, text);
    }

    /// Appends the gutter of line `number`, with the number at least `width` columns wide.
    pub fn push_wide(&self, number: i64, width: usize, text: &mut String) {
        // A gutter consists of strings and ASCII characters, so it is always valid UTF-8.
        text.push_str(std::str::from_utf8(self.from(number, width).bytes()).unwrap_or_default());
    }

    /// Whether the gutter contains no control characters.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let is_clear = |text: &str| count_controls(text).is_clear();
        self.separator.as_ref().is_none_or(|separator| is_clear(separator) && is_clear(&self.before))
    }

    /// The length of the gutter of line `number` in bytes, with the number at least `width` columns wide.
    #[must_use]
    pub fn length(&self, number: i64, width: usize) -> usize {
        let Some(separator) = &self.separator else { return 0 };
        let digits = number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
        let columns = (digits + usize::from(number < 0)).max(width);
        self.before.len().saturating_add(columns).saturating_add(separator.len())
    }

    /// The gutters of line `number` and the lines after it, with numbers at least `width` columns wide.
    #[must_use]
    pub fn from(&self, number: i64, width: usize) -> Gutters<'_> {
        let bytes = GutterBytes::Short([0; GUTTER_BLOCK]);
        let mut gutters = Gutters { gutter: self, width, number, bytes, length: 0, digits_end: 0 };
        gutters.write();
        gutters
    }
}

/// The size in bytes of [`Gutters::block`].
pub const GUTTER_BLOCK: usize = 32;

/// The gutters of consecutive lines.
///
/// Each number is computed by incrementing the digits of the previous one in place, which is several times
/// faster than formatting it.
#[derive(Debug)]
pub struct Gutters<'a> {
    gutter: &'a Gutter,
    width: usize,
    number: i64,
    /// The gutter of line `number`.
    bytes: GutterBytes,
    /// The length of the gutter in bytes.
    length: usize,
    /// Where the number ends in `bytes`.
    digits_end: usize,
}

impl Gutters<'_> {
    /// The gutter of the current line.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes.all()[..self.length]
    }

    /// The length of the gutter of the current line in bytes, if it is at most [`GUTTER_BLOCK`], and the
    /// gutter followed by other bytes.
    ///
    /// Copying a block of a fixed size takes a few instructions, copying as many bytes as needed a call.
    #[must_use]
    pub fn block(&self) -> Option<(&[u8; GUTTER_BLOCK], usize)> {
        match &self.bytes {
            GutterBytes::Short(block) => Some((block, self.length)),
            GutterBytes::Long(_) => None,
        }
    }

    /// Where the number is in the gutter, and for how many lines from this one on it takes as many columns;
    /// `None` if there are no numbers.
    ///
    /// Between these lines, [`increment`] changes the number; [`Gutters::advance_by`] moves past them.
    #[must_use]
    pub fn run(&self) -> Option<(Range<usize>, usize)> {
        if self.length == 0 {
            return None;
        }
        let columns = self.gutter.before.len()..self.digits_end;
        let end = u32::try_from(columns.len()).ok().and_then(|columns| 10_i64.checked_pow(columns));
        let lines =
            if self.number > 0 { end.unwrap_or(i64::MAX).saturating_sub(self.number).max(1) } else { 1 };
        Some((columns, to_usize(lines.unsigned_abs())))
    }

    /// Moves on by a number of lines.
    pub fn advance_by(&mut self, lines: usize) {
        self.number = self.number.saturating_add_unsigned(lines as u64);
        self.write();
    }

    /// Moves to the next line.
    pub fn advance(&mut self) {
        self.number = self.number.saturating_add(1);
        if self.length == 0 {
            return;
        }
        if self.number > 0 {
            let columns = self.gutter.before.len()..self.digits_end;
            if increment(&mut self.bytes.all_mut()[columns]) {
                return;
            }
        }
        self.write();
    }

    fn write(&mut self) {
        let Some(separator) = &self.gutter.separator else { return };
        let mut buffer = [b'0'; MOST_DIGITS];
        let digits = decimal(self.number.unsigned_abs(), &mut buffer);
        let sign: &[u8] = if self.number < 0 { b"-" } else { b"" };
        self.length = self.gutter.length(self.number, self.width);
        self.bytes = if self.length <= GUTTER_BLOCK {
            GutterBytes::Short([0; GUTTER_BLOCK])
        } else {
            GutterBytes::Long(vec![0; self.length])
        };
        let before = self.gutter.before.as_bytes();
        let bytes = self.bytes.all_mut();
        self.digits_end = self.length - separator.len();
        let sign_start = self.digits_end - digits.len() - sign.len();
        bytes[..before.len()].copy_from_slice(before);
        bytes[before.len()..sign_start].fill(b' ');
        bytes[sign_start..sign_start + sign.len()].copy_from_slice(sign);
        bytes[sign_start + sign.len()..self.digits_end].copy_from_slice(digits);
        bytes[self.digits_end..self.length].copy_from_slice(separator.as_bytes());
    }
}

/// Increments a positive number that is aligned in its columns; returns whether it still fits.
#[must_use]
pub fn increment(columns: &mut [u8]) -> bool {
    for digit in columns.iter_mut().rev() {
        match digit {
            b'0'..=b'8' => {
                *digit += 1;
                return true;
            }
            b' ' => {
                *digit = b'1';
                return true;
            }
            _ => *digit = b'0',
        }
    }
    false
}

/// The bytes of a gutter, which need no allocation if they are few.
#[derive(Debug)]
enum GutterBytes {
    /// The gutter, followed by zeros.
    Short([u8; GUTTER_BLOCK]),
    /// A gutter that is longer than that.
    Long(Vec<u8>),
}

impl GutterBytes {
    fn all(&self) -> &[u8] {
        match self {
            Self::Short(bytes) => bytes,
            Self::Long(bytes) => bytes,
        }
    }

    fn all_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Short(bytes) => bytes,
            Self::Long(bytes) => bytes,
        }
    }
}

/// More digits than any number of 64 bits has.
const MOST_DIGITS: usize = 20;

/// The digits of a number, without the memory and the time that the formatter needs.
fn decimal(number: u64, buffer: &mut [u8; MOST_DIGITS]) -> &[u8] {
    let (mut rest, mut start) = (number, MOST_DIGITS);
    for (index, digit) in buffer.iter_mut().enumerate().rev() {
        let [low, ..] = (rest % 10).to_le_bytes();
        *digit = b'0' + low;
        start = index;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    buffer.split_at(start).1
}

#[cfg(test)]
mod tests {
    use super::Gutter;

    #[test]
    fn test_numbers_match_standard_formatting() {
        for first in [0, 1, 9, 98, 123_456, 999_998, -1, -3, -100, i64::MAX - 3, i64::MIN] {
            for width in [0, 1, 4, 6, 19, 20, 21, 64, 70] {
                let gutter = Gutter { before: "L9".to_owned(), width, separator: Some(" │ ".to_owned()) };
                let mut gutters = gutter.from(first, width);
                for number in first..=first.saturating_add(20) {
                    let expected = format!("L9{number:>width$} │ ");
                    assert_eq!(gutters.bytes(), expected.as_bytes());
                    let block = gutters.block().map(|(block, length)| &block[..length]);
                    assert_eq!(gutter.length(number, width), expected.len());
                    let fits = expected.len() <= super::GUTTER_BLOCK;
                    assert_eq!(block, fits.then_some(expected.as_bytes()));
                    let mut text = String::new();
                    gutter.push(number, &mut text);
                    assert_eq!(text, expected);
                    gutters.advance();
                }
            }
        }
    }

    #[test]
    fn test_gutters_of_a_run_have_numbers_in_the_same_columns() {
        for (first, width) in [(1, 0), (7, 6), (95, 0), (995, 4), (-12, 3), (0, 0), (i64::MAX - 9, 0)] {
            let gutter = Gutter { before: "L9".to_owned(), width, separator: Some("\t".to_owned()) };
            let (mut gutters, mut number) = (gutter.from(first, width), first);
            while number < first.saturating_add(25) {
                let (columns, lines) = gutters.run().unwrap();
                let mut bytes = gutters.bytes().to_vec();
                for line in 0..lines.min(2_000) {
                    let shown = number + i64::try_from(line).unwrap();
                    assert_eq!(bytes, format!("L9{shown:>width$}\t").as_bytes());
                    assert!(super::increment(&mut bytes[columns.clone()]) || line + 1 == lines);
                }
                number = number.saturating_add_unsigned(lines as u64);
                gutters.advance_by(lines);
            }
        }
    }

    #[test]
    fn test_gutter_without_separator_is_empty() {
        let gutter = Gutter { width: 6, ..Gutter::default() };
        let mut gutters = gutter.from(9, 6);
        gutters.advance();
        assert_eq!(gutters.run(), None);
        gutters.advance_by(9);
        assert!(gutters.bytes().is_empty());
        assert_eq!(gutter.length(9, 6), 0);
        assert_eq!(gutters.block().map(|(_, length)| length), Some(0));
    }
}
