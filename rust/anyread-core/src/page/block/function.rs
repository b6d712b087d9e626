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
        if !(next.indent > line.indent || line.opens() || is_signature) {
            return false;
        }
        if line.declares(Role::FUNCTION) {
            return !line.code().ends_with(b";");
        }
        if begins_function(line) {
            return !self.is_arm(number, line);
        }
        let is_class = line.declares(Role::CLASS);
        let is_statement = line.begins(Role::STATEMENT) || is_class || line.closes();
        if next.text == b"{" && next.indent == line.indent {
            return !is_statement
                && without_qualifiers(line.text).ends_with(b")")
                && line.text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"~_[".contains(byte));
        }
        let open = depth(line.code());
        if is_class || line.closes() || open < 0 {
            return false;
        }
        let is_aligned = !is_statement && self.aligned_body(number).is_some();
        if is_aligned || open == 0 {
            return is_aligned;
        }
        // A signature of several lines: its last one opens the body.
        let Some(end) = self.level_after(number, line.indent) else { return false };
        let is_end = end.closes() && end.indent == line.indent && !end.text.starts_with(b"} ");
        let code = end.code();
        is_end
            && (code.ends_with(b"=>")
                || (find(code, b"=>").is_some() && depth(code) >= 0 && end.opens())
                || (!is_statement
                    && code.ends_with(b"{")
                    && code.contains(&b')')
                    && !end.text.starts_with(b"],")
                    && !end.text.starts_with(b"),")
                    && !end.text.starts_with(b"},")))
    }

    /// Whether it is a case of a match that looks like a function, such as `(Some(a), _) => {`.
    fn is_arm(&mut self, number: isize, line: Line<'_>) -> bool {
        b"([&".contains(&line.text[0])
            && find(line.text, b"=>").is_some()
            && (number - SIGNATURE..number)
                .rev()
                .map_while(|each| self.at(each))
                .find(|above| !above.is_blank() && above.indent < line.indent)
                .is_some_and(|above| above.text.ends_with(b"{"))
    }

    /// Whether the body after a signature of several lines, which are all indented more, is in brackets.
    ///
    /// `None`: it is no such signature; `false`: the body is an expression, as in C#.
    pub fn aligned_body(&mut self, number: isize) -> Option<bool> {
        let line = self.at(number).filter(|line| line.text.contains(&b'('))?;
        let mut open = depth(line.code());
        let next = self.at(number + 1)?;
        let goes_on = [b": ".as_slice(), b"=>", b"->"].iter().any(|sign| next.text.starts_with(sign));
        if line.text.ends_with(b"{") || (open == 0 && !goes_on && !next.begins(Role::CLAUSE)) {
            return None;
        }
        for each in number + 1..number + SIGNATURE {
            let next = self.at(each).filter(|_| open >= 0 && self.may_look())?;
            let code = next.code();
            if next.indent <= line.indent || next.is_blank() {
                let is_body = open == 0 && next.text == b"{" && next.indent == line.indent;
                return is_body.then_some(true);
            }
            let was_closed = open == 0;
            if was_closed && next.text.starts_with(b"=>") {
                return Some(false);
            }
            open += depth(code);
            if open == 1 && code.ends_with(b"{") && (was_closed || code.contains(&b')')) {
                return Some(true);
            }
            if open == 0 && !was_closed && code.ends_with(b") =>") {
                return Some(false);
            }
        }
        None
    }
}

/// A signature of C++ without what may follow its parameters.
fn without_qualifiers(mut text: &[u8]) -> &[u8] {
    let words = [b"const".as_slice(), b"noexcept", b"override", b"final", b"volatile"];
    while let Some(shorter) = words.iter().find_map(|word| text.strip_suffix(*word)) {
        text = shorter.trim_ascii_end();
    }
    text
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
        let Some(start) = opening else { return !b")}]".contains(&before[0]) };
        start
    } else if let Some(at) = find(before, b"):") {
        return depth(&before[..=at]) >= 0 || !b")}]".contains(&before[0]);
    } else {
        let start = before.iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1);
        // The pattern of a case has no name at its end.
        if start == 0 || start == before.len() {
            return false;
        }
        start
    };
    let before = before[..start].trim_ascii_end();
    let word = before.iter().rposition(|byte| !is_word(byte)).map_or(before, |at| &before[at + 1..]);
    // What is before the parameters of a function, and not in the pattern of a case.
    let is_value = before.last().is_none_or(|byte| b"(,=:[?{;".contains(byte)) || before.ends_with(b"=>");
    let is_pattern =
        [b"::".as_slice(), b"==", b"!=", b"<=", b">=", b"..="].iter().any(|end| before.ends_with(end));
    word.is_empty() && is_value && !is_pattern
        || [b"async".as_slice(), b"return", b"default", b"yield", b"await"].contains(&word)
}

/// Whether a text begins a function of more than one line, by its brackets.
fn begins_function(line: Line<'_>) -> bool {
    let code = line.code();
    if let Some(at) = rfind(code, b"=>") {
        let rest = &code[at + 2..];
        if (rest.is_empty() || depth(rest) > 0)
            && is_arrow(&code[..at])
            && !(code.starts_with(b"case ") && find(code, b"=>") == Some(at))
        {
            return true;
        }
    }
    // Anonymous functions; those of Lua have no bracket at their end.
    let position = |word: &[u8]| {
        rfind(code, word).filter(|at| {
            let before = at.checked_sub(1).map_or(b' ', |before| code[before]);
            !before.is_ascii_alphanumeric() && before != b']'
        })
    };
    let is_go = || code.ends_with(b"{") && position(b"func(").is_some_and(|at| depth(&code[at..]) > 0);
    let is_script = |at| depth(&code[at..]) > 0 || (code[at..].contains(&b'(') && code.ends_with(b")"));
    if position(b"function").is_some_and(is_script) || is_go() {
        return true;
    }
    let Some(before) = code.strip_suffix(b"{").map(<[u8]>::trim_ascii_end) else { return false };
    let is_case = before.ends_with(b"->") || before.ends_with(b"=>");
    let is_call = is_case
        || before.ends_with(b" match")
        || before.ends_with(b" else")
        || before.last().is_some_and(|byte| b"(,[=:?&|+<".contains(byte));
    let is_statement = line.begins(Role::STATEMENT.and(Role::GOES_ON)) || line.closes();
    if is_call || is_statement || line.declares(Role::CLASS) || depth(before) != 0 {
        return false;
    }
    let Some(length) = before.iter().position(|byte| *byte == b'(') else { return false };
    let head = &before[..length];
    let name = head.iter().rposition(u8::is_ascii_whitespace).map_or(head, |at| &head[at..]);
    // A statement after a label or an assignment, a loop that a macro begins, and a call with a block.
    let value = head.iter().rposition(|byte| b"=:>".contains(byte)).map_or(head, |at| &head[at + 1..]);
    let is_loop = find(head, b"FOREACH").is_some() || head.starts_with(b"list_for_each");
    !(is_loop || name.contains(&b'.') || Line::of(value).begins(Role::STATEMENT))
}
