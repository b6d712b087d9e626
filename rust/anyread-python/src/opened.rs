//! An opened file with its detected type, from which formats and contracts read.

use anyread_core::engine::{OpenedFile, Request};
use anyread_core::error::Result;
use anyread_core::open::display_path;
use anyread_core::page;
use anyread_core::scan::Wait;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::codec;
use crate::cancel::{Cancel, interruptible};
use crate::counter::{CallCounter, named};
use crate::errors;
use crate::layout::Layout;
use crate::waiting::without_gil;
use crate::window::{Utf8Check, Window, hex, place};

/// An opened file; closed when its last reference is dropped.
#[pyclass(frozen, module = "anyread._native")]
pub struct Opened {
    file: OpenedFile,
    /// Notices about the path and the type of the file.
    #[pyo3(get)]
    notices: Py<PyAny>,
}

impl Opened {
    /// Wraps a file and its notices.
    pub fn new(file: OpenedFile, notices: Py<PyAny>) -> Self {
        Self { file, notices }
    }

    /// Runs `work`: with the GIL held unless it `may_wait`; otherwise `cancel` or, if it is `None`, a signal
    /// interrupts it.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        cancel: Option<Py<Cancel>>,
        may_wait: bool,
        work: impl FnOnce(&OpenedFile, Wait<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        let outcome = if may_wait {
            interruptible(py, cancel, |interrupt| work(&self.file, Some(interrupt)))?
        } else {
            work(&self.file, None)
        };
        outcome.map_err(|error| errors::to_python(py, error))
    }
}

#[pymethods]
impl Opened {
    /// The path as given, with bytes that are not UTF-8 escaped.
    #[getter]
    fn path(&self) -> String {
        display_path(&self.file.path)
    }

    /// The absolute path of the file, links followed.
    #[getter]
    fn resolved_path(&self) -> String {
        display_path(&self.file.opened.real_path)
    }

    /// Whether its content is text, as that of a notebook is.
    #[getter]
    fn is_text(&self) -> bool {
        self.file.kind.is_text
    }

