//! Dates and times of serial numbers in ISO form, and durations.

use std::fmt::Write as _;

use super::section::{DateParts, Piece};

/// What day 0 of a workbook is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateSystem {
    /// The day before 1 January 1900; 1900 has a 29 February, as in Excel.
    #[default]
    From1900,
    /// 1 January 1904.
    From1904,
}

/// Times are counted in ten-thousandths of a second; serial numbers are hardly more precise.
const SECOND: i64 = 10_000;
const DAY: i64 = 86_400 * SECOND;
/// 31 December 9999 in the system of 1900.
const LAST_DAY: i64 = 2_958_465;
/// Day 0 of the system of 1904 in that of 1900.
const DAY_0_OF_1904: i64 = 1_462;

/// The time, rounded to the decimals of its seconds if it shows these; else it is cut later, as Excel does.
#[allow(clippy::cast_possible_truncation, reason = "the callers know the range")]
fn ticks(days: f64, parts: DateParts) -> i64 {
    let ticks = (days * 864e6).round() as i64;
    let unit = if parts.has_seconds { SECOND / 10_i64.pow(parts.decimals) } else { 1 };
    (ticks + unit / 2) / unit * unit
}

/// The decimals of the seconds after a point.
fn decimals(ticks: i64, parts: DateParts) -> String {
    let decimals = format!(".{:04}", ticks % SECOND);
    let shown = if parts.decimals == 0 { 0 } else { 1 + parts.decimals as usize };
    decimals.get(..shown).unwrap_or_default().to_owned()
}

/// A date, a time, or both; `None` if there is no such date.
pub(super) fn iso(serial: f64, system: DateSystem, parts: DateParts) -> Option<String> {
    if !(0.0..3e6).contains(&serial) {
        return None;
    }
    let ticks = ticks(serial, parts);
    let mut text = if parts.has_date { date(ticks / DAY, system)? } else { String::new() };
    if parts.has_time {
        let seconds = ticks % DAY / SECOND;
        let gap = if parts.has_date { " " } else { "" };
        let _ = write!(text, "{gap}{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
        if parts.has_seconds {
            let _ = write!(text, ":{:02}{}", seconds % 60, decimals(ticks, parts));
        }
    }
    Some(text)
}

fn date(day: i64, system: DateSystem) -> Option<String> {
    let day = if system == DateSystem::From1904 { day + DAY_0_OF_1904 } else { day };
    match day {
        // As Excel shows them, though neither exists.
        0 => return Some("1900-01-00".to_owned()),
        60 => return Some("1900-02-29".to_owned()),
        _ if day > LAST_DAY => return None,
        _ => {}
    }
    // Days since 1 March 1600, when a cycle of 400 years began; years from March end with the leap day.
    let days = day + 109_511 + i64::from(day < 60);
    let in_cycle = days % 146_097;
    let year = (in_cycle - in_cycle / 1_460 + in_cycle / 36_524 - in_cycle / 146_096) / 365;
    let in_year = in_cycle - (year * 365 + year / 4 - year / 100);
    let from_march = (in_year * 5 + 2) / 153;
    let month = (from_march + 2) % 12 + 1;
    let year = 1600 + days / 146_097 * 400 + year + i64::from(month < 3);
    Some(format!("{year:04}-{month:02}-{:02}", in_year - (from_march * 153 + 2) / 5 + 1))
}

/// A duration as its section shows it, without its sign; `None` if it is longer than Excel counts.
pub(super) fn duration(days: f64, parts: DateParts, pieces: &[Piece]) -> Option<String> {
    let ticks = ticks(Some(days.abs()).filter(|&days| days < 1e8)?, parts);
    let seconds = ticks / SECOND;
    let mut text = String::new();
    for piece in pieces {
        let (number, width) = match *piece {
            Piece::Unit { letter: 'h', width, is_elapsed: true } => (seconds / 3600, width),
            Piece::Unit { letter: 'm', width, is_elapsed: true } => (seconds / 60, width),
            Piece::Unit { width, is_elapsed: true, .. } => (seconds, width),
            Piece::Unit { letter: 'h', width, .. } => (seconds / 3600 % 24, width),
            Piece::Unit { letter: 'm', width, .. } => (seconds / 60 % 60, width),
            Piece::Unit { width, .. } => (seconds % 60, width),
            Piece::Literal(literal) => {
                text.push(literal);
                continue;
            }
            _ => {
                text += &decimals(ticks, parts);
                continue;
            }
        };
        let _ = write!(text, "{number:0width$}");
    }
    Some(text)
}
