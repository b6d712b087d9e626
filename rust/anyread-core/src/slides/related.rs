//! What a slide refers to: diagrams and comments.

use std::collections::HashMap;

use super::walk::Walk;
use crate::error::Result;
use crate::package::{Parts, Relations, mark_of};
use crate::xml::Event;

/// What a comment takes besides its texts, in bytes.
const EACH: usize = 128;

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
                let author = author.cloned().unwrap_or_default();
                bytes += EACH + author.len();
                open.push(found.len());
                found.push((author, String::new()));
            }
            Event::Start(tag) => is_text = matches!(tag.name, "t" | "text"),
            Event::End(name) => {
                is_text = false;
                if matches!(name, "cm" | "reply") {
                    open.pop();
                } else if let Some((_, text)) =
                    open.last().and_then(|at| found.get_mut(*at)).filter(|_| name == "p")
                {
                    bytes += 1;
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

/// The text of a diagram, or a mark that says that it is missing or damaged.
pub fn diagram(parts: Parts<'_>, relations: &Relations, data: &str, most: usize) -> Result<String> {
    match diagram_text(parts, relations, data, most) {
        Ok(Some(text)) => Ok(text),
        other => mark_of("diagram", other).map(|mark| mark + "\n"),
    }
}

/// The text of the shapes that a diagram was last drawn with, else that of its data; `None` without this part.
fn diagram_text(parts: Parts<'_>, relations: &Relations, data: &str, most: usize) -> Result<Option<String>> {
    if parts.locate(data)?.is_none() {
        return Ok(None);
    }
    let mut walk = Walk::new(None, None, most);
    walk.run(parts, data)?;
    let text = |walk: Walk<'_>| walk.shapes.into_iter().map(|shape| shape.text).collect::<String>();
    if let Some(part) = relations.part(&walk.drawing) {
        let mut drawn = Walk::new(None, None, most);
        if parts.locate(part)?.is_some() {
            drawn.run(parts, part)?;
        }
        if !drawn.shapes.is_empty() {
            return Ok(Some(text(drawn)));
        }
    }
    Ok(Some(text(walk)))
}
