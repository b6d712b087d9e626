//! The sections of a format code, and the pieces of a section.

use std::cmp::Ordering::{self, Equal, Greater, Less};

/// A piece of a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Piece {
    /// A character that is shown as it is.
    Literal(char),
    /// A digit: `0`, `#` or `?`.
    Digit(char),
    /// The decimal point, also that of seconds.
    Point,
    /// `E+`, or `E-` (false), which shows no plus. The digits of the exponent follow.
    Exponent(bool),
    /// The bar of a fraction.
    Slash,
    /// The number in the format General.
    General,
    /// The text.
    Text,
    /// A unit of time: `d` stands for all parts of dates. A duration counts all of them (`[h]`).
    Unit { letter: char, width: usize, is_elapsed: bool },
}

impl Piece {
    pub(super) fn is_digit(&self) -> bool {
        matches!(self, Self::Digit(_))
    }
}

/// Which numbers a section is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Condition {
    /// How they compare with the limit.
    pub(super) orders: &'static [Ordering],
    pub(super) limit: f64,
}

impl Condition {
    fn parse(text: &str) -> Option<Self> {
        let limit = text.trim_start_matches(['<', '=', '>']);
        let orders: &[Ordering] = match text.strip_suffix(limit)? {
            "<" => &[Less],
            "<=" => &[Less, Equal],
            "=" => &[Equal],
            ">=" => &[Greater, Equal],
            ">" => &[Greater],
            "<>" => &[Less, Greater],
            _ => return None,
        };
        Some(Self { orders, limit: limit.trim().parse().ok()? })
    }

    pub(super) fn holds(self, number: f64) -> bool {
        number.partial_cmp(&self.limit).is_some_and(|order| self.orders.contains(&order))
    }
}

/// What a section shows of dates and times.
#[allow(clippy::struct_excessive_bools, reason = "any of them may occur with any other")]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct DateParts {
    pub(super) has_date: bool,
    pub(super) has_time: bool,
    pub(super) has_seconds: bool,
    pub(super) is_duration: bool,
    /// The decimals of the seconds, at most 4.
    pub(super) decimals: u32,
}

/// One section of a code.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Section {
    pub(super) condition: Option<Condition>,
    /// What it shows; `None` if it is not understood.
    pub(super) pieces: Option<Vec<Piece>>,
    /// The power of ten by which the number is multiplied.
    pub(super) power: i32,
    /// Whether the digits before the decimal point are in groups of three.
    pub(super) is_grouped: bool,
    pub(super) parts: DateParts,
}

