//! What a workbook consists of: its sheets, styles and shared strings.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Known;
use super::rows::SheetKnown;
use super::strings::StringsKnown;
use super::styles::Styles;
use crate::allowed::Allowed;
use crate::error::{Error, ErrorKind, Result};
use crate::lock::Lock;
use crate::package::{Package, is_of_part};
use crate::stream::Stream;
use crate::xml::{Event, start_of};

/// The most sheets of a workbook, and the most bytes of a name; Excel allows 31 characters.
const SHEETS: usize = 4_096;
pub(super) const LONGEST_NAME: usize = 256;

/// What a text takes besides its bytes.
const EACH: usize = 16;

/// Whether a sheet is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetState {
    /// Its tab is shown.
    Visible,
    /// The user hid it.
    Hidden,
    /// Only a macro can show it.
    VeryHidden,
}

/// What a sheet has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetKind {
    /// Cells.
    Table,
    /// A chart.
    Chart,
    /// A dialog, or Excel 4 macros.
    Other,
    /// Nothing, because its part is not in the file.
    Missing,
}

/// A sheet.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// Its name.
    pub name: String,
    /// Whether it is shown.
    pub state: SheetState,
    /// What it has.
    pub kind: SheetKind,
    /// The name of its part.
    pub(super) part: Box<str>,
}

impl Sheet {
    /// Its memory in bytes.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.name.len() + self.part.len() + 2 * EACH
    }
}

/// An opened workbook, and what is known about its parts.
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one workbook")]
pub struct Workbook {
    pub(super) package: Package,
    /// Its sheets in the order of their tabs.
    pub sheets: Vec<Sheet>,
    /// Whether its dates count from 1904.
    pub is_1904: bool,
    /// Whether it has macros.
    pub has_macros: bool,
    /// Whether it refers to other workbooks.
    pub has_external_links: bool,
    /// Whether its styles are missing or damaged, so that numbers are shown as stored.
    pub has_no_styles: bool,
    pub(super) styles: Styles,
    /// The name of the part of the shared strings.
    pub(super) strings_part: Option<String>,
    known: Lock<Known>,
    /// The memory of what is known, in bytes.
    bytes: AtomicU64,
}

impl Workbook {
    /// Reads what the workbook consists of, but no cells.
    ///
    /// # Errors
    /// Those of [`Package::open`]; [`ErrorKind::UnsupportedFormat`] if it is no workbook.
    pub fn read(file: &Stream<'_>, allowed: &Allowed) -> Result<Self> {
        let package = Package::open(file, allowed)?;
        let is_workbook =
            package.media_type.contains("spreadsheetml") || package.media_type.contains("ms-excel");
        if !is_workbook || package.media_type.contains("binary") {
            let media_type = package.media_type.to_owned();
            let kind = ErrorKind::UnsupportedFormat { media_type, size_bytes: file.end() };
            return Err(Error::new(file.path(), kind));
        }
        let known = Known { strings: StringsKnown::new(), sheets: HashMap::new() };
        let mut workbook = Self {
            package,
            sheets: Vec::new(),
            is_1904: false,
            has_macros: false,
            has_external_links: false,
            has_no_styles: false,
            styles: Styles::default(),
            strings_part: None,
            known: Lock::new(known),
            bytes: AtomicU64::new(0),
        };
        workbook.fill(file, allowed).map_err(|error| workbook.named(error))?;
        Ok(workbook)
    }

