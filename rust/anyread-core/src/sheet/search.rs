//! The rows of a sheet that match a pattern.

use std::collections::BTreeSet;

use super::cell::{Display, Hit, Owners, StoredRow};
use super::format::DateSystem;
use super::images::CellImages;
use super::rows;
use super::strings;
use super::{BATCH, RowsRequest, SheetKind, Values, Workbook};
use crate::allowed::Allowed;
use crate::error::Result;
use crate::find::{Pattern, SourceFilter};
use crate::package::Parts;
use crate::stream::Stream;

/// The most shared strings that are looked for by their numbers.
const MOST_NUMBERS: usize = 64;
/// What may be shown of a number, a date or a truth value, besides what its format says.
const OF_NUMBERS: &str = "0123456789.,-+%():/ ETRUEFALSE";
const TRUTH_VALUES: &str = "TRUEFALSE";
/// What text has that its markup writes in another way or in several pieces, and formulas without a value, which are
/// shown with `=`.
const REWRITTEN: [&str; 4] = ["&", "_x", r"[tr]>\s*<[^/]", r"f>\s*<(?:/|[^<>]*/>|[^<>]*>\s*</)"];
/// Numbers that are shown with fewer digits or an exponent if they have no format, and dates.
const ROUNDED: [&str; 3] = [r">\s*[-+.0-9]{10}", r"0\.000", r"[.0-9][eET]"];
/// The last row that a sheet can have.
const LAST_ROW: u32 = 1_048_576;

/// Rows that match.
#[derive(Debug, Default)]
pub struct RowHits {
    /// Their numbers.
    pub rows: Vec<u32>,
    /// The last row that was looked at; `None` if all rows were.
    pub last: Option<u32>,
}

impl Workbook {
    /// Finds rows with a cell that matches: at least `most`, if there are so many.
    ///
    /// What is looked at is what a cell shows and the number that it has, and a formula where that is shown.
    ///
    /// # Errors
    /// Those of [`Workbook::rows`].
    pub fn search(
        &self,
        file: &Stream<'_>,
        allowed: &Allowed,
        request: &RowsRequest,
        pattern: &Pattern,
    ) -> Result<RowHits> {
        let outcome = self.find_rows(self.package.parts(file, allowed), request, pattern);
        outcome.map_err(|error| self.named(error))
    }

    fn find_rows(&self, parts: Parts<'_>, request: &RowsRequest, pattern: &Pattern) -> Result<RowHits> {
        let sheet = self.sheets.get(request.sheet).filter(|sheet| sheet.kind == SheetKind::Table);
        let Some(packed) = sheet.map(|sheet| parts.locate(&sheet.part)).transpose()?.flatten() else {
            return Ok(RowHits::default());
        };
        let request = RowsRequest { last: request.last.min(LAST_ROW), ..request.clone() };
        let images = CellImages::default();
        let mut search = Search {
            book: self,
            parts,
            request: &request,
            pattern,
            display: Display {
                styles: &self.styles,
                // There is no text in them.
                images: &images,
                system: if self.is_1904 { DateSystem::From1904 } else { DateSystem::From1900 },
                values: request.values,
                max_chars: request.max_chars,
            },
            strings: self.matching_strings(parts, pattern)?,
            unsure: Vec::new(),
            cells: 0,
            found: BTreeSet::new(),
        };
        let filter = self.filter(&request, pattern, &search.strings);
        let is_wanted = |markup: &[u8]| filter.as_ref().is_none_or(|filter| filter.may_match(markup));
        let mut known = self.sheet_known(request.sheet);
        let mut last = None;
        let is_all = rows::each(parts, packed, &mut known, &request, &is_wanted, &mut |row| {
            parts.require_uninterrupted()?;
            last = Some(row.number);
            search.take(row)
        });
        self.keep_sheet(request.sheet, &known);
        if is_all? {
            last = None;
        }
        search.settle()?;
        Ok(RowHits { rows: search.found.into_iter().collect(), last })
    }

