//! Whether a line begins a function of more than one line.

use super::line::{Line, Role, depth, find, rfind};
use super::lines::{Lines, SIGNATURE};

impl Lines<'_> {
    /// Whether a line begins a function of more than one line.
    pub fn is_function(&mut self, number: isize) -> bool {
        let Some(line) = self.at(number) else { return false };
        if line.is_comment() {
            return false;
        }
        let Some((_, next)) = self.filled(number + 1, 1) else { return false };
        let is_signature = next.text == b"{" || next.begins(Role::CLAUSE);
        let has_body = next.indent > line.indent || line.opens() || is_signature;
        if !has_body {
            return false;
        }
        if line.declares(Role::FUNCTION) {
            return !line.code().ends_with(b";");
        }
        if begins_function(line) {
            return true;
        }
        if next.text == b"{" && next.indent == line.indent {
            let is_statement = line.begins(Role::STATEMENT) || line.declares(Role::CLASS);
            return !is_statement
                && line.text.ends_with(b")")
                && line.text.first().is_some_and(u8::is_ascii_alphabetic);
        }
        if depth(line.code()) <= 0
            || line.begins(Role::STATEMENT)
            || line.closes()
            || line.declares(Role::CLASS)
        {
            return false;
        }
        if self.is_aligned(number) {
            return true;
        }
        // A signature of several lines: its last one opens the body.
        let Some(end) = self.level_after(number, line.indent) else { return false };
        let is_end = end.closes() && end.indent == line.indent && !end.text.starts_with(b"} ");
        let code = end.code();
        is_end
            && (code.ends_with(b"=>")
                || (find(code, b"=>").is_some() && depth(code) >= 0 && end.opens())
                || (code.ends_with(b"{")
                    && !end.text.starts_with(b"],")
                    && !end.text.starts_with(b"),")
                    && !end.text.starts_with(b"},")))
    }

    /// Whether a line begins a signature of several lines, such as those of C, that are all indented more.
    pub fn is_aligned(&mut self, number: isize) -> bool {
        let Some(line) = self.at(number).filter(|line| line.text.contains(&b'(')) else { return false };
        let mut open = depth(line.code());
        for each in number + 1..number + SIGNATURE {
            let Some(next) = self.at(each).filter(|_| open >= 0 && self.may_look()) else { return false };
            let code = next.code();
            if next.indent <= line.indent || next.is_blank() {
                return open == 0 && next.text == b"{" && next.indent == line.indent;
            }
            open += depth(code);
            if open == 1 && code.ends_with(b"{") && code.contains(&b')') {
                return true;
            }
        }
        false
    }
}

/// Whether a text that ends with `=>` is the beginning of a function, and not of a case of a match.
fn is_arrow(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
    let mut open = 0;
    let start = if before.ends_with(b")") {
        let opening = before.iter().rposition(|byte| {
            open += i32::from(*byte == b')') - i32::from(*byte == b'(');
            open == 0
        });
        // Its parameters may have begun in a line before.
        let Some(start) = opening else { return true };
        start
    } else if find(before, b"):").is_some() || before.starts_with(b"}") {
        return true;
    } else {
        let start = before.iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1);
        if start == 0 {
            return false;
        }
        start
    };
    let before = before[..start].trim_ascii_end();
    let word = before.iter().rposition(|byte| !is_word(byte)).map_or(before, |at| &before[at + 1..]);
    word.is_empty() && !before.ends_with(b">") && !before.ends_with(b"]")
        || [b"async".as_slice(), b"return", b"default", b"yield", b"await"].contains(&word)
}

/// Whether a text begins a function of more than one line, by its brackets.
fn begins_function(line: Line<'_>) -> bool {
    let code = line.code();
    if let Some(at) = rfind(code, b"=>") {
        let rest = &code[at + 2..];
        if (rest.is_empty() || depth(rest) > 0) && is_arrow(&code[..at]) {
            return true;
        }
    }
    if depth(code) > 0
        && [b"function".as_slice(), b"func("].iter().any(|word| {
            rfind(code, word).is_some_and(|at| {
                let before = at.checked_sub(1).map_or(b' ', |before| code[before]);
                !before.is_ascii_alphanumeric() && depth(&code[at..]) > 0
            })
        })
    {
        return true;
    }
    let Some(before) = code.strip_suffix(b"{").map(<[u8]>::trim_ascii_end) else { return false };
    let is_case = before.ends_with(b"->") || before.ends_with(b"=>");
    let is_call = is_case || before.last().is_some_and(|byte| b"(,[=:?&|+<".contains(byte));
    let is_statement = line.begins(Role::STATEMENT.and(Role::GOES_ON)) || line.closes();
    !is_call && !is_statement && !line.declares(Role::CLASS) && depth(before) == 0 && before.contains(&b'(')
}
