//! Images that are the value of a cell, as Excel and as WPS keep them.
//!
//! Source: MS-XLSX, sections 2.3.6 and 2.6.194 (rich values). WPS has no published format.

use std::collections::HashMap;

use super::cell::StoredCell;
use crate::error::Result;
use crate::package::{Parts, Relations};
use crate::xml::{Event, Tag, start_of};

/// The most entries of a table, and what one takes in bytes.
const MOST: usize = 65_536;
const EACH: usize = 32;
const LONGEST_NAME: usize = 256;

/// The parts of images by what their cells have: a number of a rich value, or a name.
#[derive(Debug, Default)]
pub struct CellImages {
    by_value: HashMap<u32, Box<str>>,
    by_name: HashMap<String, Box<str>>,
}

impl CellImages {
    /// The part of the image that a cell shows.
    pub fn part(&self, cell: &StoredCell) -> Option<&str> {
        if self.by_value.is_empty() && self.by_name.is_empty() {
            return None;
        }
        let found = match cell.image_name() {
            Some(name) => self.by_name.get(name),
            None => self.by_value.get(&cell.rich_value?),
        };
        found.map(|part| &**part)
    }

    /// Reads what the workbook with a main part has.
    pub fn read(parts: Parts<'_>, main: &str) -> Result<Self> {
        let relations = parts.internal_relations(main)?;
        let mut images = Self::default();
        if let Some(part) = relations.find("cellImage") {
            let of_part = parts.internal_relations(part)?;
            let mut name = String::new();
            each(parts, Some(part), |tag, _| match tag.name {
                "cNvPr" => start_of(&tag.get("name").unwrap_or_default(), LONGEST_NAME).clone_into(&mut name),
                "blip" => {
                    let target = tag.prefixed("embed").and_then(|id| of_part.part(&id).map(Into::into));
                    images.by_name.extend(target.map(|target| (std::mem::take(&mut name), target)));
                }
                _ => {}
            })?;
        }
        images.read_rich(parts, &relations)?;
        Ok(images)
    }

    /// The number of a rich value leads by several tables to an image.
    fn read_rich(&mut self, parts: Parts<'_>, relations: &Relations) -> Result<()> {
        let Some(targets) = relations.find("richValueRel") else { return Ok(()) };
        let of_part = parts.internal_relations(targets)?;
        let mut found: Vec<Option<Box<str>>> = Vec::new();
        each(parts, Some(targets), |tag, _| {
            if tag.name == "rel" {
                let part = tag.prefixed("id").and_then(|id| of_part.part(&id).map(Into::into));
                found.push(part);
            }
        })?;
        // Which value of each structure says which of these it is; other structures are no images.
        let mut structures: Vec<Option<usize>> = Vec::new();
        let mut keys = 0;
        let part = relations.find("rdRichValueStructure");
        each(parts, part, |tag, _| match tag.name {
            "s" => {
                structures.push(None);
                keys = 0;
            }
            "k" => {
                let is_image = tag.get("n").is_some_and(|name| name == "_rvRel:LocalImageIdentifier");
                if let (Some(structure @ None), true) = (structures.last_mut(), is_image) {
                    *structure = Some(keys);
                }
                keys += 1;
            }
            _ => {}
        })?;
        let mut values: Vec<Option<usize>> = Vec::new();
        let (mut wanted, mut at) = (None, 0);
        each(parts, relations.find("rdRichValue"), |tag, text| match (tag.name, text) {
            ("rv", None) => {
                let structure = tag.number("s").and_then(|at: usize| structures.get(at).copied().flatten());
                wanted = if part.is_none() { Some(0) } else { structure };
                at = 0;
                values.push(None);
            }
            ("v", None) => at += 1,
            ("v", Some(text)) if wanted.is_some_and(|wanted| wanted + 1 == at) => {
                if let Some(value) = values.last_mut() {
                    *value = text.trim().parse().ok();
                }
            }
            _ => {}
        })?;
        let (mut types, mut rich, mut cells) = (0, None, Vec::new());
        let (mut blocks, mut is_rich, mut is_of_cells) = (Vec::new(), false, false);
        each(parts, relations.find("sheetMetadata"), |tag, _| match tag.name {
            "metadataType" => {
                types += 1;
                rich = rich
                    .or_else(|| tag.get("name").is_some_and(|name| name == "XLRICHVALUE").then_some(types));
            }
            "futureMetadata" => is_rich = tag.get("name").is_some_and(|name| name == "XLRICHVALUE"),
            "rvb" if is_rich => blocks.push(tag.number::<usize>("i")),
            "cellMetadata" | "valueMetadata" => is_of_cells = tag.name == "valueMetadata",
            "rc" if is_of_cells => {
                cells.push(tag.number("v").filter(|_: &usize| tag.number::<u32>("t") == rich));
            }
            _ => {}
        })?;
        for (number, block) in (1..).zip(cells) {
            let value = block.and_then(|block| *blocks.get(block)?).and_then(|value| *values.get(value)?);
            if let Some(part) = value.and_then(|image| found.get(image)?.clone()) {
                parts.keep(EACH + part.len())?;
                self.by_value.insert(number, part);
            }
        }
        Ok(())
    }
}

/// Passes the tags of a part, and each text with the tag before it; at most so many, each of which may be kept.
fn each(parts: Parts<'_>, part: Option<&str>, mut take: impl FnMut(&Tag<'_>, Option<&str>)) -> Result<()> {
    let Some(mut xml) = part.map(|part| parts.xml(part)).transpose()?.flatten() else { return Ok(()) };
    let mut last = String::new();
    for _ in 0..MOST {
        match xml.next()? {
            Event::Start(tag) => {
                parts.keep(EACH)?;
                tag.name.clone_into(&mut last);
                take(&tag, None);
            }
            Event::Text(text, _) => take(&Tag::parse(&last), Some(text)),
            Event::End(_) => last.clear(),
            Event::Done => break,
        }
    }
    Ok(())
}
