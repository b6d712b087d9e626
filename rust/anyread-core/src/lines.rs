//! Lines of bytes in memory, numbered, as contracts count them whose lines only a line feed ends.

use memchr::memchr_iter;

use crate::gutter::Gutter;

/// Some lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedLines {
    /// How many lines the whole text has; after a final line feed begins none.
    pub total: usize,
    /// The lines after their numbers; `None`: one is too long, or not UTF-8.
    pub text: Option<String>,
}

/// Numbers at most `count` lines of `bytes` after the first `start`.
///
/// # Arguments
/// * `max_chars` - Characters of a line; with a longer one there is no text.
/// * `keeps_returns` - Whether a carriage return before a line feed belongs to the line.
#[must_use]
pub fn number_lines(
    bytes: &[u8],
    start: usize,
    count: usize,
    gutter: &Gutter,
    max_chars: usize,
    keeps_returns: bool,
) -> NumberedLines {
    let total = count_lines(bytes);
    let shown = total.saturating_sub(start).min(count);
    let text = (shown > 0).then(|| {
        let begin = start.checked_sub(1).map_or(0, |feed| nth_feed(bytes, feed) + 1);
        numbered(&bytes[begin..], start, shown, gutter, max_chars, keeps_returns)
    });
    NumberedLines { total, text: text.flatten() }
}

/// Counts the lines of `bytes`; after a final line feed begins none.
#[must_use]
pub fn count_lines(bytes: &[u8]) -> usize {
    memchr_iter(b'\n', bytes).count() + usize::from(bytes.last().is_some_and(|&last| last != b'\n'))
}

/// Where line feed `number`, counted from 0, stands; it is there.
fn nth_feed(bytes: &[u8], number: usize) -> usize {
    memchr_iter(b'\n', bytes).nth(number).unwrap_or(bytes.len())
}

/// Numbers the first `count` lines of `bytes`; there are as many.
fn numbered(
    bytes: &[u8],
    before: usize,
    count: usize,
    gutter: &Gutter,
    max_chars: usize,
    keeps_returns: bool,
) -> Option<String> {
    let mut gutters = gutter.from(i64::try_from(before).ok()?.saturating_add(1), gutter.width);
    let mut text = Vec::with_capacity(bytes.len() + count * gutters.bytes().len());
    let mut feeds = memchr_iter(b'\n', bytes);
    let mut begin = 0;
    for index in 0..count {
        let feed = feeds.next();
        let line = &bytes[begin..feed.unwrap_or(bytes.len())];
        let line = match feed {
            Some(feed) => {
                begin = feed + 1;
                if keeps_returns { line } else { line.strip_suffix(b"\r").unwrap_or(line) }
            }
            None => line,
        };
        // A character has a byte at least, so that most lines need no counting.
        if line.len() > max_chars && characters(line) > max_chars {
            return None;
        }
        if index > 0 {
            text.push(b'\n');
            gutters.advance();
        }
        text.extend_from_slice(gutters.bytes());
        text.extend_from_slice(line);
    }
    String::from_utf8(text).ok()
}

/// Characters of UTF-8: the bytes that continue none.
fn characters(line: &[u8]) -> usize {
    line.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slow obvious way.
    fn expected(text: &str, start: usize, count: usize, max: usize, keeps_returns: bool) -> NumberedLines {
        let text = if keeps_returns { text.to_owned() } else { text.replace("\r\n", "\n") };
        let mut lines: Vec<&str> = text.split('\n').collect();
        lines.pop_if(|last| last.is_empty());
        let some: Vec<String> = lines
            .iter()
            .enumerate()
            .skip(start)
            .take(count)
            .map(|(index, line)| format!("{:>4}|{line}", index + 1))
            .collect();
        let is_short = lines.iter().skip(start).take(count).all(|line| line.chars().count() <= max);
        let text = (!some.is_empty() && is_short).then(|| some.join("\n"));
        NumberedLines { total: lines.len(), text }
    }

    #[test]
    fn lines_are_numbered_as_the_obvious_way_would() {
        let gutter = Gutter { width: 4, separator: Some("|".to_owned()), ..Gutter::default() };
        for text in [
            "",
            "\n",
            "a",
            "a\n",
            "a\nb",
            "\n\n",
            "a\r\nb\r\n",
            "a\r\nb\r",
            "\r\n",
            "é€\u{1F600}\nb\n",
            "\u{FEFF}a\nb",
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n",
        ] {
            for start in 0..13 {
                for count in [0, 1, 2, 100] {
                    for max in [1, 2, 3, 10] {
                        for keeps in [true, false] {
                            assert_eq!(
                                number_lines(text.as_bytes(), start, count, &gutter, max, keeps),
                                expected(text, start, count, max, keeps),
                                "{text:?} {start} {count} {max} {keeps}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn only_the_lines_that_are_shown_must_be_utf8() {
        let gutter = Gutter { separator: Some(" ".to_owned()), ..Gutter::default() };
        let lines = |start| number_lines(b"a\n\xff\nb\n", start, 1, &gutter, 10, true).text;
        assert_eq!(lines(0).as_deref(), Some("1 a"));
        assert_eq!(lines(1), None);
        assert_eq!(lines(2).as_deref(), Some("3 b"));
    }
}
