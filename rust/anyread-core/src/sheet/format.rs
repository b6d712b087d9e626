//! Number formats: what a cell shows of the number or the text that it has.
//!
//! A code has up to four sections: for positive numbers, negative ones, zero and text, or with conditions. They are
//! taken apart once ([`NumberFormat::parse`]) and filled for each cell. Dates and times are shown in ISO form
//! whatever their code says, since 3/4/2026 has two meanings. A code that is not understood shows nothing, so that
//! the caller shows the number as it is stored.

mod date;
mod decimal;
mod section;

use std::borrow::Cow;
use std::cmp::Ordering::{Equal, Greater, Less};
use std::fmt::Write as _;

pub use date::DateSystem;
use decimal::{Decimal, general};
use section::{Condition, Piece, Scanner, Section};

use crate::xml::start_of;

/// The longest code that is looked at, in characters; Excel writes no longer ones.
pub const LONGEST_CODE: usize = 255;
/// The most digits of the denominator of a fraction.
const DENOMINATOR_DIGITS: usize = 4;

/// The codes of the built-in formats by their IDs, from 0 on. Those that depend on the language are empty, or dates
/// and times that are the same in all of them.
const BUILTIN: &str = concat!(
    r##"General|0|0.00|#,##0|#,##0.00|"$"#,##0_);\("$"#,##0\)|"$"#,##0_);\("$"#,##0\)|"$"#,##0.00_);\("$"#,##0.00\)|"##,
    r##""$"#,##0.00_);\("$"#,##0.00\)|0%|0.00%|0.00E+00|# ?/?|# ??/??|m/d/yyyy|d-mmm-yy|d-mmm|mmm-yy|h:mm AM/PM|"##,
    r##"h:mm:ss AM/PM|h:mm|h:mm:ss|m/d/yyyy h:mm|||||y/m/d|y/m/d|y/m/d|y/m/d|y/m/d|h:mm|h:mm:ss|||y/m/d|"##,
    r##"#,##0_);\(#,##0\)|#,##0_);\(#,##0\)|#,##0.00_);\(#,##0.00\)|#,##0.00_);\(#,##0.00\)|"##,
    r##"_(* #,##0_);_(* \(#,##0\);_(* "-"_);_(@_)|_("$"* #,##0_);_("$"* \(#,##0\);_("$"* "-"_);_(@_)|"##,
    r##"_(* #,##0.00_);_(* \(#,##0.00\);_(* "-"??_);_(@_)|_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)|"##,
    "mm:ss|[h]:mm:ss|mm:ss.0|##0.0E+0|@|y/m/d|y/m/d|y/m/d|y/m/d|y/m/d|||y/m/d|y/m/d",
);

/// What the number of a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// A number.
    Number,
    /// A date, a time, or both.
    Date,
    /// A duration.
    Duration,
}

/// A number format.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberFormat {
    /// The sections for numbers; none if the code has too many.
    numbers: Vec<Section>,
    /// The section for text.
    text: Option<Section>,
}

/// The code of a built-in format; `None` if there is none of this ID, or if it depends on the language.
#[must_use]
pub fn builtin(id: u32) -> Option<&'static str> {
    BUILTIN.split('|').nth(usize::try_from(id).ok()?).filter(|code| !code.is_empty())
}

/// A number in a format, as the caches of charts have it.
#[must_use]
pub fn shown_number(code: &str, number: f64, is_1904: bool) -> Option<String> {
    let system = if is_1904 { DateSystem::From1904 } else { DateSystem::From1900 };
    NumberFormat::parse(start_of(code, LONGEST_CODE)).show(number, system)
}

