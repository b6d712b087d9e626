//! A directory that is open for listing.

use std::path::Path;

use anyread_core::ignore_rules::is_ignored;
use anyread_core::lock::NoLockHeld;
use anyread_core::open::{Listing, display_path};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::cancel::{Cancel, interruptible};
use crate::errors;
use crate::ignore_rules::IgnoreFile;
use crate::waiting::without_gil;

/// How many names are compared with rules between two checks whether to stop.
const NAMES_PER_CHECK: usize = 1024;

/// Name, kind, whether it is a link, size in bytes, and the path in a link.
type EntryFields = (String, &'static str, bool, u64, Option<String>);

/// A directory, and the names of its entries in order.
#[pyclass(module = "anyread._native")]
pub struct Directory {
    /// The open directory; `None` once it was closed.
    listing: Option<Listing>,
    /// The path as given, with bytes that are not UTF-8 escaped.
    #[pyo3(get)]
    path: String,
    /// The absolute path of the directory, links followed.
    #[pyo3(get)]
    resolved_path: String,
    /// The state of the directory, for `since_version`.
    #[pyo3(get)]
    state: String,
    /// The time of the last modification, in nanoseconds since 1970 in UTC.
    #[pyo3(get)]
    modified_ns: i64,
    /// Notices about the path, and others that are set.
    #[pyo3(get, set)]
    notices: Py<PyAny>,
    /// How many entries deny rules leave out.
    #[pyo3(get)]
    denied: usize,
    /// How many entries `leave_out` removed.
    #[pyo3(get)]
    ignored: usize,
    /// Whether all names were read; otherwise there are too many.
    #[pyo3(get)]
    is_complete: bool,
}

impl Directory {
    /// Wraps an open directory and its notices.
    pub fn new(given: &Path, listing: Listing, notices: Py<PyAny>) -> Self {
        Self {
            path: display_path(given),
            resolved_path: display_path(&listing.real_path),
            state: listing.snapshot.to_string(),
            modified_ns: listing.snapshot.modified_ns,
            notices,
            denied: listing.denied,
            ignored: 0,
            is_complete: listing.complete,
            listing: Some(listing),
        }
    }

    fn open(&self) -> PyResult<&Listing> {
        self.listing.as_ref().ok_or_else(closed)
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("the directory is closed")
}

#[pymethods]
impl Directory {
    /// The media type of every directory.
    #[classattr]
    fn media_type() -> &'static str {
        "inode/directory"
    }

    /// A directory is not text.
    #[classattr]
    fn is_text() -> bool {
        false
    }

    /// Not promised: the size of a file changes without a trace in its directory.
    #[classattr]
    fn version() -> &'static str {
        ""
    }

    /// The size of a directory says nothing about its entries.
    #[classattr]
    fn size_bytes() -> u64 {
        0
    }

    /// The absolute path, as bytes for the operating system.
    #[getter]
    fn real_path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.open()?.real_path.as_os_str().as_encoded_bytes()))
    }

    /// Whether it is unchanged: a listing is of the moment.
    #[expect(clippy::unused_self, reason = "an opened file answers the same question")]
    fn recheck(&self) -> bool {
        true
    }

    fn __len__(&self) -> PyResult<usize> {
        self.open().map(Listing::len)
    }

    /// Removes `.git` and the entries that ignore files name, and counts them.
    ///
    /// `prefix` is the path of the directory in its project, with a slash; `cancel` as for opening it.
    #[pyo3(signature = (prefix, rules, cancel=None))]
    #[expect(clippy::needless_pass_by_value, reason = "extracted values are owned")]
    fn leave_out(
        &mut self,
        py: Python<'_>,
        prefix: &Bound<'_, PyString>,
        rules: Vec<Py<IgnoreFile>>,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<()> {
        let mut path = prefix.to_string_lossy().into_owned();
        let start = path.len();
        let rules: Vec<_> = rules.iter().map(|rules| &rules.get().inner).collect();
        let listing = self.listing.as_mut().ok_or_else(closed)?;
        let (ignored, is_cancelled) = interruptible(py, cancel, |interrupt| {
            let (mut seen, mut is_cancelled) = (0_usize, false);
            let ignored = listing.retain(|name, is_directory| {
                is_cancelled |=
                    seen.is_multiple_of(NAMES_PER_CHECK) && interrupt.interrupted(NoLockHeld::check());
                seen += 1;
                if is_cancelled {
                    return true;
                }
                path.truncate(start);
                path.push_str(&String::from_utf8_lossy(name));
                if is_directory {
                    path.push('/');
                }
                name != b".git" && !is_ignored(&path, &rules)
            });
            (ignored, is_cancelled)
        })?;
        self.ignored = ignored;
        if is_cancelled { Err(errors::cancelled()) } else { Ok(()) }
    }

    /// An entry, counted from 0, as it is now.
    fn entry(&self, py: Python<'_>, index: usize) -> PyResult<EntryFields> {
        let listing = self.open()?;
        let found = without_gil(py, || listing.entry(index));
        let entry = found.ok_or_else(|| PyValueError::new_err("there are not so many entries"))?;
        let target = entry.target.as_deref().map(display_path);
        Ok((display_path(&entry.name), entry.kind.name(), entry.is_link, entry.size_bytes, target))
    }

    /// Closes it; what it is remains known.
    fn close(&mut self) {
        self.listing = None;
    }
}
