//! Fields: their code, which may be a link, and what they show.

use super::Text;
use crate::package::{address, one_line};
use crate::xml::{Tag, start_of};

/// The most fields inside of one another.
const FIELDS: usize = 64;
/// The most bytes of the code of a field that are kept.
const CODE: usize = 4 << 10;

/// A field: its code comes first, then what it shows.
#[derive(Clone, Default)]
pub(super) struct Field {
    pub(super) is_result: bool,
    code: String,
    is_link: bool,
    form: Form,
    /// How much was written before what it shows.
    written: u64,
}

/// What a field of a form shows if nothing else does.
#[derive(Clone, Default)]
enum Form {
    #[default]
    None,
    Box(bool),
    /// The entry that is chosen, counted from those that follow, and its text.
    Entry(u32, Box<str>),
}

impl Field {
    /// Its memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        let entry = if let Form::Entry(_, text) = &self.form { text.len() } else { 0 };
        size_of::<Self>() + self.code.capacity() + entry
    }
}

impl Text<'_> {
    /// Takes what a field says about its element of a form.
    pub(super) fn form(&mut self, tag: &Tag<'_>) {
        let Some(field) = self.fields.last_mut().filter(|field| !field.is_result) else { return };
        match (tag.name, &mut field.form) {
            ("checkBox", form) => *form = Form::Box(false),
            ("ddList", form) => *form = Form::Entry(0, Box::default()),
            // The present state follows the one from the start.
            ("default" | "checked", Form::Box(is_checked)) => *is_checked = tag.flag("val").unwrap_or(true),
            ("result", Form::Entry(chosen, _)) => *chosen = tag.number("val").unwrap_or(0),
            ("listEntry", Form::Entry(chosen, text)) => {
                if *chosen == 0 {
                    *text = one_line(&tag.get("val").unwrap_or_default()).into();
                }
                *chosen = chosen.wrapping_sub(1);
            }
            _ => {}
        }
    }

    /// The beginning of a field, of what it shows, or its end.
    pub(super) fn field(&mut self, kind: &str) {
        let written = self.writer.written;
        match kind {
            "begin" if self.fields.len() < FIELDS => self.fields.push(Field { written, ..Field::default() }),
            "begin" => {}
            "separate" => {
                let Some(field) = self.fields.last_mut() else { return };
                (field.is_result, field.written) = (true, written);
                if let Some(target) = link_of(&std::mem::take(&mut field.code)) {
                    field.is_link = true;
                    self.with_paragraph(|paragraph, writer, _| paragraph.begin_link(writer, target));
                }
            }
            _ => {
                let Some(field) = self.fields.pop() else { return };
                if field.is_link {
                    self.with_paragraph(|paragraph, writer, _| paragraph.end_link(writer));
                }
                match field.form {
                    Form::Box(_) | Form::Entry(..) if field.written < written => {}
                    Form::None => {}
                    Form::Box(is_checked) => self.write(if is_checked { "☒" } else { "☐" }),
                    Form::Entry(_, text) => self.write(&text),
                }
            }
        }
    }

    /// Takes a part of the code of a field.
    pub(super) fn code(&mut self, content: &str) {
        if let Some(field) = self.fields.last_mut().filter(|field| !field.is_result) {
            let room = CODE.saturating_sub(field.code.len());
            field.code.push_str(start_of(content, room));
        }
    }
}

/// The address to which a field is a link; `None` for other fields, and for a place in the document.
pub(super) fn link_of(code: &str) -> Option<String> {
    let (name, rest) = code.trim_start().split_at_checked("HYPERLINK".len())?;
    let rest = Some(rest.trim_start()).filter(|_| name.eq_ignore_ascii_case("HYPERLINK"))?;
    let target = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split_whitespace().next(),
    };
    target.filter(|target| target.contains(':')).map(address)
}
