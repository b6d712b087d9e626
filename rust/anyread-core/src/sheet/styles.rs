//! The number formats of a workbook, by the numbers of styles that cells have.

use std::collections::HashMap;

use super::format::{NumberFormat, builtin};
use crate::error::Result;
use crate::xml::{Event, Xml};

/// The most formats, and the most styles of cells; Excel has 65,490.
const MOST: usize = 65_536;
/// The most bytes of all codes.
const CODE_BYTES: usize = 1 << 20;
const GENERAL: &str = "General";

/// Number formats.
#[derive(Debug)]
pub struct Styles {
    /// Each code, and what it means; the first is the one of cells without a style.
    formats: Vec<(String, NumberFormat)>,
    /// The index of the format of each style.
    of_style: Vec<usize>,
}

impl Default for Styles {
    fn default() -> Self {
        Self { formats: vec![(GENERAL.to_owned(), NumberFormat::parse(GENERAL))], of_style: Vec::new() }
    }
}

impl Styles {
    /// Reads the part of the styles.
    pub fn read(xml: &mut Xml<'_>) -> Result<Self> {
        let mut codes: HashMap<u32, String> = HashMap::new();
        let mut styles = Self::default();
        let mut indexes: HashMap<u32, usize> = HashMap::from([(0, 0)]);
        let mut is_of_cells = false;
        let mut bytes = 0;
        loop {
            match xml.next()? {
                Event::Start(tag) if tag.name == "numFmt" && codes.len() < MOST => {
                    if let (Some(id), Some(code)) = (tag.number("numFmtId"), tag.get("formatCode")) {
                        let code = code.into_owned();
                        bytes += code.len();
                        if bytes > CODE_BYTES {
                            return Err(xml.damaged("its number formats have more than 1 MiB"));
                        }
                        codes.insert(id, code);
                    }
                }
                Event::Start(tag) if tag.name == "cellXfs" => is_of_cells = true,
                Event::End("cellXfs") | Event::Done => return Ok(styles),
                Event::Start(tag) if is_of_cells && tag.name == "xf" && styles.of_style.len() < MOST => {
                    let id = tag.number("numFmtId").unwrap_or(0);
                    let formats = &mut styles.formats;
                    let index = *indexes.entry(id).or_insert_with(|| {
                        let code = codes.get(&id).map(String::as_str).or_else(|| builtin(id));
                        let code = code.unwrap_or(GENERAL);
                        formats.push((code.to_owned(), NumberFormat::parse(code)));
                        formats.len() - 1
                    });
                    styles.of_style.push(index);
                }
                _ => {}
            }
        }
    }

    /// The code of the format of a style, and the format.
    pub fn format(&self, style: usize) -> (&str, &NumberFormat) {
        let index = self.of_style.get(style).copied().unwrap_or(0);
        let (code, format) = self.formats.get(index).unwrap_or(&self.formats[0]);
        (code, format)
    }

    /// Its memory in bytes, about.
    pub fn bytes(&self) -> u64 {
        (self.of_style.capacity() * size_of::<usize>() + self.formats.len() * 512) as u64
    }
}