impl NumberFormat {
    /// Takes a code apart. One that is not understood shows nothing.
    #[must_use]
    pub fn parse(code: &str) -> Self {
        let mut scanner = Scanner { rest: if code.is_empty() { "General" } else { code } };
        let (mut numbers, mut is_last) = (Vec::new(), false);
        while !is_last && numbers.len() <= 4 {
            let (section, is_its_last) = scanner.section();
            numbers.push(section);
            is_last = is_its_last;
        }
        if numbers.len() > 4 {
            numbers = Vec::new();
        }
        let is_text = |section: &Section| section.pieces.iter().flatten().any(|piece| *piece == Piece::Text);
        let text =
            if numbers.len() == 4 || numbers.last().is_some_and(is_text) { numbers.pop() } else { None };
        if numbers.is_empty() && text.is_some() {
            numbers.push(Section { pieces: Some(vec![Piece::General]), ..Section::default() });
        }
        Self { numbers, text }
    }

    /// What a number of this format is.
    #[must_use]
    pub fn quantity(&self, number: f64) -> Quantity {
        match self.section(number).map(|(section, _)| section.parts) {
            Some(parts) if parts.is_duration => Quantity::Duration,
            Some(parts) if parts.has_date || parts.has_time => Quantity::Date,
            _ => Quantity::Number,
        }
    }

    /// What a cell shows of a number; `None` if its code is not understood, or if it cannot be shown so, as a date
    /// before 1900.
    #[must_use]
    pub fn show(&self, number: f64, system: DateSystem) -> Option<String> {
        let (section, hides_sign) = self.section(number).filter(|_| number.is_finite())?;
        let pieces = section.pieces.as_deref()?;
        let shown = match self.quantity(number) {
            Quantity::Date => return date::iso(number, system, section.parts),
            Quantity::Duration => date::duration(number, section.parts, pieces)?,
            Quantity::Number => show_number(section, pieces, number)?,
        };
        let sign = if number < 0.0 && !hides_sign { "-" } else { "" };
        Some(format!("{sign}{}", shown.trim_matches(' ')))
    }

    /// What a cell shows of a text, up to `most` characters or somewhat more, and how many others there are.
    #[must_use]
    pub fn show_text<'a>(&self, text: &'a str, most: usize) -> (Cow<'a, str>, u64) {
        let Some(pieces) = self.text.as_ref().and_then(|section| section.pieces.as_ref()) else {
            return (Cow::Borrowed(text), 0);
        };
        let length = text.chars().count();
        let (mut shown, mut chars, mut left_out) = (String::new(), 0, 0);
        for piece in pieces {
            // A code may repeat the text very often.
            let (length, is_room) =
                (if matches!(piece, Piece::Literal(_)) { 1 } else { length }, chars <= most);
            match piece {
                Piece::Text | Piece::General | Piece::Literal(_) if !is_room => left_out += length as u64,
                Piece::Text | Piece::General => shown.push_str(text),
                Piece::Literal(literal) => shown.push(*literal),
                _ => continue,
            }
            chars += length;
        }
        // Gaps around a text show nothing.
        if shown.trim_matches(' ') == text.trim_matches(' ') {
            (Cow::Borrowed(text), left_out)
        } else {
            (Cow::Owned(shown), left_out)
        }
    }

    /// The section for a number, and whether that is for negative numbers only, so that it shows no sign.
    fn section(&self, number: f64) -> Option<(&Section, bool)> {
        let mut is_rest_negative = false;
        for (index, section) in self.numbers.iter().enumerate() {
            let implied: &[_] = match (index, self.numbers.len()) {
                (0, 2) => &[Greater, Equal],
                (0, 3) => &[Greater],
                (1, 3) => &[Less],
                _ => &[],
            };
            let implied = Some(Condition { orders: implied, limit: 0.0 }).filter(|_| !implied.is_empty());
            let Some(condition) = section.condition.or(implied) else {
                return Some((section, is_rest_negative));
            };
            let has_positive = condition.orders.contains(&Greater);
            if condition.holds(number) {
                return Some((section, !has_positive && condition.limit <= 0.0));
            }
            is_rest_negative |= has_positive && condition.limit <= 0.0;
        }
        None
    }
}

