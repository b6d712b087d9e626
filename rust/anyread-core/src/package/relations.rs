//! Content types and relationships: which part is the document, and where the others are.
//!
//! Source: ECMA-376-2, sections 9 and 10.

use super::directory::{LONGEST_NAME, comparable};
use super::{Parts, is_of_part};
use crate::error::Result;
use crate::xml::{Event, Tag, start_of};

/// The most relationships of a part; the most bytes of an ID, and of the last step of a type.
const RELATIONS: usize = 65_536;
const LONGEST_ID: usize = 256;
const LONGEST_KIND: usize = 64;
/// What a short text takes besides its bytes.
const EACH: usize = 24;
/// The most bytes of an address that is shown.
const LONGEST_LINK: usize = 2_048;
/// The most parts with the type of a main part.
const MAIN_PARTS: usize = 64;

/// The media types of documents. The content type of a main part is that of its document with another ending.
static DOCUMENTS: [&str; 17] = [
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
    "application/vnd.ms-excel.sheet.macroEnabled.12",
    "application/vnd.ms-excel.template.macroEnabled.12",
    "application/vnd.ms-excel.addin.macroEnabled.12",
    "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    "application/vnd.ms-word.document.macroEnabled.12",
    "application/vnd.ms-word.template.macroEnabled.12",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
    "application/vnd.openxmlformats-officedocument.presentationml.template",
    "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.12",
    "application/vnd.ms-powerpoint.template.macroEnabled.12",
    "application/vnd.ms-powerpoint.addin.macroEnabled.12",
];
static ENDINGS: [&str; 3] = [".main+xml", ".main", "template.main+xml"];

/// The media type of a document whose main part has a content type.
fn document_type(content_type: &str) -> Option<&'static str> {
    let content_type = content_type.split(';').next().unwrap_or_default().trim();
    DOCUMENTS.into_iter().find(|document| {
        let stem = document.strip_suffix(".12").unwrap_or(document);
        let parts = content_type.split_at_checked(stem.len());
        parts.is_some_and(|(start, end)| {
            start.eq_ignore_ascii_case(stem) && ENDINGS.iter().any(|other| end.eq_ignore_ascii_case(other))
        })
    })
}

/// A relationship of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// Its name in the part.
    pub id: Box<str>,
    /// What the target is, the last step of its URI: `worksheet`, `image`.
    pub kind: Box<str>,
    /// The name of a part, or if it is external, an [`address`]; empty if it is too long for either.
    pub target: Box<str>,
    /// Whether the target is outside of the package.
    pub is_external: bool,
}

/// The relationships of a part.
#[derive(Debug, Default)]
pub struct Relations {
    /// In the order of the file.
    found: Vec<Relation>,
    /// Their indexes in the order of their IDs, since a part may look up very many of them.
    by_id: Vec<u32>,
    bytes: usize,
}

impl Relations {
    /// The relationship with an ID; the first one counts.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Relation> {
        let at = self.by_id.partition_point(|&at| self.id(at) < id);
        self.by_id.get(at).and_then(|&at| self.found.get(at as usize)).filter(|found| &*found.id == id)
    }

    /// The name of the part that the relationship with an ID refers to.
    #[must_use]
    pub fn part(&self, id: &str) -> Option<&str> {
        self.get(id).filter(|found| !found.is_external).map(|found| &*found.target)
    }

    /// The address to which a tag is a link; `None` if it leads to a part.
    #[must_use]
    pub fn link(&self, tag: &Tag<'_>) -> Option<&str> {
        self.get(&tag.prefixed("id")?).filter(|found| found.is_external).map(|found| &*found.target)
    }

    /// The name of the part of the first relationship of a kind.
    #[must_use]
    pub fn find(&self, kind: &str) -> Option<&str> {
        self.internal().find(|found| &*found.kind == kind).map(|found| &*found.target)
    }

    /// Those that refer to parts, in the order of the file.
    pub fn internal(&self) -> impl Iterator<Item = &Relation> {
        self.found.iter().filter(|found| !found.is_external)
    }

    /// Their memory in bytes, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn id(&self, at: u32) -> &str {
        self.found.get(at as usize).map_or("", |found| &found.id)
    }
}

impl Relation {
    fn bytes(&self) -> usize {
        let texts: usize = [&self.id, &self.kind, &self.target].iter().map(|text| text.len() + EACH).sum();
        size_of::<Self>() + size_of::<u32>() + texts
    }
}

