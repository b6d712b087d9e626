//! Local copies of files that are elsewhere, which `anyread.sources` fills.

use std::path::PathBuf;
use std::sync::Arc;

use anyread_core::copies::{FarState, PartialCopy as CoreCopy};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::arguments::path_from;
use crate::waiting::without_gil;

/// A copy of one version of a file that is elsewhere. It takes the space of what is present of it.
#[pyclass(frozen, module = "anyread._native")]
pub struct PartialCopy {
    /// The copy, which calls in other threads may use meanwhile.
    pub inner: Arc<CoreCopy>,
}

/// The `OSError` with its number, or a `ValueError` for bytes that the file does not have.
fn os_error(error: &std::io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(errno) => PyOSError::new_err((errno, error.to_string())),
        None => PyValueError::new_err(error.to_string()),
    }
}

#[pymethods]
#[expect(clippy::needless_pass_by_value, reason = "extracted values are owned")]
impl PartialCopy {
    /// A copy of which nothing is present; `real_path` is as bytes for the operating system.
    #[new]
    #[pyo3(signature = (*, size, version, is_settled, modified_ns, real_path, counts))]
    fn new(
        size: u64,
        version: String,
        is_settled: bool,
        modified_ns: i64,
        real_path: &[u8],
        counts: bool,
    ) -> PyResult<Self> {
        let real_path: PathBuf = path_from(real_path).into_owned();
        let state = FarState { size, version, is_settled, modified_ns, real_path, counts };
        Ok(Self { inner: Arc::new(CoreCopy::new(state).map_err(|error| os_error(&error))?) })
    }

    /// Its number in this process, which `NeedsBytes` has.
    #[getter]
    fn number(&self) -> u64 {
        self.inner.present().number()
    }

    /// How many bytes of it are present.
    #[getter]
    fn present_bytes(&self) -> u64 {
        self.inner.present().bytes()
    }

    /// Writes bytes of the file, which are present from then on.
    fn add(&self, py: Python<'_>, offset: u64, data: PyBackedBytes) -> PyResult<()> {
        without_gil(py, || self.inner.add(offset, &data)).map_err(|error| os_error(&error))
    }

    /// The part of some bytes that must be fetched before they can be read: where it starts and ends.
    fn missing(&self, offset: u64, length: u64) -> Option<(u64, u64)> {
        self.inner.present().missing(offset, length).map(|range| (range.start, range.end))
    }

    /// Records the number of LF in the file; returns whether that agrees with what is known.
    fn add_total(&self, total: u64) -> bool {
        self.inner.present().add_total(total)
    }

    /// Records the LF in steps of `step` bytes; returns whether they agree with what is known.
    fn add_counts(&self, start: u64, step: u64, counts: Vec<u64>) -> bool {
        self.inner.present().add_counts(start, step, &counts)
    }
}