    /// The media type detected from the content.
    #[getter]
    fn media_type(&self) -> &'static str {
        self.file.kind.media_type
    }

    /// The version; empty while a rewrite could remain undetected.
    #[getter]
    fn version(&self) -> &str {
        &self.file.version
    }

    /// A number for the roots and deny rules of its reader.
    #[getter]
    fn rules(&self) -> u64 {
        self.file.rules()
    }

    /// Its version, even while a rewrite could remain undetected; for `since_version`.
    #[getter]
    fn state(&self) -> String {
        self.file.state()
    }

    /// Its size in bytes.
    #[getter]
    fn size_bytes(&self) -> u64 {
        self.file.opened.snapshot.size
    }

    /// The time of the last modification, in nanoseconds since 1970 in UTC.
    #[getter]
    fn modified_ns(&self) -> i64 {
        self.file.opened.snapshot.modified_ns
    }

    /// The identity and state of the file, with the values of `os.stat`: device, inode, size, and the times
    /// of the last changes of content and of metadata, in nanoseconds since 1970 in UTC.
    #[getter]
    fn stamp(&self) -> (u64, u64, u64, i64, i64) {
        let snapshot = &self.file.opened.snapshot;
        (snapshot.device_number(), snapshot.inode, snapshot.size, snapshot.modified_ns, snapshot.changed_ns)
    }

    /// The descriptor, which a decoder receives.
    #[cfg(unix)]
    fn fileno(&self) -> i32 {
        std::os::fd::AsRawFd::as_raw_fd(&self.file.opened.descriptor)
    }

    /// -1: a handle of Windows is not a descriptor, and no decoder can be started there.
    #[cfg(windows)]
    #[expect(clippy::unused_self, reason = "it has a descriptor on other systems")]
    fn fileno(&self) -> i32 {
        -1
    }

    /// The first bytes, as far as they are in memory.
    #[getter]
    fn head<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        errors::bytes(py, &self.file.path, self.file.head())
    }

    /// Whether `head` is the complete file, read in a consistent state.
    #[getter]
    fn is_whole(&self) -> bool {
        self.file.is_whole()
    }

    /// Reads the first `maximum` bytes; if the file reports no size (`/proc`), as many as there are.
    fn read<'py>(&self, py: Python<'py>, maximum: usize) -> PyResult<Bound<'py, PyBytes>> {
        match without_gil(py, || self.file.read(maximum)) {
            Ok(bytes) => errors::bytes(py, &self.file.path, &bytes),
            Err(error) => Err(errors::to_python(py, error)),
        }
    }

    /// Reads at most `maximum` bytes from an offset on; fewer only at the end of the file, which may have grown.
    fn read_at<'py>(&self, py: Python<'py>, offset: u64, maximum: usize) -> PyResult<Bound<'py, PyBytes>> {
        match without_gil(py, || self.file.read_at(offset, maximum)) {
            Ok(bytes) => errors::bytes(py, &self.file.path, &bytes),
            Err(error) => Err(errors::to_python(py, error)),
        }
    }

    /// The current size of the file in bytes.
    fn current_size(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.file.current_size()).map_err(|error| errors::to_python(py, error))
    }

    /// The absolute path of the file now, as bytes for the operating system.
    fn current_path<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let path = py.detach(|| self.file.opened.current_path());
        PyBytes::new(py, path.as_os_str().as_encoded_bytes())
    }

    /// Whether the file has not changed since it was opened.
    fn recheck(&self, py: Python<'_>) -> bool {
        py.detach(|| self.file.is_unchanged())
    }

    /// Shows lines in a layout.
    #[pyo3(signature = (offset, limit, layout, *, column=1, encoding=None, first_number=None, cancel=None, may_wait=false))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a window, by name")]
    fn window(
        &self,
        py: Python<'_>,
        offset: i64,
        limit: u64,
        layout: &Bound<'_, Layout>,
        column: u64,
        encoding: Option<&str>,
        first_number: Option<i64>,
        cancel: Option<Py<Cancel>>,
        may_wait: bool,
    ) -> PyResult<Window> {
        let path = &self.file.path;
        let codec = codec(path, encoding).map_err(|error| errors::to_python(py, error))?;
        let request = Request::of_text(page::Window { offset, limit, column }, codec);
        let counter = layout.get().counter();
        let layout = layout.get().of_window(first_number, counter.as_ref());
        let page = self.run(py, cancel, may_wait, |file, wait| file.window(&request, &layout, wait));
        let page = page.map_err(|error| counter.and_then(CallCounter::into_failure).unwrap_or(error))?;
        Window::new(py, path, &page)
    }

    /// The SHA-256 digest of the file in hexadecimal digits.
    #[pyo3(signature = (cancel=None, *, may_wait=false))]
    fn sha256(&self, py: Python<'_>, cancel: Option<Py<Cancel>>, may_wait: bool) -> PyResult<String> {
        self.run(py, cancel, may_wait, OpenedFile::sha256).map(|digest| hex(&digest))
    }

    /// Whether the file is valid UTF-8, and where the first fault is.
    #[pyo3(signature = (cancel=None, *, may_wait=false))]
    fn check_utf8(&self, py: Python<'_>, cancel: Option<Py<Cancel>>, may_wait: bool) -> PyResult<Utf8Check> {
        let fault = self.run(py, cancel, may_wait, OpenedFile::utf8_fault)?;
        Ok(Utf8Check::new(fault, self.size_bytes()))
    }

    /// The offset of the first NUL; -1 if there is none.
    #[pyo3(signature = (cancel=None, *, may_wait=false))]
    fn find_nul(&self, py: Python<'_>, cancel: Option<Py<Cancel>>, may_wait: bool) -> PyResult<i64> {
        self.run(py, cancel, may_wait, OpenedFile::find_nul).map(place)
    }

    /// The number of tokens of the file, decoded as UTF-8 with U+FFFD for invalid bytes.
    #[pyo3(signature = (tokenizer, cancel=None, *, may_wait=false))]
    fn count_tokens(
        &self,
        py: Python<'_>,
        tokenizer: &str,
        cancel: Option<Py<Cancel>>,
        may_wait: bool,
    ) -> PyResult<u64> {
        let tokenizer = named(tokenizer)?;
        self.run(py, cancel, may_wait, |file, wait| file.count_tokens(tokenizer, wait))
    }
}
