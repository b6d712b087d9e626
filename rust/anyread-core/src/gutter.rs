//! The gutter: the line number before each line, in one of the ways that models have learnt.

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
        push_number(number, self.width, text);
        text.push_str(separator);
    }
}

/// Appends a decimal number, right-aligned in `width` columns.
///
/// Several times faster than the formatting machinery, which every line would pay.
fn push_number(number: i64, width: usize, text: &mut String) {
    let mut characters = [b' '; 64];
    let mut start = characters.len();
    let mut rest = number.unsigned_abs();
    loop {
        start -= 1;
        characters[start] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        start -= 1;
        characters[start] = b'-';
    }
    let length = characters.len() - start;
    if let Some(wider) = width.checked_sub(characters.len()) {
        text.extend(std::iter::repeat_n(' ', wider));
    }
    let start = characters.len() - length.max(width.min(characters.len()));
    // Blanks, digits and a sign are ASCII, so this never takes the other branch.
    text.push_str(std::str::from_utf8(&characters[start..]).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::Gutter;

    #[test]
    fn numbers_are_written_as_the_formatting_machinery_would() {
        for number in [0, 1, 9, 10, 123_456, -1, -100, i64::MAX, i64::MIN] {
            for width in [0, 1, 4, 6, 19, 20, 21, 63, 64, 65, 70] {
                let mut text = String::new();
                Gutter { width, separator: Some("|".to_owned()) }.push(number, &mut text);
                assert_eq!(text, format!("{number:>width$}|"));
            }
        }
    }
}
