//! Calls that read packages, and images inside of them as plain values.

use anyread_core::allowed::Allowed;
use anyread_core::cache::FileState;
use anyread_core::engine::OpenedFile;
use anyread_core::error::{Error, ErrorKind, Result};
use anyread_core::package::{ChartTable, Package, Picture};
use anyread_core::sheet::format::shown_number;
use anyread_core::stream::Stream;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::cancel::{Cancel, interruptible};
use crate::errors;
use crate::opened::Opened;

/// The most bytes that finding a part may inflate.
const DIRECTORY_BYTES: u64 = 64 << 20;

/// The name of its part, media type, width and height in pixels, and the size in bytes.
pub type PyPicture = (String, String, Option<(usize, usize)>, u64);

/// An image as a tuple.
pub fn as_tuple(picture: Picture) -> PyPicture {
    (picture.part, picture.media_type, picture.size, picture.bytes)
}

/// Runs `work` on an opened file, without the GIL.
pub fn run<T: Send>(
    py: Python<'_>,
    file: &OpenedFile,
    cancel: Option<Py<Cancel>>,
    allowed: &Allowed,
    work: impl FnOnce(&Stream<'_>, Option<FileState>, &Allowed) -> Result<T> + Send,
) -> PyResult<T> {
    let outcome = interruptible(py, cancel, |interrupt| {
        file.with_stream(interrupt, |stream, state| {
            work(stream, state, allowed).map_err(|error| typed(error, stream))
        })
    })?;
    outcome.map_err(|error| errors::to_python(py, error))
}

/// The error of a damaged package with the type that the package declares.
fn typed(error: Error, file: &Stream<'_>) -> Error {
    match error.kind {
        ErrorKind::Damaged { media_type: "application/zip", reason } => {
            let package = Package::open(file, &Allowed::new(DIRECTORY_BYTES));
            let media_type = package.map_or("application/zip", |package| package.media_type);
            Error::new(error.path, ErrorKind::Damaged { media_type, reason })
        }
        _ => error,
    }
}

/// All bytes of a part of a package.
#[pyfunction]
#[pyo3(signature = (opened, part, *, max_bytes, cancel=None))]
pub fn package_part<'py>(
    py: Python<'py>,
    opened: &Bound<'py, Opened>,
    part: &str,
    max_bytes: u64,
    cancel: Option<Py<Cancel>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let file = opened.get().file()?;
    let allowed = Allowed::new(max_bytes.saturating_add(DIRECTORY_BYTES));
    let bytes = run(py, &file, cancel, &allowed, |stream, _, allowed| {
        Package::open(stream, allowed)?.parts(stream, allowed).bytes(part, max_bytes)
    })?;
    errors::bytes(py, &file.path, &bytes)
}

/// What is above the points of the chart with a number, a line for each point from the first on, and how many there
/// are; `None` if there is no such chart.
#[pyfunction]
#[pyo3(signature = (opened, number, *, first, most, max_inflated_bytes, cancel=None))]
pub fn chart_points(
    py: Python<'_>,
    opened: &Bound<'_, Opened>,
    number: usize,
    first: usize,
    most: usize,
    max_inflated_bytes: u64,
    cancel: Option<Py<Cancel>>,
) -> PyResult<Option<(String, Vec<String>, usize)>> {
    let file = opened.get().file()?;
    let begin = first.saturating_sub(1);
    let points = begin..begin.saturating_add(most);
    let found = run(py, &file, cancel, &Allowed::new(max_inflated_bytes), |stream, _, allowed| {
        let package = Package::open(stream, allowed)?;
        package.parts(stream, allowed).numbered_chart(number, points, shown_number)
    })?;
    Ok(found.map(|ChartTable { head, rows, points, .. }| (head, rows, points)))
}
