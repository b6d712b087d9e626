//! Known-good files, and the places in them that can be made longer or repeated.

use std::ops::Range;

use anyread_core::inflate::crc32;

/// A part of a package, or all of another file.
#[derive(Debug, Clone)]
pub struct Part {
    pub name: &'static str,
    pub text: String,
}

/// The parts of a sample: of the file `=== name` begins each.
pub fn parts(sample: &'static str) -> Vec<Part> {
    let padding = " ".repeat(65 << 10);
    let sections = sample.strip_prefix("=== ").map(|rest| rest.split("\n=== ").collect::<Vec<_>>());
    let named = sections.map(|all| all.into_iter().filter_map(|section| section.split_once('\n')).collect());
    let named: Vec<(&str, &str)> = named.unwrap_or_else(|| vec![("", sample)]);
    named.into_iter().map(|(name, text)| Part { name, text: text.replace("PADDING", &padding) }).collect()
}

/// A value in a part that can be long, or something that can occur many times.
#[derive(Debug, Clone)]
pub struct Site {
    pub part: usize,
    /// What it is in the part.
    pub range: Range<usize>,
    /// How its copies are written: as they are, or as an element without content, or numbered from 1,000 on at a
    /// range of the part, so that each is another one.
    pub form: Form,
    /// What separates copies.
    pub between: &'static str,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    Value,
    Whole,
    Bare,
    Numbered(Range<usize>),
}

impl Site {
    /// How a report names it.
    pub fn shown(&self, parts: &[Part]) -> String {
        let part = &parts[self.part];
        let text = &part.text[self.range.clone()];
        let start: String = text.chars().take(60).collect();
        let before = part.text[..self.range.start].rfind(['<', '\n', ',']).unwrap_or(0);
        let context = if self.form == Form::Value { &part.text[before..self.range.start] } else { "" };
        let form = match &self.form {
            Form::Value => "long".to_owned(),
            Form::Numbered(range) => {
                format!("many with other {:?}", &part.text[range.start.saturating_sub(9)..range.end])
            }
            form => format!("many {form:?}"),
        };
        format!("{}: {form} {context}{start}", part.name)
    }

    fn copy(&self, text: &str, number: usize, target: &mut String) {
        match &self.form {
            Form::Value => {}
            Form::Whole => target.push_str(&text[self.range.clone()]),
            Form::Bare => {
                let tag = tag_of(&text[self.range.clone()]);
                target.push_str(tag.strip_suffix('/').unwrap_or(tag));
                target.push_str("/>");
            }
            Form::Numbered(digits) => {
                target.push_str(&text[self.range.start..digits.start]);
                target.push_str(&number.to_string());
                target.push_str(&text[digits.end..self.range.end]);
            }
        }
    }
}

/// The first tag of an element, without the last character.
fn tag_of(element: &str) -> &str {
    let (mut quote, mut end) = (None, 0);
    for (at, character) in element.char_indices() {
        match (character, quote) {
            ('>', None) => {
                end = at;
                break;
            }
            ('"' | '\'', None) => quote = Some(character),
            (other, Some(open)) if other == open => quote = None,
            _ => {}
        }
    }
    &element[..end]
}

/// A sample with a value that is so many bytes longer, and with so many copies of some elements.
pub fn amplified(parts: &[Part], long: Option<(&Site, usize)>, many: &[(&Site, usize)]) -> Vec<Part> {
    let mut parts = parts.to_vec();
    if let Some((site, bytes)) = long {
        let last = parts[site.part].text[site.range.clone()].chars().next_back().unwrap_or('a');
        let text = last.to_string().repeat(bytes / last.len_utf8());
        parts[site.part].text.insert_str(site.range.end, &text);
    }
    let moved = |part: usize, range: &Range<usize>| {
        let after = long
            .filter(|(site, _)| site.part == part)
            .map_or((usize::MAX, 0), |(site, bytes)| (site.range.end, bytes));
        let at = |at: usize| if at < after.0 { at } else { at + after.1 };
        at(range.start)..at(range.end)
    };
    // The last place first, so that the others stay where they are.
    let mut many = many.to_vec();
    many.sort_by_key(|(site, _)| std::cmp::Reverse(site.range.end));
    for (site, count) in many {
        let text = &mut parts[site.part].text;
        let range = moved(site.part, &site.range);
        let form = match &site.form {
            Form::Numbered(digits) => Form::Numbered(moved(site.part, digits)),
            other => other.clone(),
        };
        let site = Site { range, form, ..site.clone() };
        let mut copies = String::with_capacity(count * (site.range.len() + 8));
        for number in 0..count {
            copies.push_str(site.between);
            site.copy(text, 1_000 + number, &mut copies);
        }
        text.insert_str(site.range.end, &copies);
    }
    parts
}

