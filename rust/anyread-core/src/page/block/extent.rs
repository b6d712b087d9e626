//! Where the block that a line begins ends, and what before it belongs to it.

use super::Block;
use super::line::{Line, Role, depth};
use super::lines::{Lines, SIGNATURE};

impl Lines<'_> {
    /// The last line of a block, and whether it may go on after the lines that are looked at.
    pub fn end(&mut self, header: isize) -> (isize, bool) {
        let Some(first) = self.at(header) else { return (header, true) };
        let (level, mut in_brackets) = (first.indent, self.aligned_body(header).unwrap_or(first.opens()));
        let (mut last, mut number, mut in_string) = (header, header, first.is_open_string());
        let (mut quote, mut in_text, mut checked) = (0, false, header);
        loop {
            number += 1;
            let Some(line) = self.at(number) else { break };
            if line.is_blank() {
                continue;
            }
            let was_in_string = in_string;
            in_string ^= !in_brackets && self.may_have_quote(line, &mut quote) && line.is_open_string();
            if line.indent > level {
                // The comment before the next function is not part of this one.
                last = if line.indent == level + 1 && line.text[0] == b'*' { last } else { number };
                continue;
            }
            if !self.may_look() {
                return (last, true);
            }
            let is_level = line.indent == level;
            let is_declared = is_level && (line.declares(Role::FUNCTION.and(Role::CLASS)));
            let goes_on = is_level && (line.text.starts_with(b"{") || line.begins(Role::GOES_ON));
            if in_brackets && line.closes() {
                // Brackets at the left may be in a text between backquotes.
                for each in checked..number {
                    in_text ^= self.at(each).is_some_and(Line::is_open_text);
                }
                checked = number;
            }
            if was_in_string && !is_declared || in_text && in_brackets && line.closes() {
                last = number;
            } else if line.closes() && (in_brackets || is_level) {
                last = number;
                if !is_level || !(line.opens() || self.body_after(number, level)) {
                    return (last, false);
                }
                in_brackets = line.opens();
            } else if goes_on && (last == header || !in_brackets) {
                (last, in_brackets) = (number, line.opens());
            } else if is_level && (!in_brackets || first.text.ends_with(b"(")) && line.is_end() {
                return (number, false);
            } else if !(in_brackets && !is_declared || line.is_comment()) {
                return (last, false);
            }
        }
        (last, !self.is_ended())
    }

    /// Whether a closing line at this indentation is followed by more of its block.
    fn body_after(&mut self, number: isize, level: usize) -> bool {
        let Some(line) = self.at(number) else { return false };
        let code = line.code();
        let is_open = code.last().is_some_and(|byte| b":=".contains(byte))
            || [b"=>".as_slice(), b"->", b" do"].iter().any(|end| code.ends_with(end));
        let next = self.filled(number + 1, 1).map(|(_, next)| next);
        let is_more = |next: Line<'_>| next.text == b"{" || next.begins(Role::GOES_ON);
        is_open || next.filter(|next| next.indent == level && !code.ends_with(b",")).is_some_and(is_more)
    }

    /// The first line of what belongs to a declaration: attributes, and the comments before it.
    pub fn top(&mut self, header: isize) -> isize {
        let Some(line) = self.at(header) else { return header };
        let (level, mut first, mut number) = (line.indent, header, header);
        let is_typed =
            !line.declares(Role::FUNCTION) && line.text.contains(&b'(') && !line.text.contains(&b'=');
        loop {
            number -= 1;
            let Some(mut line) = self.at(number).filter(|_| header - number < SIGNATURE) else {
                return first;
            };
            if line.is_blank() {
                // The comment before a declaration may have a blank line after it.
                line = match self.at(number - 1) {
                    Some(above) if first == header && above.text.ends_with(b"*/") => above,
                    _ => return first,
                };
                number -= 1;
            }
            if line.indent == level + 1 && line.text.starts_with(b"*")
                || line.indent == level && line.is_attached()
            {
                first = number;
            } else if line.indent == level && line.closes()
                || line.indent > level && (line.text.ends_with(b")") || line.text.ends_with(b"]"))
            {
                // An attribute of several lines.
                let mut start = number - 1;
                while self.at(start).is_some_and(|each| each.is_blank() || each.indent > level)
                    && number - start < SIGNATURE
                {
                    start -= 1;
                }
                let is_attribute = |each: Line<'_>| {
                    each.indent == level && !each.is_comment() && each.is_attached() && depth(each.text) > 0
                };
                if !self.at(start).is_some_and(is_attribute) {
                    return first;
                }
                (first, number) = (start, start);
            } else if is_typed && number == header - 1 && line.indent == level && line.is_type() {
                first = number;
            } else {
                return first;
            }
        }
    }

    /// Whether a bracket at the start of a line belongs to no line before it, as that of an object in a list.
    pub fn is_element(&mut self, number: isize) -> bool {
        let indent = self.at(number).map_or(0, |line| line.indent);
        self.filled(number - 1, -1)
            .is_none_or(|(_, above)| above.opens() || (above.indent == indent && above.text.ends_with(b",")))
    }

    /// The block that begins at a line, with what belongs to it.
    pub fn whole(&mut self, header: isize) -> Block {
        let (last, is_open) = self.end(header);
        Block { lines: self.top(header)..=last, is_open }
    }

    /// The declaration after an attribute of several lines that a place is in.
    pub fn declaration_after(&mut self, attribute: isize, place: isize) -> Option<isize> {
        let level = self.at(attribute)?.indent;
        let is_next = |line: Line<'_>| !line.is_blank() && line.indent <= level;
        let below = (place + 1..place + SIGNATURE).find(|each| self.at(*each).is_some_and(is_next))?;
        if self.is_declaration(below) { Some(below) } else { self.declaration_below(below) }
    }

    fn is_declaration(&mut self, number: isize) -> bool {
        let is_declared = |line: Line<'_>| line.declares(Role::FUNCTION.and(Role::CLASS));
        self.is_function(number) || self.at(number).is_some_and(is_declared)
    }

    /// Whether a line is above the declaration to which it belongs; the number of that.
    pub fn declaration_below(&mut self, from: isize) -> Option<isize> {
        let (first, mut after_comment) = (self.at(from)?, false);
        if !first.is_attached() && !first.is_type() && !first.closes() {
            return None;
        }
        for number in from..from + SIGNATURE {
            let line = self.at(number)?;
            let is_level = (first.indent.saturating_sub(1)..=first.indent).contains(&line.indent);
            if is_level && self.is_declaration(number) {
                return Some(number);
            }
            let is_above =
                line.is_attached() || line.indent > first.indent || line.closes() || line.is_type();
            if !(is_above || line.is_blank() && after_comment) {
                return None;
            }
            after_comment = line.text.ends_with(b"*/");
        }
        None
    }
}
