//! Output as a terminal would leave it: no escape sequences, and only the final state of progress bars.

use std::borrow::Cow;

use memchr::{memchr2_iter, memchr3};

use super::checks::{Checks, Stopped};

/// The control sequence introducer as a single C1 control character.
const CSI: char = '\u{9b}';

/// Removes escape sequences and applies carriage returns, backspaces and erasures within each line.
///
/// A carriage return moves to the start of the line, and the text after it overwrites the line character by
/// character, as in a terminal and in Jupyter itself.
/// Cursor movements between lines are dropped.
pub fn cleaned<'t>(text: &'t str, checks: &Checks<'_>) -> Result<Cow<'t, str>, Stopped> {
    if !needs_cleaning(text) {
        return Ok(Cow::Borrowed(text));
    }
    let mut clean = String::new();
    clean.try_reserve_exact(text.len())?;
    let mut line = TerminalLine::default();
    for piece in text.split_inclusive('\n') {
        let (written, end) = match piece.strip_suffix('\n') {
            Some(written) => (written, "\n"),
            None => (piece, ""),
        };
        if needs_cleaning(written) {
            line.characters.try_reserve(written.len())?;
            line.write(written, checks)?;
            clean.extend(line.characters.drain(..));
        } else {
            clean.push_str(written);
        }
        clean.push_str(end);
        checks.passed(piece.len())?;
    }
    Ok(Cow::Owned(clean))
}

fn needs_cleaning(text: &str) -> bool {
    memchr3(0x1B, b'\r', 0x08, text.as_bytes()).is_some() || text.contains(CSI)
}

/// One line of a terminal.
#[derive(Default)]
struct TerminalLine {
    characters: Vec<char>,
    cursor: usize,
    /// How many of the first characters are blanks, whatever is stored for them.
    blanks: usize,
    /// How many bytes of the written text are left where the next command string ends: as many as it has left
    /// now or fewer, or 0 if no command string ends; more if that is not known.
    left_at_string_end: usize,
}

impl TerminalLine {
    /// Replaces the line by what a text leaves of it.
    fn write(&mut self, mut text: &str, checks: &Checks<'_>) -> Result<(), Stopped> {
        self.characters.clear();
        (self.cursor, self.blanks, self.left_at_string_end) = (0, 0, usize::MAX);
        while let Some(character) = text.chars().next() {
            let rest = text.get(character.len_utf8()..).unwrap_or_default();
            let left = match character {
                '\r' => {
                    self.cursor = 0;
                    rest
                }
                '\u{8}' => {
                    self.cursor = self.cursor.saturating_sub(1);
                    rest
                }
                '\u{1b}' => self.escape(rest),
                CSI => self.control(rest),
                _ => {
                    self.put(character);
                    rest
                }
            };
            checks.passed(text.len() - left.len())?;
            text = left;
        }
        self.store_blanks(0);
        Ok(())
    }

    fn put(&mut self, character: char) {
        self.store_blanks(self.cursor);
        match self.characters.get_mut(self.cursor) {
            Some(place) => *place = character,
            None => self.characters.push(character),
        }
        self.cursor += 1;
    }

    /// Stores the blanks from a column on, so that other characters may follow.
    fn store_blanks(&mut self, column: usize) {
        if let Some(blanks) = self.characters.get_mut(column..self.blanks) {
            blanks.fill(' ');
            self.blanks = column;
        }
    }