/// The relationships of a part; of the package, if the name is empty. Of links to the outside, those that are wanted
/// by their IDs are kept.
pub fn read(parts: Parts<'_>, part: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Relations> {
    let (directory, file) = part.rsplit_once('/').unwrap_or(("", part));
    let slash = if directory.is_empty() { "" } else { "/" };
    let mut relations = Relations::default();
    let Some(mut xml) = parts.xml(&format!("{directory}{slash}_rels/{file}.rels"))? else {
        return Ok(relations);
    };
    loop {
        match xml.next()? {
            Event::Start(tag) if tag.name == "Relationship" => {
                let (Some(id), Some(kind), Some(target)) =
                    (tag.get("Id"), tag.get("Type"), tag.get("Target"))
                else {
                    continue;
                };
                let is_external = tag.get("TargetMode").is_some_and(|mode| mode == "External");
                if id.len() > LONGEST_ID || (is_external && !is_wanted(&id)) {
                    continue;
                }
                let kind = start_of(kind.rsplit('/').next().unwrap_or_default(), LONGEST_KIND);
                let target =
                    if is_external { address(&target).into() } else { named(parts, directory, &target) };
                let relation = Relation { id: (&*id).into(), kind: kind.into(), target, is_external };
                parts.keep(relation.bytes())?;
                relations.bytes += relation.bytes();
                relations.found.push(relation);
                if relations.found.len() > RELATIONS {
                    return Err(parts.damaged("a part has too many relationships"));
                }
            }
            Event::Done => break,
            _ => {}
        }
    }
    relations.found.shrink_to_fit();
    relations.by_id = (0..).take(relations.found.len()).collect();
    relations.by_id.sort_by(|&a, &b| relations.found[a as usize].id.cmp(&relations.found[b as usize].id));
    Ok(relations)
}

/// An address as Markdown has it; empty if it is too long.
#[must_use]
pub fn address(target: &str) -> String {
    let mut shown = String::new();
    for character in target.chars().filter(|_| target.len() <= LONGEST_LINK) {
        match character {
            '(' => shown.push_str("%28"),
            ')' => shown.push_str("%29"),
            blank if blank.is_whitespace() || blank.is_control() => shown.push_str("%20"),
            other => shown.push(other),
        }
    }
    shown
}

/// The name of the part that a target names from a directory, which some programs write as a URI.
fn named(parts: Parts<'_>, directory: &str, target: &str) -> Box<str> {
    let name = resolved(directory, target);
    if !name.contains('%') || parts.package.has(&name) {
        return name;
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = &*name;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let code = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(b'%'));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).map_or(name, String::into_boxed_str)
}

/// The name of the part that a target names from a directory; empty if no part can have it.
fn resolved(directory: &str, target: &str) -> Box<str> {
    let target = target.replace('\\', "/");
    let target = target.split('#').next().unwrap_or_default();
    let from = if target.starts_with('/') { "" } else { directory };
    let mut steps: Vec<&str> = Vec::new();
    for step in from.split('/').chain(target.split('/')) {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    let name = steps.join("/");
    if name.len() > LONGEST_NAME { Box::default() } else { name.into() }
}

/// The part where the document begins, and the document's media type; `None` if the file is no document.
pub fn main_part(parts: Parts<'_>) -> Result<Option<(String, &'static str)>> {
    let mut overrides: Vec<(String, &'static str)> = Vec::new();
    let mut defaults: Vec<(String, &'static str)> = Vec::new();
    let mut types = parts.xml("[Content_Types].xml")?;
    while let Some(types) = &mut types {
        match types.next()? {
            Event::Start(tag) if overrides.len() + defaults.len() < MAIN_PARTS => {
                let declared = tag.get("ContentType");
                let Some(media_type) = declared.and_then(|declared| document_type(&declared)) else {
                    continue;
                };
                match (tag.get("PartName"), tag.get("Extension")) {
                    (Some(name), _) => overrides.push((comparable(&name), media_type)),
                    (None, Some(extension)) => defaults.push((extension.to_ascii_lowercase(), media_type)),
                    (None, None) => {}
                }
            }
            Event::Done => break,
            _ => {}
        }
    }
    let relations = read(parts, "", |_| false)?;
    if let Some(main) = relations.find("officeDocument") {
        let name = comparable(main);
        let by_extension = || defaults.iter().find(|(extension, _)| name.ends_with(&format!(".{extension}")));
        let found = overrides.iter().find(|(other, _)| *other == name).or_else(by_extension);
        if let Some((_, media_type)) = found.filter(|_| parts.package.has(main)) {
            return Ok(Some((main.to_owned(), media_type)));
        }
    }
    if let Some(found) = overrides.into_iter().find(|(name, _)| parts.package.has(name)) {
        return Ok(Some(found));
    }
    let Some(main) = relations.find("officeDocument") else { return Ok(None) };
    Ok(type_by_root(parts, main)?.map(|media_type| (main.to_owned(), media_type)))
}

/// The media type of a document by the first element of its main part, if its declared type is missing or wrong.
fn type_by_root(parts: Parts<'_>, main: &str) -> Result<Option<&'static str>> {
    let Some(mut xml) = parts.xml(main)? else { return Ok(None) };
    match xml.next() {
        Ok(Event::Start(tag)) => Ok(match tag.name {
            "workbook" => Some(DOCUMENTS[0]),
            "document" => Some(DOCUMENTS[6]),
            "presentation" => Some(DOCUMENTS[10]),
            _ => None,
        }),
        Err(error) if !is_of_part(&error) => Err(error),
        _ => Ok(None),
    }
}
