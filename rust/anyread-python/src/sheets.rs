//! Workbooks as small Python objects.

use anyread_core::allowed::Allowed;
use anyread_core::cache::Kept;
use anyread_core::error::{Error, ErrorKind, Result};
use anyread_core::find::Pattern;
use anyread_core::package::Package;
use anyread_core::sheet::format::shown_number;
use anyread_core::sheet::{
    self as core, Area, Cell, CellKind, Drawing, DrawingKind, Row, Rows, RowsRequest, SheetKind, SheetState,
    Values,
};
use anyread_core::stream::Stream;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::cancel::Cancel;
use crate::errors;
use crate::find;
use crate::opened::Opened;
use crate::packages::{PyPicture, as_tuple, run};

/// The most bytes that finding out the type of a package may inflate.
const TYPE_BYTES: u64 = 64 << 20;

/// The most characters of a cell that a search looks at.
const LONGEST_CELL: usize = 65_536;

/// Row and column of its cell, what it is, its part or its author, and its text.
type PyDrawing = (u32, u32, &'static str, String, String);

/// First row, first column, last row and last column of an area.
type AreaTuple = (u32, u32, u32, u32);

/// A sheet of a workbook.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct SheetInfo {
    number: usize,
    name: String,
    state: &'static str,
    kind: &'static str,
}

/// A cell with a value or a formula.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct SheetCell {
    column: u32,
    kind: &'static str,
    text: Py<PyAny>,
    chars: u64,
    value: Py<PyAny>,
    formula: Option<String>,
    shared_with: Option<String>,
    image: Option<String>,
}

/// A row with content.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct SheetRow {
    number: u32,
    is_hidden: bool,
    unseen: usize,
    cells: Py<PyTuple>,
}

/// Rows of a sheet, and what is known about the sheet.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct SheetRows {
    rows: Py<PyTuple>,
    next_row: Option<u32>,
    total_rows: Option<u32>,
    dimension: Option<AreaTuple>,
    hidden_columns: Py<PyTuple>,
    merged: Option<Py<PyTuple>>,
    merged_count: u64,
    links: Vec<(AreaTuple, String)>,
    unknown_formats: Py<PyTuple>,
    is_unordered: bool,
    is_lossy: bool,
    is_verified: bool,
}

/// A workbook.
#[pyclass(frozen, module = "anyread._native")]
pub struct Workbook {
    opened: Py<Opened>,
    inner: Kept<core::Workbook>,
    allowed: Allowed,
}

/// The media type of a zip or OLE file by its content.
#[pyfunction]
#[pyo3(signature = (opened, *, cancel=None))]
pub fn package_type(
    py: Python<'_>,
    opened: &Bound<'_, Opened>,
    cancel: Option<Py<Cancel>>,
) -> PyResult<String> {
    let file = opened.get().file()?;
    run(py, &file, cancel, &Allowed::new(TYPE_BYTES), |stream, _, allowed| {
        match Package::open(stream, allowed) {
            Ok(package) => Ok(package.media_type.to_owned()),
            Err(Error { kind: ErrorKind::UnsupportedFormat { media_type, .. }, .. }) => Ok(media_type),
            Err(error) => Err(error),
        }
    })
}

fn area(area: Area) -> AreaTuple {
    (area.first_row, area.first_column, area.last_row, area.last_column)
}

fn cell(py: Python<'_>, cell: Cell) -> PyResult<SheetCell> {
    let text = cell.text.as_str().into_pyobject(py)?.into_any();
    let value = match (cell.kind, cell.number) {
        (CellKind::Empty, _) => py.None().into_bound(py),
        (CellKind::Boolean, _) => text.eq("TRUE")?.into_pyobject(py)?.to_owned().into_any(),
        (_, Some(number)) => number.into_pyobject(py)?.into_any(),
        (_, None) => text.clone(),
    };
    let kind = match cell.kind {
        CellKind::Empty => "empty",
        CellKind::Number => "number",
        CellKind::Date => "date",
        CellKind::Text => "text",
        CellKind::Boolean => "boolean",
        CellKind::Error => "error",
    };
    let (text, value) = (text.unbind(), value.unbind());
    let Cell { column, chars, formula, shared_with, image, .. } = cell;
    Ok(SheetCell { column, kind, text, chars, value, formula, shared_with, image })
}

fn row(py: Python<'_>, row: Row) -> PyResult<SheetRow> {
    let cells = row.cells.into_iter().map(|found| cell(py, found)).collect::<PyResult<Vec<_>>>()?;
    let core::Row { number, is_hidden, unseen, .. } = row;
    Ok(SheetRow { number, is_hidden, unseen, cells: PyTuple::new(py, cells)?.unbind() })
}

