//! Lines of documents.

use anyread_core::document::{self as core, Rendering};
use anyread_core::lines::{Line, Wanted};
use pyo3::prelude::*;

use crate::cancel::Cancel;
use crate::opened::Opened;
use crate::packages::{PyPicture, as_tuple, run};

/// Number, text, the characters of the whole line, and images, each after so many characters.
type PyLine = (u64, String, u64, Vec<(u64, PyPicture)>);

/// Lines of a document, and what was found on the way to them.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct DocumentLines {
    lines: Vec<PyLine>,
    total: Option<u64>,
    images: u64,
    tracked_changes: u64,
    hidden_runs: u64,
    is_lossy: bool,
    has_macros: bool,
}

/// Shows lines of a document of Word.
#[pyfunction]
#[pyo3(signature = (opened, *, first, lines, column, chars, max_bytes, max_inflated_bytes, index_bytes, cancel=None))]
#[expect(clippy::too_many_arguments, reason = "the limits of a page, by name")]
pub fn document_lines(
    py: Python<'_>,
    opened: &Bound<'_, Opened>,
    first: u64,
    lines: u64,
    column: u64,
    chars: u64,
    max_bytes: usize,
    max_inflated_bytes: u64,
    index_bytes: u64,
    cancel: Option<Py<Cancel>>,
) -> PyResult<DocumentLines> {
    let wanted = Wanted { first, lines, column, chars, bytes: max_bytes };
    let file = opened.get().file()?;
    let (found, media_type) = run(py, &file, cancel, max_inflated_bytes, |stream, snapshot, allowed| {
        let document = core::open(stream, snapshot, allowed, index_bytes)?;
        Ok((document.lines(stream, allowed, wanted)?, document.media_type()))
    })?;
    let Rendering { lines, pictures, images, tracked_changes, hidden_runs } = found;
    let picture = |(at, index): (u64, usize)| Some((at, as_tuple(pictures.get(index)?.clone())));
    let line = |line: Line| {
        let images = line.images.into_iter().filter_map(picture).collect();
        (line.number, line.text, line.chars, images)
    };
    Ok(DocumentLines {
        total: lines.total,
        is_lossy: lines.is_lossy,
        lines: lines.lines.into_iter().map(line).collect(),
        images,
        tracked_changes,
        hidden_runs,
        has_macros: media_type.contains("macroEnabled"),
    })
}
