//! Notebooks as small Python objects: texts already cut to what a page may show, and sizes of the rest.

use std::ops::Range;

use anyread_core::lock::NoLockHeld;
use anyread_core::memory;
use anyread_core::notebook::{
    self as core, Broken, CellOutput, Checks, Datum, Fault, ImageFault, JsonPosition, Refused, Stopped,
    Style, is_image,
};
use anyread_core::scan::{Interrupt, Never};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::arguments::PyGutter;
use crate::cancel::{Cancel, interruptible};
use crate::errors;
use crate::opened::Opened;

/// A notebook: its cells and their contents.
#[pyclass(frozen, module = "anyread._native")]
pub struct Notebook {
    notebook: core::Notebook,
}

impl Drop for Notebook {
    /// Frees the memory without the GIL, because that takes milliseconds for a large file.
    #[allow(clippy::disallowed_methods)]
    fn drop(&mut self) {
        // Other threads run meanwhile and may acquire any lock.
        let _proof = NoLockHeld::check();
        let notebook = std::mem::take(&mut self.notebook);
        Python::try_attach(|py| py.detach(|| drop(notebook)));
    }
}

/// The line and character in the file of something that is not shown.
type PyPlace = (usize, usize);

/// A cell as a page shows it.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct ShownCell {
    number: usize,
    kind: String,
    id: Option<String>,
    execution_count: Option<i64>,
    source: String,
    text: String,
    more_chars: usize,
    hidden: Vec<PyPlace>,
    pictures: Vec<Py<ShownImage>>,
    attachments: Vec<Py<ShownPart>>,
    more_attachments: usize,
    outputs: Vec<Py<ShownPart>>,
    more_outputs: usize,
    more_at: Option<PyPlace>,
}

/// An output or an attachment as a page shows it.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct ShownPart {
    kind: String,
    name: Option<String>,
    execution_count: Option<i64>,
    media_type: Option<String>,
    plain: String,
    text: String,
    bytes: usize,
    hidden: Vec<PyPlace>,
    image: Option<Py<ShownImage>>,
    pictures: Vec<Py<ShownImage>>,
    others: Vec<(String, usize)>,
    more_others: usize,
    at: Option<PyPlace>,
}

/// An image that is not decoded yet.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct ShownImage {
    media_type: String,
    bytes: usize,
    size: Option<(usize, usize)>,
    range: (usize, usize),
}

/// A cell as stored in the file, under the names of nbformat 4.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct NotebookCell {
    kind: String,
    id: Option<String>,
    execution_count: Option<i64>,
    source: String,
    outputs: Vec<Py<NotebookOutput>>,
}

/// An output as stored in the file, under the names of nbformat 4.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct NotebookOutput {
    kind: String,
    name: Option<String>,
    execution_count: Option<i64>,
    ename: Option<String>,
    evalue: Option<String>,
    traceback: Vec<String>,
    text: String,
    data: Vec<(String, Option<String>, usize)>,
}

