//! Marks of what is no text: images, charts, embedded files.

use std::fmt::Write as _;

use super::Relations;
use crate::error::Result;
use crate::package::Parts;
use crate::xml::{Event, start_of};

/// The most bytes of a title or a description.
const LONGEST: usize = 500;
/// The most names of series that a chart shows.
const SERIES: usize = 20;

/// An image by its number, its type, its size and what it is said to show.
pub(super) fn image(
    parts: Parts<'_>,
    relations: &Relations,
    id: &str,
    number: u64,
    description: &str,
) -> String {
    let mut mark = format!("[image {number}");
    if let Some(relation) = relations.get(id) {
        let extension = relation.target.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let subtype = match &*extension {
            "jpg" | "jpe" => "jpeg",
            "tif" => "tiff",
            "svg" => "svg+xml",
            known @ ("png" | "jpeg" | "gif" | "bmp" | "tiff" | "webp" | "emf" | "wmf") => known,
            _ => "",
        };
        if !subtype.is_empty() {
            let _ = write!(mark, " · image/{subtype}");
        }
        if relation.is_external {
            mark += " · not in this file";
        } else if let Ok(Some(packed)) = parts.locate(&relation.target)
            && let Some((size, _)) = packed.content
        {
            let _ = write!(mark, " · {}", in_kilobytes(size));
        }
    }
    let description = one_line(description);
    if !description.is_empty() {
        let _ = write!(mark, " · {description}");
    }
    mark + "]"
}

#[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn in_kilobytes(bytes: u64) -> String {
    if bytes < 1000 { format!("{bytes} bytes") } else { format!("{:.1} kB", bytes as f64 / 1000.0) }
}

/// An embedded file by the name of its program and its part.
pub(super) fn object(relations: &Relations, id: &str, program: &str) -> String {
    match relations.get(id).filter(|relation| !relation.is_external) {
        Some(relation) => format!("[object: {} in {}]", one_line(program), one_line(&relation.target)),
        None => format!("[object: {}]", one_line(program)),
    }
}

/// A chart by its title and the names of its series; a diagram by its texts.
pub(super) fn graphic(parts: Parts<'_>, relations: &Relations, id: &str, kind: &str) -> Result<String> {
    let mark = format!("[{kind}]");
    let Some(relation) = relations.get(id).filter(|relation| !relation.is_external) else { return Ok(mark) };
    let Some(mut xml) = parts.xml(&relation.target)? else { return Ok(mark) };
    let (mut title, mut texts) = (String::new(), Vec::new());
    // Whether the text of the title, the name of a series, or any of a diagram comes.
    let (mut is_title, mut is_name, mut is_text) = (false, false, false);
    loop {
        match xml.next()? {
            Event::Start(tag) => match tag.name {
                "title" => is_title = true,
                "plotArea" => is_title = false,
                "tx" => is_name = true,
                "cat" | "val" | "xVal" | "yVal" | "dLbls" | "dPt" => is_name = false,
                "v" | "t" => is_text = true,
                "p" if kind == "diagram" => texts.push(String::new()),
                _ => {}
            },
            Event::End(name) => match name {
                "v" | "t" => is_text = false,
                "title" => is_title = false,
                _ => {}
            },
            Event::Text(text, _) if is_text && is_title => title.push_str(start_of(text, LONGEST)),
            Event::Text(text, _) if is_text && is_name && kind == "chart" => {
                texts.push(start_of(text, LONGEST).to_owned());
                is_name = false;
            }
            Event::Text(text, _) if is_text && kind == "diagram" => {
                if let Some(last) = texts.last_mut().filter(|last| last.len() < LONGEST) {
                    last.push_str(start_of(text, LONGEST));
                }
            }
            Event::Text(..) => {}
            Event::Done => break,
        }
        if title.len() > LONGEST || texts.len() > 50 * SERIES {
            break;
        }
    }
    texts.retain(|text| !text.trim().is_empty());
    let count = texts.len();
    let most = if kind == "chart" { SERIES } else { count };
    let mut names: Vec<String> = texts.iter().take(most).map(|text| one_line(text)).collect();
    if count > most {
        names.push(format!("… {} more", count - most));
    }
    let facts: Vec<String> =
        [one_line(&title), names.join(", ")].into_iter().filter(|fact| !fact.is_empty()).collect();
    Ok(if facts.is_empty() { mark } else { format!("[{kind}: {}]", facts.join("; ")) })
}

/// The beginning of a text, without line breaks.
pub(super) fn one_line(text: &str) -> String {
    let start = start_of(text, LONGEST);
    let mut line = start.split_whitespace().collect::<Vec<_>>().join(" ");
    if start.len() < text.len() {
        line.push('…');
    }
    line
}
