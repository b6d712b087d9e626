//! What a name stands for: a defined name of the workbook or of a sheet, or a table.
//!
//! Both are looked for when one is asked for, and nothing else of them is kept.
//!
//! Source: ECMA-376-1, sections 18.2.5 and 18.5.1.2.

use super::{Workbook, workbook::LONGEST_NAME};
use crate::allowed::Allowed;
use crate::error::Result;
use crate::package::{Parts, is_of_part};
use crate::stream::Stream;
use crate::xml::{Event, Tag, start_of};

/// The most bytes of a reference; one that is longer has no single range.
const LONGEST_REFERENCE: usize = 1_024;

impl Workbook {
    /// What a name refers to, as written: `'My notes'!$A$1:$C$9`. With the index of a sheet, only its own names count;
    /// otherwise those of the workbook come first, then those of sheets, then tables.
    ///
    /// # Errors
    /// Those of [`Workbook::rows`].
    pub fn refers_to(
        &self,
        file: &Stream<'_>,
        allowed: &Allowed,
        name: &str,
        sheet: Option<usize>,
    ) -> Result<Option<String>> {
        let name = name.to_lowercase();
        let defined = defined(self.package.parts(file, allowed), &self.package.main, &name, sheet)?;
        if defined.is_some() || sheet.is_some() {
            return Ok(defined);
        }
        for sheet in &self.sheets {
            let allowed = allowed.anew();
            match table(self.package.parts(file, &allowed), &sheet.part, &name) {
                Ok(Some(area)) => return Ok(Some(format!("'{}'!{area}", sheet.name.replace('\'', "''")))),
                Err(error) if !is_of_part(&error) => return Err(error),
                _ => {}
            }
        }
        Ok(None)
    }
}

fn has_name(tag: &Tag<'_>, attribute: &str, name: &str) -> bool {
    tag.get(attribute).is_some_and(|other| start_of(&other, LONGEST_NAME).to_lowercase() == name)
}

/// What the defined name of a sheet or of the workbook refers to; without a sheet, the first of any sheet if the
/// workbook has none.
fn defined(parts: Parts<'_>, main: &str, name: &str, sheet: Option<usize>) -> Result<Option<String>> {
    let Some(mut xml) = parts.xml(main)? else { return Ok(None) };
    let (mut scope, mut found) = (None, None);
    loop {
        match xml.next()? {
            Event::Start(tag) => {
                let is_wanted = tag.name == "definedName" && has_name(&tag, "name", name);
                scope = is_wanted.then(|| tag.number::<usize>("localSheetId"));
            }
            Event::Text(text, _) if scope.is_some_and(|scope| scope == sheet) => {
                return Ok(Some(start_of(text, LONGEST_REFERENCE).to_owned()));
            }
            Event::Text(text, _) if scope.is_some() && sheet.is_none() && found.is_none() => {
                found = Some(start_of(text, LONGEST_REFERENCE).to_owned());
            }
            Event::Done => return Ok(found),
            _ => {}
        }
    }
}

/// The cells of the table with a name on the sheet with a part.
fn table(parts: Parts<'_>, sheet: &str, name: &str) -> Result<Option<String>> {
    for relation in parts.internal_relations(sheet)?.internal().filter(|found| &*found.kind == "table") {
        let Some(mut xml) = parts.xml(&relation.target)? else { continue };
        let mut event = xml.next()?;
        while matches!(event, Event::Text(..)) {
            event = xml.next()?;
        }
        if let Event::Start(tag) = event
            && has_name(&tag, "displayName", name)
        {
            return Ok(tag.get("ref").map(|area| start_of(&area, LONGEST_REFERENCE).to_owned()));
        }
    }
    Ok(None)
}
