//! Numbers as Excel writes them: 15 significant digits, rounded in decimal.

/// A number that is not negative: `0.` and its digits, times ten to the power of `point`.
#[derive(Debug, Clone, Default)]
pub(super) struct Decimal {
    /// Values from 0 to 9; the last one is not 0.
    digits: Vec<u8>,
    /// How many digits there are before the decimal point; negative if zeros follow it.
    pub(super) point: i32,
}

impl Decimal {
    /// A finite number without its sign, as far as 15 digits hold it, times ten to a power.
    pub(super) fn of(number: f64, power: i32) -> Self {
        let text = format!("{:.14e}", number.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
        Self { digits, point: exponent.parse().unwrap_or(0) + 1 + power }.without_zeros()
    }

    fn without_zeros(mut self) -> Self {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        let point = if self.digits.is_empty() { 0 } else { self.point };
        Self { point, ..self }
    }

    /// The number with at most so many decimals; half is rounded up.
    pub(super) fn rounded(&self, decimals: i32) -> Self {
        let Ok(kept) = usize::try_from(self.point + decimals) else { return Self::default() };
        let Some(&next) = self.digits.get(kept) else { return self.clone() };
        let mut rounded = Self { digits: self.digits[..kept].to_vec(), point: self.point };
        if next >= 5 {
            while rounded.digits.last() == Some(&9) {
                rounded.digits.pop();
            }
            if let Some(last) = rounded.digits.last_mut() {
                *last += 1;
            } else {
                rounded = Self { digits: vec![1], point: self.point + 1 };
            }
        }
        rounded.without_zeros()
    }

    /// The digit of a power of ten: 0 is the last one before the decimal point.
    pub(super) fn digit(&self, power: i32) -> char {
        let index = usize::try_from(self.point - 1 - power).ok();
        char::from(b'0' + index.and_then(|index| self.digits.get(index)).copied().unwrap_or(0))
    }

    /// The number of decimals.
    pub(super) fn decimals(&self) -> i32 {
        i32::try_from(self.digits.len()).map_or(0, |digits| (digits - self.point).max(0))
    }

    /// The number without an exponent.
    fn plain(&self) -> String {
        let mut text: String = (0..self.point.max(1)).rev().map(|power| self.digit(power)).collect();
        if self.decimals() > 0 {
            text.push('.');
            text.extend((1..=self.decimals()).map(|place| self.digit(-place)));
        }
        text
    }
}

/// A number in the format General, without its sign: at most 11 characters.
pub(super) fn general(number: f64) -> String {
    let decimal = Decimal::of(number, 0);
    let rounded = decimal.rounded(if decimal.point > 0 { (10 - decimal.point).max(0) } else { 9 });
    if decimal.point >= -3 && rounded.point <= 11 {
        return rounded.plain();
    }
    let rounded = decimal.rounded(6 - decimal.point);
    let exponent = rounded.point - 1;
    let mantissa = Decimal { point: 1, ..rounded }.plain();
    format!("{mantissa}E{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::{Decimal, general};

    #[test]
    fn general_has_eleven_characters() {
        for (number, shown) in [
            (0.0, "0"),
            (7.0, "7"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333333"),
            (123_456.789_012_345, "123456.789"),
            (12_345_678_901.0, "12345678901"),
            (99_999_999_999.7, "1E+11"),
            (123_456_789_012.0, "1.23457E+11"),
            (12_345_678_901_234_567_890.0, "1.23457E+19"),
            (0.0001, "0.0001"),
            (0.000_123_456_789, "0.000123457"),
            (1e-7, "1E-07"),
            (1.5e300, "1.5E+300"),
            (9.999_999_9e-5, "1E-04"),
        ] {
            assert_eq!(general(number), shown, "{number:?}");
        }
    }

    #[test]
    fn half_is_rounded_up_in_decimal() {
        for (number, decimals, shown) in [
            (1.005, 2, "1.01"),
            (2.5, 0, "3"),
            (0.05, 0, "0"),
            (0.5, 0, "1"),
            (99.96, 1, "100"),
            (1e300, 2, "1"),
        ] {
            let rounded = Decimal::of(number, 0).rounded(decimals).plain();
            assert_eq!(rounded.trim_end_matches('0'), shown.trim_end_matches('0'), "{number}");
        }
    }
}