    fn fill(&mut self, file: &Stream<'_>, allowed: &Allowed) -> Result<()> {
        let parts = self.package.parts(file, allowed);
        let relations = parts.relations(&self.package.main)?;
        let Some(mut xml) = parts.xml(&self.package.main)? else {
            return Err(parts.damaged("its main part is missing"));
        };
        loop {
            match xml.next()? {
                Event::Start(tag) if tag.name == "workbookPr" => {
                    // An extension may have another element of that name.
                    self.is_1904 |= tag.flag("date1904") == Some(true);
                }
                Event::Start(tag) if tag.name == "sheet" => {
                    if self.sheets.len() == SHEETS {
                        let size = SHEETS as u64 + 1;
                        let kind = ErrorKind::TooLarge { size, maximum: SHEETS as u64, unit: "sheets" };
                        return Err(Error::new(file.path(), kind));
                    }
                    let id = tag.prefixed("id").or_else(|| tag.get("id"));
                    let relation = id.as_deref().and_then(|id| relations.get(id));
                    let state = match tag.get("state").as_deref() {
                        Some("hidden") => SheetState::Hidden,
                        Some("veryHidden") => SheetState::VeryHidden,
                        _ => SheetState::Visible,
                    };
                    let kind = match relation.map(|relation| &*relation.kind) {
                        Some("worksheet") | None => SheetKind::Table,
                        Some("chartsheet") => SheetKind::Chart,
                        Some(_) => SheetKind::Other,
                    };
                    let name = start_of(&tag.get("name").unwrap_or_default(), LONGEST_NAME).to_owned();
                    let part = relation.map(|relation| relation.target.clone()).unwrap_or_default();
                    let is_missing = kind == SheetKind::Table && !self.package.has(&part);
                    let kind = if is_missing { SheetKind::Missing } else { kind };
                    let sheet = Sheet { name, state, kind, part };
                    parts.keep(sheet.bytes())?;
                    self.sheets.push(sheet);
                }
                Event::Start(tag) if tag.name == "externalReference" => self.has_external_links = true,
                Event::Done => break,
                _ => {}
            }
        }
        // Also where nothing refers to them.
        self.has_macros = self.package.names().any(|name| name.ends_with("vbaproject.bin"));
        self.has_external_links |= self.package.names().any(|name| name.contains("/externallinks/"));
        self.strings_part = relations.find("sharedStrings").map(str::to_owned);
        if let Some(part) = relations.find("styles") {
            match parts.xml(part).and_then(|xml| xml.map(|mut xml| Styles::read(&mut xml)).transpose()) {
                Ok(Some(styles)) => self.styles = styles,
                Ok(None) => self.has_no_styles = true,
                Err(error) if is_of_part(&error) => self.has_no_styles = true,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The index of a sheet by its name; by letter case and spaces around it only if no name is exact.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        let folded = |name: &str| name.trim().to_lowercase();
        let exact = self.sheets.iter().position(|sheet| sheet.name == name);
        exact.or_else(|| self.sheets.iter().position(|sheet| folded(&sheet.name) == folded(name)))
    }

    /// The error that the file at a path has no such sheet.
    #[must_use]
    pub fn no_such_sheet(&self, path: &Path, sheet: String) -> Error {
        // Those that are shown, or all if none is.
        let are_shown = self.sheets.iter().any(|sheet| sheet.state == SheetState::Visible);
        let named = self.sheets.iter().filter(|sheet| !are_shown || sheet.state == SheetState::Visible);
        let sheets = named.map(|sheet| sheet.name.clone()).collect();
        Error::new(path, ErrorKind::NoSuchSheet { sheet, sheets })
    }

    /// The media type of the file.
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        self.package.media_type
    }

    pub(super) fn strings_known(&self) -> StringsKnown {
        self.known.lock().strings.clone()
    }

    pub(super) fn sheet_known(&self, sheet: usize) -> SheetKnown {
        self.known.lock().sheets.get(&sheet).cloned().unwrap_or_else(SheetKnown::new)
    }

    /// Keeps what is known about the strings, unless another call found more meanwhile.
    pub(super) fn keep_strings(&self, found: &StringsKnown) {
        let mut known = self.known.lock();
        if found.reach() >= known.strings.reach() {
            known.strings = found.clone();
        }
        self.bytes.store(known.bytes(), Ordering::Relaxed);
    }

    /// Keeps what is known about a sheet, unless another call found more meanwhile.
    pub(super) fn keep_sheet(&self, sheet: usize, found: &SheetKnown) {
        let mut known = self.known.lock();
        if known.sheets.get(&sheet).is_none_or(|other| found.reach() >= other.reach()) {
            known.sheets.insert(sheet, found.clone());
        }
        self.bytes.store(known.bytes(), Ordering::Relaxed);
    }

    /// The memory of what is known about it, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let sheets: usize = self.sheets.iter().map(Sheet::bytes).sum();
        self.bytes.load(Ordering::Relaxed) + self.package.bytes() + self.styles.bytes() + sheets as u64
    }
}

impl Known {
    fn bytes(&self) -> u64 {
        self.strings.bytes() + self.sheets.values().map(SheetKnown::bytes).sum::<u64>()
    }
}
