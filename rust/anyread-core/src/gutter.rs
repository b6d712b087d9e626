//! The gutter: the line number before each line, in one of the ways that models have learnt.

use std::fmt::Write as _;

/// How a line number is written: right-aligned in `width` columns, then `separator`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gutter {
    /// Least number of columns of the number.
    pub width: usize,
    /// What stands between number and text; `None` for no gutter at all.
    pub separator: Option<String>,
}

impl Gutter {
    /// Appends the gutter of line `number`, which is negative where lines are counted from the end.
    pub fn push(&self, number: i64, text: &mut String) {
        let Some(separator) = &self.separator else { return };
        if self.width == 0 {
            push_number(number, text);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "{number:>width$}", width = self.width);
        }
        text.push_str(separator);
    }
}

/// Appends a decimal number; several times faster than the formatting machinery, which every line would pay.
fn push_number(number: i64, text: &mut String) {
    if number < 0 {
        text.push('-');
    }
    let mut digits = [0_u8; 20];
    let mut start = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    text.extend(digits[start..].iter().map(|digit| char::from(*digit)));
}
