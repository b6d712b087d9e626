//! An opened file with its detected type: what formats and contracts read from.

use std::os::fd::AsRawFd;

use anyread_core::engine::{FileKind, OpenedFile};
use anyread_core::open::display_path;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;

/// An opened file; closed when nobody holds it any more.
#[pyclass(frozen, module = "anyread._native")]
pub struct Opened {
    file: OpenedFile,
    /// What is to be known of how it was found.
    #[pyo3(get)]
    notices: Py<PyAny>,
}

impl Opened {
    /// The Python object of a file and its notices.
    pub fn new(file: OpenedFile, notices: Py<PyAny>) -> Self {
        Self { file, notices }
    }
}

#[pymethods]
impl Opened {
    /// The path as given, bytes that are not UTF-8 escaped.
    #[getter]
    fn path(&self) -> String {
        display_path(&self.file.path)
    }

    /// The absolute path of the file, links followed.
    #[getter]
    fn resolved_path(&self) -> String {
        display_path(&self.file.opened.real_path)
    }

    /// What it is read as.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.file.kind {
            FileKind::Text => "text",
            FileKind::Image => "image",
            FileKind::Pdf => "pdf",
            FileKind::Notebook => "notebook",
            FileKind::Binary => "binary",
        }
    }

    /// The media type that its bytes say.
    #[getter]
    fn media_type(&self) -> &'static str {
        self.file.media_type
    }

    /// Its state; empty while a rewrite could go unseen.
    #[getter]
    fn version(&self) -> &str {
        &self.file.version
    }

    /// Its size in bytes.
    #[getter]
    fn size_bytes(&self) -> u64 {
        self.file.opened.snapshot.size
    }

    /// When it was last modified, nanoseconds since 1970 in UTC.
    #[getter]
    fn modified_ns(&self) -> i64 {
        self.file.opened.snapshot.modified_ns
    }

    /// What tells it from another file and from its other states: device, inode, size, and the times of its last
    /// changes of content and of metadata, in nanoseconds since 1970 in UTC; as `os.stat` has them.
    #[getter]
    fn stamp(&self) -> (u64, u64, u64, i64, i64) {
        let snapshot = &self.file.opened.snapshot;
        (snapshot.device_number(), snapshot.inode, snapshot.size, snapshot.modified_ns, snapshot.changed_ns)
    }

    /// The descriptor, open for reading.
    fn fileno(&self) -> i32 {
        self.file.opened.descriptor.as_raw_fd()
    }

    /// Those of its first bytes that are in memory.
    #[getter]
    fn head<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        errors::bytes(py, &self.file.path, self.file.head())
    }

    /// Whether `head` is all of it, as it was in one moment.
    #[getter]
    fn is_whole(&self) -> bool {
        self.file.is_whole()
    }

    /// Its first bytes, at most `maximum`; of a file that gives no size (`/proc`) as many as there are.
    fn read<'py>(&self, py: Python<'py>, maximum: usize) -> PyResult<Bound<'py, PyBytes>> {
        match py.detach(|| self.file.read(maximum)) {
            Ok(bytes) => errors::bytes(py, &self.file.path, &bytes),
            Err(error) => Err(errors::to_python(py, error)),
        }
    }

    /// Whether it still is what was opened.
    fn recheck(&self, py: Python<'_>) -> bool {
        py.detach(|| self.file.is_unchanged())
    }
}