impl Site {
    /// Whether another one is a part of it.
    pub fn contains(&self, other: &Self) -> bool {
        self.part == other.part && self.range.start <= other.range.start && other.range.end <= self.range.end
    }

    /// Whether copies of it show what repeating it does; what is large consists of others.
    pub fn is_small(&self, parts: &[Part]) -> bool {
        let text = &parts[self.part].text[self.range.clone()];
        self.form == Form::Bare || text.len() < 200 || text.trim_end_matches("</w:p>").ends_with("  ")
    }

    /// What it has in common with other sites that the same code reads: its tags and attributes, without values.
    pub fn kind(&self, parts: &[Part]) -> String {
        let Part { name, text } = &parts[self.part];
        let before = text[..self.range.start].rfind('<').unwrap_or(0);
        let (form, to, own) = match &self.form {
            // The rest of its tag, and the next one if that is inside.
            Form::Value => ("value", self.range.start, {
                let rest = &text[self.range.end..];
                let is_owner = rest.starts_with("\"><");
                &rest[..rest.match_indices('>').nth(usize::from(is_owner)).map_or(0, |(end, _)| end)]
            }),
            Form::Whole => ("whole", self.range.start, &text[self.range.clone()]),
            Form::Bare => ("bare", self.range.start, tag_of(&text[self.range.clone()])),
            Form::Numbered(digits) => ("numbered", digits.start, &text[self.range.clone()]),
        };
        // The code of a relationship depends on its values.
        let is_xml = !["", "[Content_Types].xml"].contains(name) && !name.contains("_rels/");
        let tags = |text: &str| if is_xml { tags(text) } else { without_digits(text) };
        format!("{} {form} {} {}", self.part, tags(&text[before..to]), tags(own))
    }
}

fn without_digits(text: &str) -> String {
    text.replace(|character: char| character.is_ascii_digit(), "")
}

/// The tags in a text, without the values of their attributes.
fn tags(text: &str) -> String {
    let tags = text.split_inclusive('>').filter_map(|piece| piece.find('<').map(|at| &piece[at..]));
    tags.flat_map(|tag| tag.split('"').step_by(2)).collect()
}

/// The values of XML that can be long, and the elements that can be many.
pub fn sites_of_xml(parts: &[Part]) -> (Vec<Site>, Vec<Site>) {
    let (mut long, mut many) = (Vec::new(), Vec::new());
    for (part, Part { text, .. }) in parts.iter().enumerate() {
        let value = |range| Site { part, range, form: Form::Value, between: "" };
        let mut open: Vec<usize> = Vec::new();
        let mut at = 0;
        while let Some(start) = text[at..].find('<').map(|found| at + found) {
            let between = text[at..start].trim();
            if !between.is_empty() && !open.is_empty() {
                let begin = at + text[at..].find(between).unwrap_or(0);
                long.push(value(begin..begin + between.len()));
            }
            let tag = tag_of(&text[start..]);
            at = start + tag.len() + 1;
            let mut ended = None;
            if tag.starts_with("</") {
                ended = open.pop().map(|begin| begin..at);
            } else if !tag.starts_with("<!") {
                if tag.ends_with('/') {
                    ended = Some(start..at);
                } else {
                    open.push(start);
                }
                long.extend(attributes(tag, start).into_iter().map(value));
            }
            // What has no parent is the only one.
            if let Some(range) = ended.filter(|_| !open.is_empty()) {
                let tag = tag_of(&text[range.clone()]);
                let mut forms = vec![Form::Whole];
                if tag.len() + 1 < range.len() {
                    forms.push(Form::Bare);
                }
                forms.extend(numbers(text, &range).into_iter().map(Form::Numbered));
                many.extend(forms.into_iter().map(|form| Site {
                    part,
                    range: range.clone(),
                    form,
                    between: "",
                }));
            }
        }
    }
    (long, many)
}