/// A number in a section, without its sign.
fn show_number(section: &Section, pieces: &[Piece], number: f64) -> Option<String> {
    let mut shown = String::new();
    let number = number.abs();
    let form = pieces.iter().position(|piece| matches!(piece, Piece::Exponent(_) | Piece::Slash));
    let Some((before, after)) = form.and_then(|form| pieces.split_at_checked(form)) else {
        fill(&mut shown, pieces, number, section.power, section.is_grouped);
        return Some(shown);
    };
    let Some(Piece::Exponent(has_plus)) = after.first() else {
        show_fraction(&mut shown, before, after, number)?;
        return Some(shown);
    };
    let (step, decimal) = (count_digits(before, false).max(1), Decimal::of(number, 0));
    let mut power = if number > 0.0 { (decimal.point - 1).div_euclid(step) * step } else { 0 };
    if decimal.rounded(count_digits(before, true) - power).point > power + step {
        power += step;
    }
    fill(&mut shown, before, number, -power, section.is_grouped);
    shown += if power < 0 {
        "E-"
    } else if *has_plus {
        "E+"
    } else {
        "E"
    };
    fill(&mut shown, after, f64::from(power.abs()), 0, false);
    Some(shown)
}

/// The number of digits before or after the decimal point.
fn count_digits(pieces: &[Piece], is_after: bool) -> i32 {
    let point = pieces.iter().position(|&piece| piece == Piece::Point).unwrap_or(pieces.len());
    let (before, after) = pieces.split_at(point);
    (if is_after { after } else { before })
        .iter()
        .filter(|piece| piece.is_digit())
        .fold(0, |count, _| count + 1)
}

/// Fills the digits of a section with a number times ten to a power.
fn fill(shown: &mut String, pieces: &[Piece], number: f64, power: i32, is_grouped: bool) {
    let decimal = Decimal::of(number, power).rounded(count_digits(pieces, true));
    let push = |shown: &mut String, place: char, power: i32| {
        let is_there = if power < 0 { -power <= decimal.decimals() } else { power < decimal.point };
        match place {
            _ if is_there => shown.push(decimal.digit(power)),
            '#' => return,
            '?' => return shown.push(' '),
            _ => shown.push('0'),
        }
        if is_grouped && power > 0 && power % 3 == 0 {
            shown.push(',');
        }
    };
    // The power of ten of the next digit; the first place has those of all higher powers before it.
    let mut next = count_digits(pieces, false) - 1;
    let mut above = decimal.point - 1;
    for &piece in pieces {
        if matches!(piece, Piece::Digit(_) | Piece::Point) {
            while above > next {
                push(shown, '0', above);
                above -= 1;
            }
            above = i32::MIN;
        }
        match piece {
            Piece::Literal(literal) => shown.push(literal),
            Piece::Point => shown.push('.'),
            Piece::General | Piece::Text => *shown += &general(number),
            Piece::Digit(place) => {
                push(shown, place, next);
                next -= 1;
            }
            _ => {}
        }
    }
}