    /// What finds out which rows may match by their markup; `None` if numbers can, or many strings.
    fn filter(&self, request: &RowsRequest, pattern: &Pattern, strings: &[u64]) -> Option<SourceFilter> {
        let formats = self.styles.formats();
        let codes =
            || formats.iter().map(|format| &*format.code).filter(|code| *code != "General" && *code != "@");
        let is_general = codes().next().is_none();
        let may_show =
            if is_general { TRUTH_VALUES } else { OF_NUMBERS }.chars().chain(codes().flat_map(str::chars));
        let adds_to_text = formats.iter().any(|format| format.shown.show_text("x", 1).0 != "x");
        if !pattern.needs_other_than(may_show) || adds_to_text || request.values == Values::Formulas {
            return None;
        }
        let bits = strings.iter().zip((0..).step_by(64)).filter(|(bits, _)| **bits != 0);
        let numbers = bits.flat_map(|(bits, first)| {
            (0..64).filter(move |at| bits >> at & 1 == 1).map(move |at| first + at)
        });
        let numbers: Vec<String> =
            numbers.take(MOST_NUMBERS + 1).map(|number: u64| number.to_string()).collect();
        if numbers.len() > MOST_NUMBERS {
            return None;
        }
        let mut others: Vec<String> = REWRITTEN.map(String::from).into();
        if is_general {
            others.extend(ROUNDED.map(String::from));
        }
        if !numbers.is_empty() {
            others.push(format!(r">\s*(?:{})\s*<", numbers.join("|")));
        }
        pattern.in_source(&others)
    }

    /// Which shared strings match.
    fn matching_strings(&self, parts: Parts<'_>, pattern: &Pattern) -> Result<Vec<u64>> {
        let packed = self.strings_part.as_ref().map(|part| parts.locate(part)).transpose()?.flatten();
        let Some(packed) = packed else { return Ok(Vec::new()) };
        let mut known = self.strings_known();
        let found = strings::matching(parts, packed, &mut known, &|text| matches(pattern, text));
        self.keep_strings(&known);
        found
    }
}

/// Whether a text matches, or would without its marks of what is raised, lowered or struck through.
pub fn matches(pattern: &Pattern, text: &str) -> bool {
    pattern.is_match(text)
        || (text.contains(['~', '^', '_']) && pattern.is_match(&without_marks(&text.replace("~~", ""))))
}

fn without_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        let is_joined = plain.ends_with(|last: char| last.is_alphanumeric() || matches!(last, ')' | ']'))
            && rest
                .peek()
                .is_some_and(|next| next.is_alphanumeric() || matches!(next, '(' | '+' | '-' | '−' | '–'));
        if !(matches!(letter, '^' | '_') && is_joined) {
            plain.push(letter);
        }
    }
    plain
}

/// A search in one row after another.
struct Search<'a> {
    book: &'a Workbook,
    parts: Parts<'a>,
    request: &'a RowsRequest,
    pattern: &'a Pattern,
    display: Display<'a>,
    /// Which shared strings match, a bit for each.
    strings: Vec<u64>,
    /// Rows of which only the shown text can tell, because a format adds something to it; and their cells.
    unsure: Vec<StoredRow>,
    cells: usize,
    found: BTreeSet<u32>,
}

impl Search<'_> {
    /// Looks at a row; returns whether more are needed.
    fn take(&mut self, row: StoredRow) -> Result<bool> {
        let mut is_unsure = false;
        for cell in &row.cells {
            match cell.hit(self.pattern, &self.strings, &self.display) {
                Hit::Yes => {
                    self.found.insert(row.number);
                    return Ok(self.found.len() < self.request.most);
                }
                Hit::Unsure => is_unsure = true,
                Hit::No => {}
            }
        }
        if is_unsure {
            self.cells += row.cells.len();
            self.unsure.push(row);
            if self.cells > BATCH {
                self.settle()?;
            }
        }
        Ok(self.found.len() < self.request.most)
    }

    /// Looks at the rows of which only the shown text can tell.
    fn settle(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.unsure);
        self.cells = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let most = self.request.max_chars;
        let (strings, _) = self.book.strings(self.parts, rows.iter(), most)?;
        for row in rows {
            let number = row.number;
            let shown = row.shown(&strings.found, &Owners::new(), &self.display, &mut Vec::new());
            if shown.cells.iter().any(|cell| matches(self.pattern, &cell.text)) {
                self.found.insert(number);
            }
        }
        Ok(())
    }
}
