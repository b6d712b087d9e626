//! A file that the core has opened and recognised, for a format's reader.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use anyread_core::engine::{MediaAnswer, MediaKind};
use anyread_core::open::display_path;
use anyread_core::source::Snapshot;
use pyo3::prelude::*;

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
    /// What is to be known of how it was found.
    #[pyo3(get)]
    notices: Py<PyAny>,
}

impl Opened {
    /// The Python object of a file and its notices.
    pub fn new(path: &Path, answer: MediaAnswer, notices: Py<PyAny>) -> Self {
        let kind = match answer.kind {
            MediaKind::Image => "image",
            MediaKind::Pdf => "pdf",
            MediaKind::Notebook => "notebook",
        };
        Self {
            snapshot: answer.opened.snapshot,
            path: display_path(path),
            resolved_path: display_path(&answer.opened.real_path),
            descriptor: answer.opened.descriptor,
            kind,
            media_type: answer.media_type,
            version: answer.version,
            notices,
        }
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

    /// Whether it still is what was opened.
    fn recheck(&self, py: Python<'_>) -> bool {
        py.detach(|| Snapshot::of(&self.descriptor) == Ok(self.snapshot))
    }
}