/// A file, or what is in it.
#[derive(FromPyObject)]
enum Data<'py> {
    File(Bound<'py, Opened>),
    Bytes(Bound<'py, PyBytes>),
}

#[pymethods]
impl Notebook {
    /// Parses a file; raises `ValueError(line, column, code, detail)` for an invalid notebook, or
    /// `MemoryError`.
    #[new]
    #[pyo3(signature = (data, cancel=None))]
    fn new(py: Python<'_>, data: Data<'_>, cancel: Option<Py<Cancel>>) -> PyResult<Self> {
        let parsed = match data {
            Data::File(opened) => {
                let file = opened.get().file()?;
                let read = |interrupt: &dyn Interrupt| {
                    file.contents().map(|bytes| core::Notebook::parse(bytes, interrupt))
                };
                interruptible(py, cancel, read)?.map_err(|error| errors::to_python(py, error))?
            }
            Data::Bytes(data) => {
                let bytes = data.as_bytes();
                interruptible(py, cancel, |interrupt| core::Notebook::parse(bytes, interrupt))?
            }
        };
        match parsed {
            Ok(notebook) => Ok(Self { notebook }),
            Err(Refused::Broken(Broken { line, column, fault })) => {
                let (code, detail) = match fault {
                    Fault::TooLarge => ("too_large", None),
                    Fault::NoCells => ("no_cells", None),
                    Fault::NotAList(name) => ("not_a_list", Some(name.to_owned())),
                    Fault::Syntax(message) => ("syntax", Some(message)),
                };
                Err(PyValueError::new_err((line, column, code, detail)))
            }
            Err(Refused::Cancelled) => Err(errors::cancelled()),
            Err(Refused::OutOfMemory) => Err(PyMemoryError::new_err("no memory for a copy of the notebook")),
        }
    }

    #[getter]
    fn nbformat(&self) -> Option<i64> {
        self.notebook.nbformat
    }

    #[getter]
    fn nbformat_minor(&self) -> Option<i64> {
        self.notebook.nbformat_minor
    }

    #[getter]
    fn language_info(&self) -> Option<&str> {
        self.notebook.language_info.as_deref()
    }

    #[getter]
    fn kernel_language(&self) -> Option<&str> {
        self.notebook.kernel_language.as_deref()
    }

    #[getter]
    fn cell_count(&self) -> usize {
        self.notebook.cell_count()
    }

    #[getter]
    fn lossy(&self) -> bool {
        self.notebook.lossy
    }

    /// Shows cells, counted from 0, up to and including the one that makes their text exceed `max_bytes`.
    #[pyo3(signature = (
        start, stop, *, gutter, max_line_chars, max_source_bytes, max_output_bytes, max_bytes, cancel=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "the limits of a page, by name")]
    fn show(
        &self,
        py: Python<'_>,
        start: usize,
        stop: usize,
        gutter: &Bound<'_, PyAny>,
        max_line_chars: usize,
        max_source_bytes: usize,
        max_output_bytes: usize,
        max_bytes: usize,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<Vec<ShownCell>> {
        errors::has_memory(self.notebook.has_memory(start, stop, max_bytes))?;
        let gutter = gutter.extract::<PyGutter>()?.gutter;
        let shown = interruptible(py, cancel, |interrupt| {
            let style = Style { gutter: &gutter, max_line_chars, max_source_bytes, max_output_bytes };
            self.notebook.show(start, stop, &style, max_bytes, interrupt)
        })?;
        let shown = shown.map_err(stopped)?;
        shown.into_iter().zip(start + 1..).map(|(cell, number)| shown_cell(py, cell, number)).collect()
    }

    /// Decodes images; for one that cannot be decoded, the list contains the code of its fault.
    fn images<'py>(&self, py: Python<'py>, ranges: Vec<(usize, usize)>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        // The text of the base64, and the bytes.
        let bytes: usize = ranges.iter().map(|(start, end)| end.saturating_sub(*start)).sum();
        errors::has_memory(memory::has_memory(bytes.saturating_mul(2)))?;
        let decoded = py.detach(|| {
            let checks = Checks::new(&Never);
            ranges.into_iter().map(|range| self.notebook.image(range, &checks)).collect::<Result<Vec<_>, _>>()
        });
        let decoded = decoded.map_err(stopped)?;
        let to_python = |image: Result<Vec<u8>, ImageFault>| match image {
            Ok(bytes) => Ok(copied(py, &bytes)?.into_any()),
            Err(fault) => Ok(PyString::new(py, fault.code()).into_any()),
        };
        decoded.into_iter().map(to_python).collect()
    }

    /// The cells as stored in the file, counted from 0.
    fn cells(&self, py: Python<'_>, start: usize, stop: usize) -> PyResult<Vec<NotebookCell>> {
        errors::has_memory(self.notebook.has_memory(start, stop, usize::MAX))?;
        let range = start..stop.min(self.notebook.cell_count());
        let written = py.detach(|| self.written(range)).map_err(stopped)?;
        written
            .into_iter()
            .map(|(mut cell, outputs)| {
                let outputs = outputs.into_iter().map(|output| Py::new(py, output));
                cell.outputs = outputs.collect::<PyResult<_>>()?;
                Ok(cell)
            })
            .collect()
    }
}

/// The exception for work that ended early.
fn stopped(stopped: Stopped) -> PyErr {
    match stopped {
        Stopped::Cancelled => errors::cancelled(),
        Stopped::OutOfMemory => PyMemoryError::new_err(()),
    }
}