/// Adds a number as a whole number and a fraction, or as a fraction alone.
fn show_fraction(shown: &mut String, before: &[Piece], after: &[Piece], number: f64) -> Option<()> {
    let end = before.iter().rposition(Piece::is_digit)? + 1;
    let begin = before[..end].iter().rposition(|piece| !piece.is_digit()).map_or(0, |last| last + 1);
    let wholes = &before[..begin];
    let has_whole = wholes.iter().any(Piece::is_digit);
    let is_part = |piece: &&Piece| matches!(piece, Piece::Digit(_) | Piece::Literal('0'..='9'));
    let digits: String = after
        .iter()
        .skip_while(|piece| !is_part(piece))
        .map_while(|piece| match *piece {
            Piece::Digit(_) => Some('0'),
            Piece::Literal(digit @ '0'..='9') => Some(digit),
            _ => None,
        })
        .collect();
    if digits.len() > DENOMINATOR_DIGITS || number >= 1e11 {
        return None;
    }
    let part = number.fract();
    let fixed: f64 = digits.parse().ok()?;
    let (mut top, bottom) = if fixed > 0.0 {
        ((part * fixed).round(), fixed)
    } else {
        nearest_fraction(part, 10_f64.powi(i32::try_from(digits.len()).ok()?) - 1.0)
    };
    let mut whole = number.floor();
    if !has_whole {
        top += whole * bottom;
    } else if top >= bottom {
        (whole, top) = (whole + 1.0, 0.0);
    }
    fill(shown, wholes, whole, 0, false);
    if top > 0.0 || !has_whole {
        let _ = write!(shown, "{top:>0$}/{bottom:<1$}", end - begin, digits.len());
    } else if shown.trim().is_empty() {
        shown.push('0');
    }
    let rest = after.iter().skip_while(|piece| !is_part(piece)).skip(digits.len());
    shown.extend(
        rest.filter_map(|piece| if let Piece::Literal(literal) = piece { Some(*literal) } else { None }),
    );
    Some(())
}

/// The fraction with a denominator up to `most` that is nearest to a number below 1; of several, the simplest one.
///
/// These are the convergents of the number's continued fraction, and the fractions between the last two of them.
fn nearest_fraction(number: f64, most: f64) -> (f64, f64) {
    let (mut before, mut last) = ((0.0, 1.0), (1.0, 0.0));
    let mut rest = number;
    loop {
        let whole = rest.floor();
        let next = (before.0 + whole * last.0, before.1 + whole * last.1);
        if next.1 > most {
            break;
        }
        (before, last) = (last, next);
        rest = 1.0 / (rest - whole);
        if !rest.is_finite() {
            return last;
        }
    }
    let steps = ((most - before.1) / last.1).floor();
    let between = (before.0 + steps * last.0, before.1 + steps * last.1);
    let distance = |(top, bottom): (f64, f64)| (number - top / bottom).abs();
    if distance(between) < distance(last) - 1e-12 { between } else { last }
}

#[cfg(test)]
mod tests {
    use super::{DateSystem, NumberFormat, Quantity, builtin, nearest_fraction};

    #[test]
    fn fractions_are_the_nearest_ones() {
        let slow = |number: f64, most: u32| {
            let all = (1..=most).map(|bottom| ((number * f64::from(bottom)).round(), f64::from(bottom)));
            let distance = |(top, bottom): (f64, f64)| (number - top / bottom).abs();
            all.reduce(|best, next| if distance(next) < distance(best) - 1e-12 { next } else { best })
        };
        let simple =
            (1..40).flat_map(|bottom| (0..bottom).map(move |top| f64::from(top) / f64::from(bottom)));
        let others = (1..400).map(|step| (f64::from(step) * 0.618_033_988_749_895).fract());
        for number in simple.chain(others).chain([1e-9, 0.999_999_9, 0.1 + 0.2, 0.000_4]) {
            for most in [9, 99, 999] {
                let found = nearest_fraction(number, f64::from(most));
                assert_eq!(Some(found), slow(number, most), "{number} {most}");
            }
        }
    }

    fn shown(code: &str, number: f64) -> Option<String> {
        NumberFormat::parse(code).show(number, DateSystem::From1900)
    }

