//! What a slide refers to: images, charts, diagrams and comments.

use std::collections::HashMap;
use std::ffi::OsStr;

use super::walk::Walk;
use super::{Picture, target};
use crate::error::Result;
use crate::inflate::Checkpoints;
use crate::package::{Parts, Relation, find_target};
use crate::sniff::{SNIFF_BYTES, sniff};
use crate::xml::{Event, start_of};

/// The bytes of an image that are searched for its size, and the most bytes of the title of a chart.
const HEADER: usize = 64 << 10;
const LONGEST_TITLE: usize = 1_024;
/// The most authors of comments.
const AUTHORS: usize = 4_096;

/// What is known about an image by its first bytes; `None` if there is no such part.
pub fn picture(parts: Parts<'_>, part: &str) -> Result<Option<Picture>> {
    let Some(packed) = parts.locate(part)? else { return Ok(None) };
    let mut content = parts.content(packed, Checkpoints::new(u64::MAX))?;
    let bytes = packed.content.map_or(packed.end - packed.begin, |(bytes, _)| bytes);
    let size = |head: &[u8]| imagesize::blob_size(head).ok().map(|size| (size.width, size.height));
    let head = content.ahead(SNIFF_BYTES)?;
    let extension = part.rsplit_once('.').map_or("unknown", |(_, extension)| start_of(extension, 16));
    let media_type = Some(sniff(head, OsStr::new("")).media_type)
        .filter(|media_type| media_type.starts_with("image/"))
        .map_or_else(|| format!("image/{}", extension.to_ascii_lowercase()), ToOwned::to_owned);
    // The headers of JPEG files may be long.
    let found = size(head);
    let size =
        if found.is_none() && media_type == "image/jpeg" { size(content.ahead(HEADER)?) } else { found };
    Ok(Some(Picture { media_type, size, bytes }))
}

/// The line that names a chart: its title, and how many series it has.
pub fn chart(parts: Parts<'_>, part: &str) -> Result<String> {
    let (mut title, mut series) = (String::new(), 0_u64);
    // The levels of the chart and of its own title; axes have titles, too.
    let (mut of_chart, mut of_title, mut is_text) = (None, None, false);
    let Some(mut xml) = parts.xml(part)? else { return Ok("[chart]\n".to_owned()) };
    let mut depth = 0_u32;
    loop {
        match xml.next()? {
            Event::Start(tag) => {
                depth += 1;
                match tag.name {
                    "chart" => of_chart = of_chart.or(Some(depth)),
                    "title" if of_chart.is_some_and(|level| level + 1 == depth) => of_title = Some(depth),
                    "ser" | "series" => series += 1,
                    "t" | "v" => is_text = of_title.is_some(),
                    _ => {}
                }
            }
            Event::End(name) => {
                depth = depth.saturating_sub(1);
                is_text = false;
                if name == "p" && of_title.is_some() {
                    title.push(' ');
                } else if name == "title" && of_title == Some(depth + 1) {
                    of_title = None;
                }
            }
            Event::Text(text, _) if is_text && title.len() < LONGEST_TITLE => {
                title.push_str(start_of(text, LONGEST_TITLE));
            }
            Event::Text(..) => {}
            Event::Done => break,
        }
    }
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let separator = if title.is_empty() { "" } else { "; " };
    let counted = if series == 0 { String::new() } else { format!("{separator}{series} series") };
    Ok(format!("[chart: {title}{counted}]\n"))
}

/// The comments on a slide, with the names of their authors, up to so many bytes.
pub fn comments(
    parts: Parts<'_>,
    part: &str,
    authors: &HashMap<String, String>,
    most: usize,
) -> Result<Vec<(String, String)>> {
    let (mut found, mut bytes): (Vec<(String, String)>, usize) = (Vec::new(), 0);
    let Some(mut xml) = parts.xml(part)? else { return Ok(found) };
    let mut is_text = false;
    // The comments that are open: answers are inside of what they answer, and before its own text.
    let mut open: Vec<usize> = Vec::new();
    while bytes < most {
        match xml.next()? {
            // Newer files have answers, and texts of paragraphs.
            Event::Start(tag) if matches!(tag.name, "cm" | "reply") => {
                let author = authors.get(&*tag.get("authorId").unwrap_or_default());
                bytes += 64;
                open.push(found.len());
                found.push((author.cloned().unwrap_or_default(), String::new()));
            }
            Event::Start(tag) => is_text = matches!(tag.name, "t" | "text"),
            Event::End(name) => {
                is_text = false;
                if matches!(name, "cm" | "reply") {
                    open.pop();
                } else if let Some((_, text)) =
                    open.last().and_then(|at| found.get_mut(*at)).filter(|_| name == "p")
                {
                    text.push(' ');
                }
            }
            Event::Text(text, _) if is_text => {
                bytes += text.len();
                if let Some((_, comment)) = open.last().and_then(|at| found.get_mut(*at)) {
                    comment.push_str(text);
                }
            }
            Event::Text(..) => {}
            Event::Done => break,
        }
    }
    Ok(found.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect())
}

/// The names of the authors of comments by their numbers.
pub fn authors(parts: Parts<'_>, relations: &[Relation]) -> Result<HashMap<String, String>> {
    let mut found = HashMap::new();
    let of_authors = |kind: &str| find_target(relations, kind).map(|part| parts.xml(part)).transpose();
    for kind in ["commentAuthors", "authors"] {
        let Some(mut xml) = of_authors(kind)?.flatten() else { continue };
        loop {
            match xml.next()? {
                Event::Start(tag) if matches!(tag.name, "cmAuthor" | "author") && found.len() < AUTHORS => {
                    let name = tag.get("name").unwrap_or_default();
                    let id = tag.get("id").unwrap_or_default();
                    found.insert(start_of(&id, 256).to_owned(), start_of(&name, 256).to_owned());
                }
                Event::Done => break,
                _ => {}
            }
        }
    }
    Ok(found)
}

/// The text of a diagram ("SmartArt"): that of the shapes that it was last drawn with, else that of its data.
pub fn diagram(parts: Parts<'_>, relations: &[Relation], data: &str, most: usize) -> Result<String> {
    let mut walk = Walk::new(None, &[], most);
    if parts.locate(data)?.is_some() {
        walk.run(parts, data)?;
    }
    let text = |walk: Walk<'_>| walk.shapes.into_iter().map(|shape| shape.text).collect::<String>();
    if let Some(part) = target(relations, &walk.drawing) {
        let mut drawn = Walk::new(None, &[], most);
        if parts.locate(part)?.is_some() {
            drawn.run(parts, part)?;
        }
        if !drawn.shapes.is_empty() {
            return Ok(text(drawn));
        }
    }
    Ok(text(walk))
}
