//! The entries of a directory, converted one at a time: other threads run in between.

use std::path::PathBuf;
use std::vec::IntoIter;

use anyread_core::open::DirectoryEntry;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;

/// Name, kind, whether it is a link, and size in bytes.
type EntryFields<'py> = (Bound<'py, PyBytes>, &'static str, bool, u64);

/// An iterator over the entries of a directory.
#[pyclass(module = "anyread._native")]
pub struct EntryIterator {
    /// The directory.
    pub path: PathBuf,
    /// The entries that follow.
    pub entries: IntoIter<DirectoryEntry>,
}

#[pymethods]
impl EntryIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<EntryFields<'py>>> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        let name = errors::bytes(py, &self.path, entry.name.as_os_str().as_encoded_bytes())?;
        Ok(Some((name, entry.kind.name(), entry.is_link, entry.size_bytes)))
    }
}
