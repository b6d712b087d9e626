//! Content types and relationships: which part is the document, and where the others are.
//!
//! Source: ECMA-376-2, sections 9 and 10.

use super::Parts;
use super::directory::comparable;
use crate::error::Result;
use crate::xml::Event;

/// The most relationships of a part, and the most bytes of all of them.
const RELATIONS: usize = 65_536;
const RELATION_BYTES: usize = 16 << 20;
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
    pub id: String,
    /// What the target is, the last step of its URI: `worksheet`, `image`.
    pub kind: String,
    /// The name of a part, or if it is external, an address.
    pub target: String,
    /// Whether the target is outside of the package.
    pub is_external: bool,
}

/// The name of the part of the first relationship of a kind.
#[must_use]
pub fn find_target<'r>(relations: &'r [Relation], kind: &str) -> Option<&'r str> {
    relations.iter().find(|found| found.kind == kind && !found.is_external).map(|found| &*found.target)
}

/// The relationships of a part; of the package, if the name is empty.
pub fn read(parts: Parts<'_>, part: &str) -> Result<Vec<Relation>> {
    let (directory, file) = part.rsplit_once('/').unwrap_or(("", part));
    let slash = if directory.is_empty() { "" } else { "/" };
    let mut found = Vec::new();
    let mut bytes = 0;
    let Some(mut xml) = parts.xml(&format!("{directory}{slash}_rels/{file}.rels"))? else { return Ok(found) };
    loop {
        match xml.next()? {
            Event::Start(tag) if tag.name == "Relationship" => {
                let (Some(id), Some(kind), Some(target)) =
                    (tag.get("Id"), tag.get("Type"), tag.get("Target"))
                else {
                    continue;
                };
                let is_external = tag.get("TargetMode").is_some_and(|mode| mode == "External");
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                let target = if is_external { target.into_owned() } else { resolved(directory, &target) };
                bytes += id.len() + kind.len() + target.len();
                found.push(Relation { id: id.into_owned(), kind, target, is_external });
                if found.len() > RELATIONS || bytes > RELATION_BYTES {
                    return Err(parts.damaged("a part has too many relationships"));
                }
            }
            Event::Done => return Ok(found),
            _ => {}
        }
    }
}

/// The name of the part that a target names from a directory.
fn resolved(directory: &str, target: &str) -> String {
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
    steps.join("/")
}

/// The part where the document begins, and the document's media type; `None` if the file is no document.
pub fn main_part(parts: Parts<'_>) -> Result<Option<(String, &'static str)>> {
    let Some(mut types) = parts.xml("[Content_Types].xml")? else { return Ok(None) };
    let mut overrides: Vec<(String, &'static str)> = Vec::new();
    let mut defaults: Vec<(String, &'static str)> = Vec::new();
    loop {
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
    let relations = read(parts, "")?;
    if let Some(main) = find_target(&relations, "officeDocument") {
        let name = comparable(main);
        let by_extension = || defaults.iter().find(|(extension, _)| name.ends_with(&format!(".{extension}")));
        let found = overrides.iter().find(|(other, _)| *other == name).or_else(by_extension);
        if let Some((_, media_type)) = found.filter(|_| parts.package.has(main)) {
            return Ok(Some((main.to_owned(), media_type)));
        }
    }
    Ok(overrides.into_iter().find(|(name, _)| parts.package.has(name)))
}