/// What is left of a code.
pub(super) struct Scanner<'a> {
    pub(super) rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    /// Passes a character and what precedes it; returns the latter, or everything if there is none.
    fn until(&mut self, end: char) -> &'a str {
        let (before, after) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = after;
        before
    }

    /// Passes a word, whatever its case.
    fn passes(&mut self, word: &str) -> bool {
        let is_next = self.rest.get(..word.len()).is_some_and(|next| next.eq_ignore_ascii_case(word));
        self.rest = self.rest.get(if is_next { word.len() } else { 0 }..).unwrap_or_default();
        is_next
    }

    /// Passes repetitions of a character, whatever its case; returns how many.
    fn repeats(&mut self, repeated: char) -> usize {
        let before = self.rest.len();
        self.rest = self.rest.trim_start_matches(|next: char| next.eq_ignore_ascii_case(&repeated));
        before - self.rest.len()
    }

    /// The next section, and whether it is the last.
    pub(super) fn section(&mut self) -> (Section, bool) {
        let (mut section, mut pieces, mut is_understood) = (Section::default(), Vec::new(), true);
        let before = self.rest;
        let is_last = loop {
            if self.passes("General") {
                pieces.push(Piece::General);
            } else if self.passes("AM/PM") || self.passes("A/P") {
                section.parts.has_time = true;
            } else {
                match self.next() {
                    None => break true,
                    Some(';') => break false,
                    Some(next) => is_understood &= self.add(next, &mut section, &mut pieces),
                }
            }
        };
        // A section of brackets alone, such as a color.
        if pieces.is_empty() && before.starts_with('[') {
            pieces.push(Piece::General);
        }
        let is_understood = is_understood & section.resolve(&mut pieces);
        section.pieces = is_understood.then_some(pieces);
        (section, is_last)
    }

    /// Adds what a character and those that belong to it show; returns whether they are understood.
    fn add(&mut self, next: char, section: &mut Section, pieces: &mut Vec<Piece>) -> bool {
        let has = |wanted: &dyn Fn(&Piece) -> bool| pieces.iter().any(wanted);
        let is_digit_next = |rest: &str| rest.starts_with(|next: char| matches!(next, '#' | '?' | '0'..='9'));
        match next {
            '"' => pieces.extend(self.until('"').chars().map(Piece::Literal)),
            '\\' => pieces.extend(self.next().map(Piece::Literal)),
            // A gap as wide as a character.
            '_' => pieces.extend(self.next().map(|_| Piece::Literal(' '))),
            // A character that fills the width of the cell, which a text does not have.
            '*' => return self.next().is_some(),
            '[' => return self.add_brackets(section, pieces),
            '0' | '#' | '?' => pieces.push(Piece::Digit(next)),
            '@' => pieces.push(Piece::Text),
            '%' => {
                section.power += 2;
                pieces.push(Piece::Literal('%'));
            }
            '/' if is_digit_next(self.rest.trim_start()) && has(&Piece::is_digit) => {
                pieces.push(Piece::Slash);
            }
            '.' if matches!(pieces.last(), Some(Piece::Unit { letter: 's', .. })) => {
                section.parts.decimals = u32::try_from(self.repeats('0')).map_or(4, |zeros| zeros.min(4));
                pieces.push(if section.parts.decimals > 0 { Piece::Point } else { Piece::Literal('.') });
            }
            '.' if !has(&|piece| matches!(piece, Piece::Point | Piece::Unit { .. })) => {
                pieces.push(Piece::Point);
            }
            ',' if matches!(pieces.last(), Some(Piece::Digit(_) | Piece::Point)) => {
                let is_group =
                    is_digit_next(self.rest.trim_start_matches(',')) && !pieces.contains(&Piece::Point);
                section.is_grouped |= is_group;
                section.power -= if is_group { 0 } else { 3 };
            }
            'e' | 'E' if self.rest.starts_with(['+', '-']) && has(&Piece::is_digit) => {
                pieces.push(Piece::Exponent(self.next() == Some('+')));
                return is_digit_next(self.rest);
            }
            _ if next.is_ascii_alphabetic() => {
                let width = 1 + self.repeats(next);
                let letter = match (next.to_ascii_lowercase(), width) {
                    (letter @ ('h' | 's'), _) | (letter @ 'm', 1 | 2) => letter,
                    ('y' | 'm' | 'd' | 'g' | 'b' | 'e', _) | ('a', 3..) => 'd',
                    _ => return false,
                };
                pieces.push(Piece::Unit { letter, width, is_elapsed: false });
            }
            _ => pieces.push(Piece::Literal(next)),
        }
        true
    }

    /// Adds what is in brackets: a condition, a currency, a duration; colors and languages show nothing.
    fn add_brackets(&mut self, section: &mut Section, pieces: &mut Vec<Piece>) -> bool {
        let code = self.until(']');
        let inner = code.to_ascii_lowercase();
        if let Some(letter @ ('h' | 'm' | 's')) = inner.chars().next()
            && inner.trim_start_matches(letter).is_empty()
        {
            pieces.push(Piece::Unit { letter, width: inner.len(), is_elapsed: true });
        } else if let Some(currency) = code.strip_prefix('$') {
            pieces.extend(currency.split('-').next().unwrap_or_default().chars().map(Piece::Literal));
        } else if let Some(condition) = Condition::parse(&inner) {
            section.condition = Some(condition);
        } else {
            let known = "black blue cyan green magenta red white yellow color dbnum natnum";
            return known.split(' ').any(|word| inner.starts_with(word));
        }
        true
    }
}

impl Section {
    /// Decides which `m` are minutes, and what the section shows; returns whether the pieces fit one another.
    fn resolve(&mut self, pieces: &mut [Piece]) -> bool {
        let is_unit = |piece: &&Piece| matches!(piece, Piece::Unit { .. });
        // Most codes have no units, and looking for those around each piece takes long.
        let units: Vec<usize> = (0..pieces.len()).filter(|&index| is_unit(&&pieces[index])).collect();
        for index in units {
            let before = pieces[..index].iter().rfind(is_unit).copied();
            let after = pieces[index + 1..].iter().find(is_unit).copied();
            let Piece::Unit { letter, is_elapsed, .. } = &mut pieces[index] else { continue };
            let is_minute = matches!(before, Some(Piece::Unit { letter: 'h', .. }))
                || matches!(after, Some(Piece::Unit { letter: 's', .. }));
            if *letter == 'm' && !*is_elapsed && !is_minute {
                *letter = 'd';
            }
            self.parts.has_date |= *letter == 'd';
            self.parts.has_time |= *letter != 'd';
            self.parts.has_seconds |= *letter == 's';
            self.parts.is_duration |= *is_elapsed;
        }
        self.parts.is_duration &= !self.parts.has_date;
        // A time of the day always shows its seconds.
        self.parts.has_seconds |= !self.parts.has_date && !self.parts.is_duration;
        let count = |wanted: &dyn Fn(&Piece) -> bool| pieces.iter().filter(|&piece| wanted(piece)).count();
        let digits = count(&Piece::is_digit);
        let others = count(&|piece| matches!(piece, Piece::General | Piece::Text));
        let forms = count(&|piece| matches!(piece, Piece::Exponent(_) | Piece::Slash));
        match self.parts {
            DateParts { has_date: false, has_time: false, .. } => forms < 2 && (digits == 0 || others == 0),
            _ => digits == 0 && others == 0,
        }
    }
}
