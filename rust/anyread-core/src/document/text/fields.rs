//! Fields: their code, which may be a link, and what they show.

use super::Text;
use crate::package::address;
use crate::xml::start_of;

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
}

impl Field {
    /// Its memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.code.capacity()
    }
}

impl Text<'_> {
    /// The beginning of a field, of what it shows, or its end.
    pub(super) fn field(&mut self, kind: &str) {
        match kind {
            "begin" if self.fields.len() < FIELDS => self.fields.push(Field::default()),
            "begin" => {}
            "separate" => {
                let Some(field) = self.fields.last_mut() else { return };
                field.is_result = true;
                if let Some(target) = link_of(&std::mem::take(&mut field.code)) {
                    field.is_link = true;
                    self.with_paragraph(|paragraph, writer, _| paragraph.begin_link(writer, target));
                }
            }
            _ => {
                if self.fields.pop().is_some_and(|field| field.is_link) {
                    self.with_paragraph(|paragraph, writer, _| paragraph.end_link(writer));
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