    /// Consumes the escape sequence whose ESC was just before `text`, and returns the text after it.
    ///
    /// Source: ECMA-48, 5.3 to 5.6.
    fn escape<'t>(&mut self, text: &'t str) -> &'t str {
        let mut characters = text.chars();
        match characters.next() {
            Some('[') => self.control(characters.as_str()),
            Some(']' | 'P' | 'X' | '^' | '_') => self.after_string(characters.as_str()),
            // Intermediate characters, as in the selection of a character set, then a final one.
            Some(' '..='/') => {
                let rest = characters.as_str().trim_start_matches(|c| matches!(c, ' '..='/'));
                rest.strip_prefix(|c| matches!(c, '0'..='~')).unwrap_or(rest)
            }
            Some('0'..='~') => characters.as_str(),
            _ => text,
        }
    }

    /// Consumes a command string after its introducer; without a terminator, it is kept as text.
    fn after_string<'t>(&mut self, text: &'t str) -> &'t str {
        if text.len() < self.left_at_string_end {
            let bytes = text.as_bytes();
            let ends = |&at: &usize| bytes.get(at) == Some(&7) || bytes.get(at + 1) == Some(&b'\\');
            self.left_at_string_end = memchr2_iter(7, 0x1B, bytes).find(ends).map_or(0, |at| text.len() - at);
        }
        let end = text.get(text.len() - self.left_at_string_end..).unwrap_or_default();
        end.strip_prefix('\u{7}').or_else(|| end.strip_prefix("\u{1b}\\")).unwrap_or(text)
    }

    /// Consumes a control sequence after its introducer, and returns the text after it.
    fn control<'t>(&mut self, text: &'t str) -> &'t str {
        let after_parameters = text.trim_start_matches(|c| matches!(c, '0'..='?'));
        let after = after_parameters.trim_start_matches(|c| matches!(c, ' '..='/'));
        let parameters = text.get(..text.len() - after_parameters.len()).unwrap_or_default();
        let mut characters = after.chars();
        match characters.next() {
            Some('K') => self.erase(parameters),
            Some('@'..='~') => {}
            _ => return after,
        }
        characters.as_str()
    }

    /// Erases to the end of the line, to its start, or all of it.
    fn erase(&mut self, parameters: &str) {
        match parameters {
            "" | "0" => self.characters.truncate(self.cursor),
            "1" => self.blanks = self.blanks.max(self.cursor + 1),
            "2" => {
                self.characters.truncate(self.cursor);
                self.blanks = self.cursor;
            }
            _ => {}
        }
        self.blanks = self.blanks.min(self.characters.len());
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::checks::Checks;
    use crate::input::check_random;
    use crate::scan::Never;

    fn cleaned(text: &str) -> Cow<'_, str> {
        super::cleaned(text, &Checks::new(&Never)).unwrap()
    }

    #[test]
    fn test_colors_and_links_are_removed() {
        assert_eq!(
            cleaned("\u{1b}[0;31mZeroDivisionError\u{1b}[0m: \u{1b}[1;38;5;9mx\u{1b}[m"),
            "ZeroDivisionError: x"
        );
        assert_eq!(cleaned("\u{1b}]8;;http://a\u{7}link\u{1b}]8;;\u{1b}\\ end"), "link end");
        assert_eq!(cleaned("\u{9b}31mred\u{1b}(B\u{1b}=."), "red.");
    }

    #[test]
    fn test_unterminated_escape_keeps_following_text() {
        assert_eq!(cleaned("a\u{1b}]0;title"), "a0;title");
        assert_eq!(cleaned("a\u{1b}[31"), "a");
        assert_eq!(cleaned("a\u{1b}"), "a");
        assert_eq!(cleaned("a\u{1b}[31é"), "aé");
    }

    #[test]
    fn test_progress_shows_only_final_state() {
        assert_eq!(cleaned(" 10%\r 50%\r100%\nnext"), "100%\nnext");
        assert_eq!(cleaned("long line\rshort"), "shortline");
        assert_eq!(cleaned("long line\r\u{1b}[Kshort"), "short");
        assert_eq!(cleaned("long line\u{1b}[2K\rshort"), "short    ");
        assert_eq!(cleaned("1/3\u{8}\u{8}\u{8}2/3"), "2/3");
        assert_eq!(cleaned("windows\r\nlines\r\n"), "windows\nlines\n");
        assert_eq!(cleaned("kept\r"), "kept");
    }

    #[test]
    fn test_plain_text_is_not_copied() {
        assert!(matches!(cleaned("plain\ttext\n"), Cow::Borrowed(_)));
    }

    /// What the sequences of the property do to a line, with a search and a rewrite for each of them.
    fn simply_cleaned(line: &str) -> String {
        let (mut characters, mut cursor, mut rest) = (Vec::new(), 0, line);
        let begins_with = |rest: &str, start: &str| rest.starts_with(start);
        while let Some(character) = rest.chars().next() {
            let mut length = character.len_utf8();
            match character {
                '\r' => cursor = 0,
                '\u{8}' => cursor = usize::saturating_sub(cursor, 1),
                _ if begins_with(rest, "\u{1b}]") => {
                    let bell = rest[2..].find('\u{7}').map(|at| at + 3);
                    let terminator = rest[2..].find("\u{1b}\\").map(|at| at + 4);
                    length = bell.into_iter().chain(terminator).min().unwrap_or(2);
                }
                _ if begins_with(rest, "\u{1b}[K") => {
                    characters.truncate(cursor);
                    length = 3;
                }
                _ if begins_with(rest, "\u{1b}[1K") => {
                    characters.iter_mut().take(cursor + 1).for_each(|place| *place = ' ');
                    length = 4;
                }
                _ if begins_with(rest, "\u{1b}[2K") => {
                    characters = vec![' '; cursor];
                    length = 4;
                }
                '\u{1b}' => length = 2,
                _ => {
                    if cursor == characters.len() {
                        characters.push(' ');
                    }
                    characters[cursor] = character;
                    cursor += 1;
                }
            }
            rest = &rest[length..];
        }
        characters.into_iter().collect()
    }

    #[test]
    fn test_lines_are_cleaned_as_by_simple_code() {
        let pieces = [
            "\u{1b}]",
            "\u{7}",
            "\u{1b}\\",
            "\u{1b}[K",
            "\u{1b}[1K",
            "\u{1b}[2K",
            "\r",
            "\u{8}",
            "a",
            "bcd",
            "é",
        ];
        check_random(256, |input| {
            let line = input.list(0..40, |input| input.pick(&pieces)).concat();
            assert_eq!(cleaned(&line), simply_cleaned(&line));
        });
    }

    #[test]
    fn test_no_control_characters_remain() {
        let pieces = "\u{1b}\u{9b}\r\u{8}\n[]0123456789;KmAé ".chars().collect::<Vec<_>>();
        check_random(256, |input| {
            let text: String = input.list(0..61, |input| input.pick(&pieces)).into_iter().collect();
            let clean = cleaned(&text);
            assert!(!clean.contains(['\u{1b}', '\u{9b}', '\r', '\u{8}']));
            assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
            assert_eq!(cleaned(&clean), clean.as_ref());
        });
    }
}
