//! A file that the core has opened and recognised, for a format's reader.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use anyread_core::engine::{FileKind, OpenedFile};
use anyread_core::open::display_path;
use anyread_core::source::{Patience, Snapshot, read_stream};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;

/// An opened file; closed when nobody holds it any more.
#[pyclass(frozen, module = "anyread._native")]
pub struct Opened {
    descriptor: OwnedFd,
    snapshot: Snapshot,
    /// The path as given, bytes that are not UTF-8 escaped.
    #[pyo3(get)]
    path: String,
    /// The absolute path of the file, links followed.
    #[pyo3(get)]
    resolved_path: String,
    /// What it is read as.
    #[pyo3(get)]
    kind: &'static str,
    /// The media type that its bytes say.
    #[pyo3(get)]
    media_type: &'static str,
    /// Its state; empty while a rewrite could go unseen.
    #[pyo3(get)]
    version: String,
    /// Its first bytes, as far as opening it has read them.
    #[pyo3(get)]
    head: Py<PyBytes>,
    /// Whether `head` is all of it, as it was in one moment.
    #[pyo3(get)]
    is_whole: bool,
    /// What is to be known of how it was found.
    #[pyo3(get)]
    notices: Py<PyAny>,
}

impl Opened {
    /// The Python object of a file and its notices.
    pub fn new(py: Python<'_>, path: &Path, answer: OpenedFile, notices: Py<PyAny>) -> PyResult<Self> {
        let kind = match answer.kind {
            FileKind::Text => "text",
            FileKind::Image => "image",
            FileKind::Pdf => "pdf",
            FileKind::Notebook => "notebook",
            FileKind::Binary => "binary",
        };
        Ok(Self {
            snapshot: answer.opened.snapshot,
            path: display_path(path),
            resolved_path: display_path(&answer.opened.real_path),
            descriptor: answer.opened.descriptor,
            kind,
            media_type: answer.media_type,
            version: answer.version,
            head: errors::bytes(py, path, &answer.head)?.unbind(),
            is_whole: answer.is_whole,
            notices,
        })
    }
}

#[pymethods]
impl Opened {
    /// The descriptor, open for reading.
    fn fileno(&self) -> i32 {
        self.descriptor.as_raw_fd()
    }

    /// Its size in bytes.
    #[getter]
    fn size_bytes(&self) -> u64 {
        self.snapshot.size
    }

    /// When it was last modified, nanoseconds since 1970 in UTC.
    #[getter]
    fn modified_ns(&self) -> i64 {
        self.snapshot.modified_ns
    }

    /// What tells it from another file and from its other states: device, inode, size, and the times of its last
    /// changes of content and of metadata, in nanoseconds since 1970 in UTC; as `os.stat` has them.
    #[getter]
    fn stamp(&self) -> (u64, u64, u64, i64, i64) {
        let Snapshot { inode, size, modified_ns, changed_ns, .. } = self.snapshot;
        (self.snapshot.device_number(), inode, size, modified_ns, changed_ns)
    }

    /// Its first bytes, at most `maximum`; of a file that says no size (`/proc`) as many as there are.
    fn read<'py>(&self, py: Python<'py>, maximum: usize) -> PyResult<Bound<'py, PyBytes>> {
        let path = Path::new(&self.path);
        let expected = usize::try_from(self.snapshot.size).unwrap_or(usize::MAX).min(maximum);
        let read = || read_stream(path, &self.descriptor, expected, maximum, Patience::Waits);
        match py.detach(read) {
            Ok(bytes) => errors::bytes(py, path, &bytes),
            Err(error) => Err(errors::to_python(py, error)),
        }
    }

    /// Whether it still is what was opened.
    fn recheck(&self, py: Python<'_>) -> bool {
        py.detach(|| Snapshot::of(&self.descriptor) == Ok(self.snapshot))
    }
}
