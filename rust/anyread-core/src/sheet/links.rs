//! The links of cells, which come after all rows of a sheet.
//!
//! Source: ECMA-376-1, section 18.3.1.47.

use std::collections::HashSet;

use super::address::Area;
use crate::error::Result;
use crate::inflate::{Checkpoints, Packed};
use crate::package::{Parts, address};
use crate::xml::{Event, Xml, start_of};

/// The most links on some rows, and what each takes besides its texts, in bytes.
const MOST: usize = 1_024;
const EACH: usize = 128;
const LONGEST_ID: usize = 256;

/// Reads the links on the rows from the first to the last one; they begin at an offset of the part.
///
/// Returns the cells of each, and the address or the place in the workbook: `#Notes!A1`.
pub fn read(
    parts: Parts<'_>,
    part: &str,
    (packed, checkpoints, at): (Packed, &Checkpoints, u64),
    (first, last): (u32, u32),
) -> Result<Vec<(Area, String)>> {
    let mut xml = Xml::new(parts.content(packed, checkpoints.clone())?)?;
    xml.seek(at, 1)?;
    let mut links: Vec<(Area, String)> = Vec::new();
    // The IDs of their relationships.
    let mut ids: Vec<String> = Vec::new();
    loop {
        match xml.next()? {
            Event::Start(tag) if tag.name == "hyperlink" => {
                let area = tag.get("ref").and_then(|area| Area::parse(&area));
                let Some(area) = area.filter(|area| area.first_row <= last && first <= area.last_row) else {
                    continue;
                };
                if links.len() < MOST {
                    let id = tag.prefixed("id").unwrap_or_default();
                    let place = tag.get("location").filter(|place| !place.is_empty());
                    let place = place.map_or(String::new(), |place| format!("#{}", address(&place)));
                    parts.keep(EACH + LONGEST_ID + place.len())?;
                    ids.push(start_of(&id, LONGEST_ID).to_owned());
                    links.push((area, place));
                }
            }
            Event::End("hyperlinks") | Event::Done => break,
            _ => {}
        }
    }
    let wanted: HashSet<&str> = ids.iter().map(|id| &**id).collect();
    let relations = parts.some_relations(part, |id| wanted.contains(id))?;
    for ((_, place), id) in links.iter_mut().zip(&ids) {
        if let Some(relation) = relations.get(id).filter(|found| found.is_external) {
            place.insert_str(0, &relation.target);
        }
    }
    links.retain(|(_, place)| !place.is_empty());
    Ok(links)
}