/// The values of the attributes of a tag that begins at an offset.
fn attributes(tag: &str, start: usize) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(begin) = tag[at..].find('"').map(|quote| at + quote + 1) {
        let end = begin + tag[begin..].find('"').unwrap_or(0);
        found.push(start + begin..start + end);
        at = end + 1;
    }
    found
}

/// The digits at the end of each attribute of an element's own tag, and of the tags of small elements.
fn numbers(text: &str, element: &Range<usize>) -> Vec<Range<usize>> {
    let inside = &text[element.clone()];
    let reach = if inside.len() < 200 { inside } else { tag_of(inside) };
    let digits = |range: &Range<usize>| {
        let value = &text[range.clone()];
        let length = value.len() - value.trim_end_matches(|last: char| last.is_ascii_digit()).len();
        (length > 0).then(|| range.end - length..range.end)
    };
    attributes(reach, element.start).iter().filter_map(digits).collect()
}

/// A zip file of members that are stored as they are.
pub fn archive(parts: &[Part]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let four = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    for Part { name, text } in parts {
        let mut fields = vec![0; 8];
        let offset = four(bytes.len());
        fields.extend(crc32(0, text.as_bytes()).to_le_bytes());
        fields.extend(four(text.len()).repeat(2));
        fields.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        fields.extend([0; 2]);
        bytes.extend([&b"PK\x03\x04\x14\0"[..], &fields, name.as_bytes(), text.as_bytes()].concat());
        directory
            .extend([&b"PK\x01\x02\x14\0\x14\0"[..], &fields, &[0; 10], &offset, name.as_bytes()].concat());
    }
    let (length, offset, count) = (four(directory.len()), four(bytes.len()), four(parts.len()));
    bytes.extend(directory);
    bytes.extend([&b"PK\x05\x06\0\0\0\0"[..], &count[..2], &count[..2], &length, &offset, &[0; 2]].concat());
    bytes
}

/// The strings, numbers, items and fields of a JSON value.
pub fn sites_of_json(parts: &[Part]) -> (Vec<Site>, Vec<Site>) {
    let text = &parts[0].text;
    let (mut long, mut many) = (Vec::new(), Vec::new());
    let site = |range, form, between| Site { part: 0, range, form, between };
    // Where the current item or field of each open container begins.
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let begin = at;
        at += 1;
        match byte {
            b'[' | b'{' => open.push(at),
            b']' | b'}' | b',' => {
                let Some(start) = open.last_mut() else { break };
                if !text[*start..begin].trim().is_empty() {
                    many.push(site(*start..begin, Form::Whole, ","));
                    let field = numbers(text, &(*start..begin));
                    many.extend(
                        field.into_iter().map(|range| site(*start..begin, Form::Numbered(range), ",")),
                    );
                }
                *start = at;
                if byte != b',' {
                    open.pop();
                }
            }
            b'"' => {
                while text.as_bytes()[at] != b'"' {
                    at += 1 + usize::from(text.as_bytes()[at] == b'\\');
                }
                long.push(site(begin + 1..at, Form::Value, ""));
                at += 1;
            }
            b'0'..=b'9' => {
                at += text[at..].find(|next: char| !next.is_ascii_digit()).unwrap_or(0);
                long.push(site(begin..at, Form::Value, ""));
            }
            _ => {}
        }
    }
    (long, many)
}

/// The lines of a text, each of which can be long, and can occur many times.
pub fn sites_of_lines(parts: &[Part]) -> (Vec<Site>, Vec<Site>) {
    let text = &parts[0].text;
    let lines = text.lines().map(|line| {
        let start = line.as_ptr().addr() - text.as_ptr().addr();
        start..start + line.len()
    });
    let of = |range, form, between| Site { part: 0, range, form, between };
    lines.map(|range| (of(range.clone(), Form::Value, ""), of(range, Form::Whole, "\n"))).unzip()
}