    #[test]
    fn numbers_are_shown_as_excel_shows_them() {
        for (code, number, expected) in [
            ("", 0.1 + 0.2, "0.3"),
            ("General", -1234.5, "-1234.5"),
            ("General\" km\"", 3.0, "3 km"),
            ("@", 5.0, "5"),
            ("0", 0.5, "1"),
            ("0", -2.5, "-3"),
            ("0.00", 1.005, "1.01"),
            ("0.00", 1234.5, "1234.50"),
            ("#.##", 0.0, "."),
            ("#.##", 0.05, ".05"),
            ("0.##", 5.0, "5."),
            ("000-00-0000", 123_456_789.0, "123-45-6789"),
            ("(000) 000-0000", 5_551_234_567.0, "(555) 123-4567"),
            ("#,##0", 1_234_567.0, "1,234,567"),
            ("#,##0", 12.0, "12"),
            ("#,##0.00", -1234.567, "-1,234.57"),
            ("0,000", 7.0, "0,007"),
            ("#,##0,", 1_234_567.0, "1,235"),
            ("0.0,,\"M\"", 12_345_678.0, "12.3M"),
            ("0%", 0.125, "13%"),
            ("0.00%", 0.125, "12.50%"),
            ("0.0%", 0.285, "28.5%"),
            ("0.00E+00", 12345.0, "1.23E+04"),
            ("0.00E+00", 0.0, "0.00E+00"),
            ("0.00E-00", 12345.0, "1.23E04"),
            ("0.0E+0", 9.96, "1.0E+1"),
            ("0.0E+0", -0.000_123, "-1.2E-4"),
            ("##0.0E+0", 12345.0, "12.3E+3"),
            ("##0.0E+0", 999.96, "1.0E+3"),
            ("# ?/?", 0.5, "1/2"),
            ("# ?/?", 0.0, "0"),
            ("# ?/?", 2.99, "3"),
            ("# ??/??", -5.3125, "-5  5/16"),
            ("0 ?/4", 1.25, "1 1/4"),
            ("?/10", 1.25, "13/10"),
            ("?/?", 1.5, "3/2"),
            ("\"$\"#,##0.00", -5.0, "-$5.00"),
            ("[$€-407] #,##0.00", 5.0, "€ 5.00"),
            ("#,##0.00\\ [$EUR]", 5.0, "5.00 EUR"),
            ("#,##0_);(#,##0)", -1234.0, "(1,234)"),
            ("#,##0_);[Red](#,##0)", 1234.0, "1,234"),
            ("_(\"$\"* #,##0.00_);_(\"$\"* (#,##0.00);_(\"$\"* \"-\"??_);_(@_)", 0.0, "$-"),
            ("0;;\"none\"", -3.0, ""),
            ("0;;\"none\"", 0.0, "none"),
            (";;;", 5.0, ""),
            ("0.0;@", -1.0, "-1.0"),
            ("[<100]\"few\";[<1000]\"some\";\"many\"", 100.0, "some"),
            ("[<100]\"few\";[<1000]\"some\";\"many\"", 1000.0, "many"),
            ("[>=0]0;(0)", -4.0, "(4)"),
            ("[<0](0);0", -4.0, "(4)"),
            ("[>100]0;0.0", -4.0, "-4.0"),
            ("[=1]\"yes\";[=0]\"no\";0", 1.0, "yes"),
            ("[Color 12]0", 3.0, "3"),
            ("0\\;0", 12.0, "1;2"),
            ("\"a;b\"0", 1.0, "a;b1"),
        ] {
            assert_eq!(shown(code, number).as_deref(), Some(expected), "{code} of {number}");
        }
    }