impl Notebook {
    fn written(&self, range: Range<usize>) -> Result<Vec<(NotebookCell, Vec<NotebookOutput>)>, Stopped> {
        let checks = &Checks::new(&Never);
        let mut written = Vec::new();
        for index in range {
            let Some(cell) = self.notebook.cell(index, checks)? else { break };
            let outputs = cell.all_outputs(checks)?;
            let outputs = outputs.iter().map(|output| written_output(output, checks));
            let outputs = outputs.collect::<Result<_, _>>()?;
            let source = cell.source_text(checks)?;
            let (kind, id, execution_count) = (cell.kind, cell.id, cell.execution_count);
            let cell = NotebookCell { kind, id, execution_count, source, outputs: Vec::new() };
            written.push((cell, outputs));
        }
        Ok(written)
    }
}

/// Copies bytes to a Python object without the GIL.
fn copied<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, bytes.len(), |target| {
        py.detach(|| target.copy_from_slice(bytes));
        Ok(())
    })
}

fn shown_cell(py: Python<'_>, cell: core::ShownCell, number: usize) -> PyResult<ShownCell> {
    let parts = |parts: Vec<core::ShownPart>| -> PyResult<Vec<Py<ShownPart>>> {
        parts.into_iter().map(|part| Py::new(py, shown_part(py, part)?)).collect()
    };
    Ok(ShownCell {
        number,
        kind: cell.kind,
        id: cell.id,
        execution_count: cell.execution_count,
        source: cell.source.plain,
        text: cell.source.text,
        more_chars: cell.source.more_chars,
        hidden: cell.source.hidden.into_iter().map(py_place).collect(),
        pictures: shown_images(py, cell.pictures)?,
        attachments: parts(cell.attachments)?,
        more_attachments: cell.more_attachments,
        outputs: parts(cell.outputs)?,
        more_outputs: cell.more_outputs,
        more_at: cell.more_at.map(py_place),
    })
}

fn shown_part(py: Python<'_>, part: core::ShownPart) -> PyResult<ShownPart> {
    let image = part.image.map(|image| shown_image(py, image)).transpose()?;
    Ok(ShownPart {
        kind: part.kind,
        name: part.name,
        execution_count: part.execution_count,
        media_type: part.media_type,
        plain: part.passage.plain,
        text: part.passage.text,
        bytes: part.passage.bytes,
        hidden: part.passage.hidden.into_iter().map(py_place).collect(),
        image,
        pictures: shown_images(py, part.pictures)?,
        others: part.others,
        more_others: part.more_others,
        at: part.at.map(py_place),
    })
}

fn shown_image(py: Python<'_>, image: core::ShownImage) -> PyResult<Py<ShownImage>> {
    let core::ShownImage { media_type, bytes, size, range } = image;
    Py::new(py, ShownImage { media_type, bytes, size, range })
}

fn shown_images(py: Python<'_>, images: Vec<core::ShownImage>) -> PyResult<Vec<Py<ShownImage>>> {
    images.into_iter().map(|image| shown_image(py, image)).collect()
}

fn py_place(place: JsonPosition) -> PyPlace {
    (place.line, place.column)
}

fn written_output(output: &CellOutput<'_>, checks: &Checks<'_>) -> Result<NotebookOutput, Stopped> {
    // Only the size of an image is returned, because its base64 is of no use undecoded.
    let datum = |datum: &Datum<'_>| {
        let text = if is_image(&datum.media_type) { None } else { Some(datum.decoded(checks)?) };
        Ok((datum.media_type.clone(), text, datum.content.value.len()))
    };
    Ok(NotebookOutput {
        kind: output.kind.clone(),
        name: output.name.clone(),
        execution_count: output.execution_count,
        ename: output.ename.clone(),
        evalue: output.evalue.clone(),
        traceback: output.traceback_lines(checks).collect::<Result<_, _>>()?,
        text: output.text.iter().map(|text| text.decoded(checks)).collect::<Result<_, _>>()?,
        data: output.data.all.iter().map(datum).collect::<Result<_, Stopped>>()?,
    })
}