fn rows(py: Python<'_>, found: Rows) -> PyResult<SheetRows> {
    let rows = found.rows.into_iter().map(|found| row(py, found)).collect::<PyResult<Vec<_>>>()?;
    let facts = found.facts;
    let merged = facts.merged.map(|merged| PyTuple::new(py, merged.into_iter().map(area)));
    Ok(SheetRows {
        rows: PyTuple::new(py, rows)?.unbind(),
        next_row: found.next_row,
        total_rows: facts.total_rows,
        dimension: facts.dimension.map(area),
        hidden_columns: PyTuple::new(py, facts.hidden_columns)?.unbind(),
        merged: merged.transpose()?.map(Bound::unbind),
        merged_count: facts.merged_count,
        links: found.links.into_iter().map(|(cells, target)| (area(cells), target)).collect(),
        unknown_formats: PyTuple::new(py, found.unknown_formats)?.unbind(),
        is_unordered: facts.is_unordered,
        is_lossy: facts.is_lossy,
        is_verified: found.is_verified,
    })
}

#[pymethods]
impl Workbook {
    /// Opens a workbook, or takes the one that is kept for the state of the file.
    #[new]
    #[pyo3(signature = (opened, *, max_inflated_bytes, cancel=None))]
    fn new(
        py: Python<'_>,
        opened: &Bound<'_, Opened>,
        max_inflated_bytes: u64,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<Self> {
        let file = opened.get().file()?;
        let allowed = Allowed::new(max_inflated_bytes);
        let inner = run(py, &file, cancel, &allowed, core::open)?;
        Ok(Self { opened: opened.clone().unbind(), inner, allowed })
    }

    /// The media type of the file.
    #[getter]
    fn media_type(&self) -> &'static str {
        self.inner.media_type()
    }