    #[test]
    fn dates_are_iso_whatever_their_code_says() {
        for (code, number, expected) in [
            ("m/d/yyyy", 46_023.0, "2026-01-01"),
            ("dd.mm.yy", 46_023.99, "2026-01-01"),
            ("[$-F800]dddd, mmmm dd, yyyy", 46_023.0, "2026-01-01"),
            ("m/d/yy h:mm", 46_023.75, "2026-01-01 18:00"),
            ("yyyy\\-mm\\-dd\\Thh:mm:ss.000", 46_023.750_011_574, "2026-01-01 18:00:01.000"),
            ("h:mm AM/PM", 0.75, "18:00:00"),
            ("mm:ss.0", 0.000_017_361, "00:00:01.5"),
            ("h:mm:ss", 0.999_999_9, "00:00:00"),
            ("h:mm d/m", 1.999_999, "1900-01-01 23:59"),
            ("d", 0.0, "1900-01-00"),
            ("d", 59.0, "1900-02-28"),
            ("d", 60.0, "1900-02-29"),
            ("d", 61.0, "1900-03-01"),
            ("d", 36_585.0, "2000-02-29"),
            ("d", 2_958_465.0, "9999-12-31"),
            ("[h]:mm", 1.5, "36:00"),
            ("[h]:mm:ss", -0.5, "-12:00:00"),
            ("[mm]:ss", 0.062_5, "90:00"),
            ("[ss].00", 0.000_017_361, "01.50"),
            ("[h]\" h \"mm\" min\"", 2.010_5, "48 h 15 min"),
        ] {
            assert_eq!(shown(code, number).as_deref(), Some(expected), "{code} of {number}");
        }
        let format = NumberFormat::parse("yyyy");
        assert_eq!(format.show(44_561.0, DateSystem::From1904).as_deref(), Some("2026-01-01"));
        assert_eq!(format.show(2_958_465.0, DateSystem::From1904), None);
        assert_eq!((format.quantity(1.0), format.show(-1.0, DateSystem::From1900)), (Quantity::Date, None));
        assert_eq!(NumberFormat::parse("[h]:mm").quantity(1.0), Quantity::Duration);
        assert_eq!(NumberFormat::parse("\"d\"0").quantity(1.0), Quantity::Number);
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let date = |day: i32| shown("d", f64::from(day)).unwrap_or_default();
        let mut before = (1900, 3, 1);
        for day in 62..=2_958_465 {
            let (year, month, last) = before;
            let february = if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) { 29 } else { 28 };
            let length = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
            before = match (month, last) {
                (12, 31) => (year + 1, 1, 1),
                _ if last == length => (year, month + 1, 1),
                _ => (year, month, last + 1),
            };
            // Some days, and all last and first days of months.
            if day % 61 == 0 || before.2 == 1 || last == length {
                assert_eq!(date(day), format!("{:04}-{:02}-{:02}", before.0, before.1, before.2));
            }
        }
    }

    #[test]
    fn a_code_that_is_not_understood_shows_nothing() {
        for code in
            ["0.00 xyz", "[odd]0", "0 d", "0E+0E+0", "0 General", "0;0;0;@;0", "[>5]0", "# ?/?????", "*"]
        {
            assert_eq!(shown(code, 3.5), None, "{code}");
        }
        assert_eq!(shown("0", f64::NAN), None);
        assert_eq!(shown("0;xyz", 3.5).as_deref(), Some("4"), "only the section that is used counts");
    }

    #[test]
    fn texts_are_shown_by_the_last_section() {
        for (code, text, expected) in [
            ("General", "a", "a"),
            ("0.00;-0.00;0;\"<\"@\">\"", "a", "<a>"),
            ("_(@_)", " a", " a"),
            (";;;", "a", ""),
            ("0;@\" !\"", "a", "a !"),
        ] {
            assert_eq!(NumberFormat::parse(code).show_text(text, 100).0, expected, "{code}");
        }
    }

    #[test]
    fn builtin_formats_are_found_by_their_id() {
        for (id, code) in [
            (0, Some("General")),
            (14, Some("m/d/yyyy")),
            (22, Some("m/d/yyyy h:mm")),
            (23, None),
            (36, Some("y/m/d")),
            (37, Some("#,##0_);\\(#,##0\\)")),
            (44, Some("_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\);_(\"$\"* \"-\"??_);_(@_)")),
            (48, Some("##0.0E+0")),
            (49, Some("@")),
            (58, Some("y/m/d")),
            (59, None),
        ] {
            assert_eq!(builtin(id), code, "{id}");
        }
    }
}
