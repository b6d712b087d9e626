//! Marks of what is no text: images, charts, embedded files.

use std::fmt::Write as _;

use crate::error::Result;
use crate::package::{LONGEST, Parts, Picture, Relations, mark_of, one_line};
use crate::xml::{Event, start_of};

/// The most texts of a diagram.
const TEXTS: usize = 1_000;

/// An image by its number, its type, its size and what it is said to show.
pub(super) fn image(picture: Option<&Picture>, number: u64, description: &str) -> String {
    let mut mark = format!("[image {number}");
    if let Some(picture) = picture {
        let _ = write!(mark, " · {}", picture.media_type);
        if let Some((width, height)) = picture.size {
            let _ = write!(mark, " · {width}×{height}");
        }
        let _ = write!(mark, " · {}", in_kilobytes(picture.bytes));
    } else {
        mark += " · not in this file";
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

/// An embedded file by the name of its program and its part, or another document by its address.
pub(super) fn object(relations: &Relations, id: &str, program: &str) -> String {
    match relations.get(id).map(|found| &*found.target).filter(|target| !target.is_empty()) {
        Some(target) => format!("[object: {} in {}]", one_line(program), one_line(target)),
        None => format!("[object: {}]", one_line(program)),
    }
}

/// A diagram by its texts.
pub(super) fn diagram(parts: Parts<'_>, part: Option<&str>) -> Result<String> {
    mark_of("diagram", part.map_or(Ok(None), |part| texts_of(parts, part)))
}

fn texts_of(parts: Parts<'_>, part: &str) -> Result<Option<String>> {
    let Some(mut xml) = parts.xml(part)? else { return Ok(None) };
    let (mut texts, mut is_text) = (Vec::new(), false);
    while texts.len() < TEXTS {
        match xml.next()? {
            Event::Start(tag) => match tag.name {
                "t" => is_text = true,
                "p" => texts.push(String::new()),
                _ => {}
            },
            Event::End(name) => is_text &= name != "t",
            Event::Text(text, _) if is_text => {
                if let Some(last) = texts.last_mut().filter(|last| last.len() < LONGEST) {
                    last.push_str(start_of(text, LONGEST));
                }
            }
            Event::Text(..) => {}
            Event::Done => break,
        }
    }
    texts.retain(|text| !text.trim().is_empty());
    let texts = texts.iter().map(|text| one_line(text)).collect::<Vec<_>>().join(", ");
    Ok(Some(if texts.is_empty() { "[diagram]".to_owned() } else { format!("[diagram: {texts}]") }))
}

/// Whether Markdown would take a text at the beginning of a line for a heading.
pub(crate) fn looks_like_heading(text: &str) -> bool {
    let rest = text.trim_start_matches('#');
    (1..=6).contains(&(text.len() - rest.len())) && (rest.is_empty() || rest.starts_with([' ', '\t']))
}