    /// Its sheets, in the order of their tabs.
    #[getter]
    fn sheets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let sheets: Vec<SheetInfo> = (0..self.inner.sheets.len()).filter_map(|at| self.info(at)).collect();
        PyTuple::new(py, sheets)
    }

    /// Whether dates count from 1904.
    #[getter]
    fn is_1904(&self) -> bool {
        self.inner.is_1904
    }

    /// Whether it has macros.
    #[getter]
    fn has_macros(&self) -> bool {
        self.inner.has_macros
    }

    /// Whether it refers to other workbooks.
    #[getter]
    fn has_external_links(&self) -> bool {
        self.inner.has_external_links
    }

    #[getter]
    fn has_no_styles(&self) -> bool {
        self.inner.has_no_styles
    }

    /// The sheet with a number, or with a name.
    fn find(&self, py: Python<'_>, sheet: SheetKey) -> PyResult<SheetInfo> {
        let path = &self.opened.get().file()?.path;
        let found = match &sheet {
            SheetKey::Number(number) => number.checked_sub(1).and_then(|index| self.info(index)),
            SheetKey::Name(name) => self.inner.find(name).and_then(|index| self.info(index)),
        };
        let shown = match sheet {
            SheetKey::Number(number) => number.to_string(),
            SheetKey::Name(name) => name,
        };
        found.ok_or_else(|| errors::to_python(py, self.inner.no_such_sheet(path, shown)))
    }

    /// What a defined name refers to, or where a table is; with the number of a sheet, a name of this sheet.
    #[pyo3(signature = (name, *, sheet=None, cancel=None))]
    fn refers_to(
        &self,
        py: Python<'_>,
        name: &str,
        sheet: Option<usize>,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<Option<String>> {
        let index = sheet.map(index_of).transpose()?;
        self.read(py, cancel, |stream, allowed| self.inner.refers_to(stream, allowed, name, index))
    }

    /// Rows of the sheet with a number.
    #[pyo3(signature = (sheet, *, first, last, most, columns=Vec::new(), values="shown", max_cell_chars, max_bytes, cancel=None))]
    #[expect(clippy::too_many_arguments, reason = "the limits of a page, by name")]
    fn rows(
        &self,
        py: Python<'_>,
        sheet: usize,
        first: u64,
        last: u64,
        most: u64,
        columns: Vec<(u32, u32)>,
        values: &str,
        max_cell_chars: usize,
        max_bytes: u64,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<SheetRows> {
        let request = RowsRequest {
            sheet: index_of(sheet)?,
            first: row_of(first.max(1)),
            last: row_of(last),
            most: size_of(most.max(1)),
            columns,
            values: values_of(values)?,
            max_chars: max_cell_chars,
            max_bytes: size_of(max_bytes),
        };
        let found = self.read(py, cancel, |stream, allowed| self.inner.rows(stream, allowed, &request))?;
        rows(py, found)
    }

    /// The numbers of rows that match a pattern, and the last row that was looked at, unless all were.
    #[pyo3(signature = (sheet, *, first, last, most, columns=Vec::new(), values="shown", find, literal, cancel=None))]
    #[expect(clippy::too_many_arguments, reason = "what is looked at, by name")]
    fn search(
        &self,
        py: Python<'_>,
        sheet: usize,
        first: u64,
        last: u64,
        most: u64,
        columns: Vec<(u32, u32)>,
        values: &str,
        find: &str,
        literal: bool,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<(Vec<u32>, Option<u32>)> {
        let request = RowsRequest {
            sheet: index_of(sheet)?,
            first: row_of(first.max(1)),
            last: row_of(last),
            most: size_of(most.max(1)),
            columns,
            values: values_of(values)?,
            max_chars: LONGEST_CELL,
            max_bytes: 0,
        };
        let pattern = Pattern::new(find, literal).map_err(|error| find::to_python(&error))?;
        let found =
            self.read(py, cancel, |stream, allowed| self.inner.search(stream, allowed, &request, &pattern))?;
        Ok((found.rows, found.last))
    }

    /// The drawings of the sheet with a number, by row and column: these, what it is, its part or its author, and its text.
    #[pyo3(signature = (sheet, *, cancel=None))]
    fn drawings(&self, py: Python<'_>, sheet: usize, cancel: Option<Py<Cancel>>) -> PyResult<Vec<PyDrawing>> {
        let index = index_of(sheet)?;
        let found = self.read(py, cancel, |stream, allowed| self.inner.drawings(stream, allowed, index))?;
        let drawing = |found: Drawing| {
            let kind = match found.kind {
                DrawingKind::Image => "image",
                DrawingKind::Chart => "chart",
                DrawingKind::Object => "object",
                DrawingKind::Comment => "comment",
                DrawingKind::Text => "text",
                DrawingKind::Missing => "missing",
                DrawingKind::Damaged => "damaged",
                DrawingKind::Others => "others",
            };
            (found.row, found.column, kind, String::from(found.part), String::from(found.text))
        };
        Ok(found.into_iter().map(drawing).collect())
    }

    /// What is known about the image in each part by its first bytes; `None` if there is no such part.
    #[pyo3(signature = (parts, *, cancel=None))]
    fn pictures(
        &self,
        py: Python<'_>,
        parts: Vec<String>,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<Vec<Option<PyPicture>>> {
        let found: Vec<_> = self.read(py, cancel, |stream, allowed| {
            parts.into_iter().map(|part| self.inner.parts(stream, allowed).picture(&part)).collect()
        })?;
        Ok(found.into_iter().map(|found| found.map(as_tuple)).collect())
    }

    /// The mark of the chart in each part.
    #[pyo3(signature = (parts, *, cancel=None))]
    fn charts(
        &self,
        py: Python<'_>,
        parts: Vec<String>,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<Vec<String>> {
        self.read(py, cancel, |stream, allowed| {
            parts
                .into_iter()
                .map(|part| self.inner.parts(stream, allowed).chart(Some(&part), shown_number))
                .collect()
        })
    }

    /// The number of the last row with content of the sheet with a number.
    #[pyo3(signature = (sheet, *, cancel=None))]
    fn count(&self, py: Python<'_>, sheet: usize, cancel: Option<Py<Cancel>>) -> PyResult<u32> {
        let index = index_of(sheet)?;
        self.read(py, cancel, |stream, allowed| self.inner.count(stream, allowed, index))
    }
}

impl Workbook {
    fn read<T: Send>(
        &self,
        py: Python<'_>,
        cancel: Option<Py<Cancel>>,
        work: impl FnOnce(&Stream<'_>, &Allowed) -> Result<T> + Send,
    ) -> PyResult<T> {
        let file = self.opened.get().file()?;
        run(py, &file, cancel, &self.allowed.anew(), |stream, _, allowed| work(stream, allowed))
    }
}

/// A sheet by its number or by its name.
#[derive(FromPyObject)]
enum SheetKey {
    Number(usize),
    Name(String),
}

fn row_of(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn size_of(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

fn values_of(name: &str) -> PyResult<Values> {
    match name {
        "shown" => Ok(Values::Shown),
        "raw" => Ok(Values::Raw),
        "formulas" => Ok(Values::Formulas),
        _ => Err(PyValueError::new_err(format!("there are no values {name:?}"))),
    }
}

fn index_of(sheet: usize) -> PyResult<usize> {
    sheet.checked_sub(1).ok_or_else(|| PyValueError::new_err("sheets are counted from 1"))
}

impl Workbook {
    fn info(&self, index: usize) -> Option<SheetInfo> {
        let sheet = self.inner.sheets.get(index)?;
        let state = match sheet.state {
            SheetState::Visible => "visible",
            SheetState::Hidden => "hidden",
            SheetState::VeryHidden => "very_hidden",
        };
        let kind = match sheet.kind {
            SheetKind::Table => "table",
            SheetKind::Chart => "chart",
            SheetKind::Other => "other",
            SheetKind::Missing => "missing",
        };
        Some(SheetInfo { number: index + 1, name: sheet.name.clone(), state, kind })
    }
}
