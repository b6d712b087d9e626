//! Output as a terminal would leave it: no escape sequences, and only the final state of progress bars.

use std::borrow::Cow;

use memchr::memchr3;

/// The control sequence introducer as a single C1 control character.
const CSI: char = '\u{9b}';

/// Removes escape sequences and applies carriage returns, backspaces and erasures within each line.
///
/// A carriage return moves to the start of the line, and the text after it overwrites the line character by
/// character, as in a terminal and in Jupyter itself.
/// Cursor movements between lines are dropped.
#[must_use]
pub fn cleaned(text: &str) -> Cow<'_, str> {
    if !needs_cleaning(text) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut line = TerminalLine::default();
    for piece in text.split_inclusive('\n') {
        let (written, end) = match piece.strip_suffix('\n') {
            Some(written) => (written, "\n"),
            None => (piece, ""),
        };
        if needs_cleaning(written) {
            line.write(written);
            clean.extend(line.characters.drain(..));
        } else {
            clean.push_str(written);
        }
        clean.push_str(end);
    }
    Cow::Owned(clean)
}

fn needs_cleaning(text: &str) -> bool {
    memchr3(0x1B, b'\r', 0x08, text.as_bytes()).is_some() || text.contains(CSI)
}

/// One line of a terminal.
#[derive(Default)]
struct TerminalLine {
    characters: Vec<char>,
    cursor: usize,
}

impl TerminalLine {
    fn write(&mut self, mut text: &str) {
        self.cursor = 0;
        while let Some(character) = text.chars().next() {
            let rest = text.get(character.len_utf8()..).unwrap_or_default();
            text = match character {
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
        }
    }

    fn put(&mut self, character: char) {
        match self.characters.get_mut(self.cursor) {
            Some(place) => *place = character,
            None => self.characters.push(character),
        }
        self.cursor += 1;
    }

    /// Consumes the escape sequence whose ESC was just before `text`, and returns the text after it.
    ///
    /// Source: ECMA-48, 5.3 to 5.6.
    fn escape<'t>(&mut self, text: &'t str) -> &'t str {
        let mut characters = text.chars();
        match characters.next() {
            Some('[') => self.control(characters.as_str()),
            // A command string ends at its terminator; without one, the rest of the line is kept as text.
            Some(']' | 'P' | 'X' | '^' | '_') => {
                let string = characters.as_str();
                let bell = string.find('\u{7}').map(|at| (at, 1));
                let terminator = string.find("\u{1b}\\").map(|at| (at, 2));
                let end = bell.into_iter().chain(terminator).min();
                end.and_then(|(at, length)| string.get(at + length..)).unwrap_or(string)
            }
            // Intermediate characters, as in the selection of a character set, then a final one.
            Some(' '..='/') => {
                let rest = characters.as_str().trim_start_matches(|c| matches!(c, ' '..='/'));
                rest.strip_prefix(|c| matches!(c, '0'..='~')).unwrap_or(rest)
            }
            Some('0'..='~') => characters.as_str(),
            _ => text,
        }
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
        let cursor = self.cursor.min(self.characters.len());
        match parameters {
            "" | "0" => self.characters.truncate(cursor),
            "1" => self.characters.iter_mut().take(cursor + 1).for_each(|place| *place = ' '),
            "2" => {
                self.characters.clear();
                self.characters.resize(cursor, ' ');
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::cleaned;

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
        assert!(matches!(cleaned("plain\ttext\n"), std::borrow::Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn test_no_control_characters_remain(text in "[\\x1b\\x9b\\r\\x08\\n\\[\\]0-9;KmAé ]{0,60}") {
            let clean = cleaned(&text);
            let has_controls = clean.contains(['\u{1b}', '\u{9b}', '\r', '\u{8}']);
            prop_assert!(!has_controls);
            prop_assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
            prop_assert_eq!(cleaned(&clean), clean.as_ref());
        }
    }
}
