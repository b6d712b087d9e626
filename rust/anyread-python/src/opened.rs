//! An opened file with its detected type, from which formats and contracts read.

use std::sync::Arc;

use anyread_core::engine::{OpenedFile, Request};
use anyread_core::error::Result;
use anyread_core::lock::Lock;
use anyread_core::open::display_path;
use anyread_core::page;
use anyread_core::sandbox::passed_file;
use anyread_core::scan::Wait;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::arguments::codec;
use crate::cancel::{Cancel, interruptible};
use crate::counter::{CallCounter, named};
use crate::errors;
use crate::layout::Layout;
use crate::waiting::without_gil;
use crate::window::{Utf8Check, Window, hex, position};

/// An opened file; closed by `close`, or when its last reference is dropped.
#[pyclass(frozen, module = "anyread._native")]
pub struct Opened {
    /// The file until it is closed. A call that another thread runs meanwhile keeps it open until it ends.
    file: Lock<Option<Arc<OpenedFile>>>,
    /// Notices about the path and the type of the file.
    #[pyo3(get)]
    notices: Py<PyAny>,
}

impl Opened {
    /// Wraps a file and its notices.
    pub fn new(file: OpenedFile, notices: Py<PyAny>) -> Self {
        Self { file: Lock::new(Some(Arc::new(file))), notices }
    }

    /// The file, unless it was closed.
    pub fn file(&self) -> PyResult<Arc<OpenedFile>> {
        let file = self.file.lock().clone();
        file.ok_or_else(|| PyValueError::new_err("this file is closed: open it again"))
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
        let file = self.file()?;
        let outcome = if may_wait {
            interruptible(py, cancel, |interrupt| work(&file, Some(interrupt)))?
        } else {
            work(&file, None)
        };
        outcome.map_err(|error| errors::to_python(py, error))
    }
}

/// Opens a file that another process has passed to this one, of which only its bytes are known.
#[pyfunction]
pub fn open_passed(py: Python<'_>, descriptor: isize, size_bytes: u64) -> PyResult<Opened> {
    let file = OpenedFile::passed(passed_file(descriptor)?, size_bytes);
    let file = file.map_err(|error| errors::to_python(py, error))?;
    Ok(Opened::new(file, PyTuple::empty(py).into_any().unbind()))
}

#[pymethods]
impl Opened {
    /// Closes the file; everything but `notices` raises `ValueError` from now on.
    fn close(&self) {
        let file = self.file.lock().take();
        // Without the lock, because closing may block.
        drop(file);
    }

    /// The path as given, with bytes that are not UTF-8 escaped.
    #[getter]
    fn path(&self) -> PyResult<String> {
        self.file().map(|file| display_path(&file.path))
    }

    /// The absolute path of the file, links followed.
    #[getter]
    fn resolved_path(&self) -> PyResult<String> {
        self.file().map(|file| display_path(&file.opened.real_path))
    }

    /// Whether its content is text, as that of a notebook is.
    #[getter]
    fn is_text(&self) -> PyResult<bool> {
        self.file().map(|file| file.kind.is_text)
    }

    /// The media type detected from the content.
    #[getter]
    fn media_type(&self) -> PyResult<&'static str> {
        self.file().map(|file| file.kind.media_type)
    }

    /// The version; empty while a rewrite could remain undetected.
    #[getter]
    fn version(&self) -> PyResult<String> {
        self.file().map(|file| file.version.clone())
    }

    /// A number for the roots and deny rules of its reader.
    #[getter]
    fn rules(&self) -> PyResult<u64> {
        self.file().map(|file| file.rules())
    }

    /// Its version, even while a rewrite could remain undetected; for `since_version`.
    #[getter]
    fn state(&self) -> PyResult<String> {
        self.file().map(|file| file.state())
    }

    /// Its size in bytes.
    #[getter]
    fn size_bytes(&self) -> PyResult<u64> {
        self.file().map(|file| file.opened.snapshot.size)
    }

    /// The time of the last modification, in nanoseconds since 1970 in UTC.
    #[getter]
    fn modified_ns(&self) -> PyResult<i64> {
        self.file().map(|file| file.opened.snapshot.modified_ns)
    }

    /// The identity and state of the file, with the values of `os.stat`: device, inode, size, and the times
    /// of the last changes of content and of metadata, in nanoseconds since 1970 in UTC.
    #[getter]
    fn stamp(&self) -> PyResult<(u64, u64, u64, i64, i64)> {
        let state = self.file()?.opened.snapshot;
        Ok((state.device_number(), state.inode, state.size, state.modified_ns, state.changed_ns))
    }

    /// The descriptor, on Windows the handle, which a decoder receives; it is valid until the file is closed.
    fn fileno(&self, py: Python<'_>) -> PyResult<isize> {
        let file = self.file()?;
        file.require_all().map_err(|error| errors::to_python(py, error))?;
        #[cfg(unix)]
        let number = std::os::fd::AsRawFd::as_raw_fd(&file.opened.descriptor) as isize;
        #[cfg(windows)]
        let number = std::os::windows::io::AsRawHandle::as_raw_handle(&file.opened.descriptor) as isize;
        Ok(number)
    }

    /// Raises `NeedsBytes` unless all bytes of it are present, if it is a copy.
    fn fetch_all(&self, py: Python<'_>) -> PyResult<()> {
        self.file()?.require_all().map_err(|error| errors::to_python(py, error))
    }

    /// The first bytes, as far as they are in memory.
    #[getter]
    fn head<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let file = self.file()?;
        errors::bytes(py, &file.path, file.head())
    }

    /// Whether `head` is the complete file, read in a consistent state.
    #[getter]
    fn is_whole(&self) -> PyResult<bool> {
        self.file().map(|file| file.is_whole())
    }

    /// Reads the first `maximum` bytes; if the file reports no size (`/proc`), as many as there are.
    fn read<'py>(&self, py: Python<'py>, maximum: usize) -> PyResult<Bound<'py, PyBytes>> {
        let file = self.file()?;
        match without_gil(py, || file.read(maximum)) {
            Ok(bytes) => errors::bytes(py, &file.path, &bytes),
            Err(error) => Err(errors::to_python(py, error)),
        }
    }

    /// Reads at most `maximum` bytes from an offset on; fewer only at the end of the file, which may have grown.
    fn read_at<'py>(&self, py: Python<'py>, offset: u64, maximum: usize) -> PyResult<Bound<'py, PyBytes>> {
        let file = self.file()?;
        match without_gil(py, || file.read_at(offset, maximum)) {
            Ok(bytes) => errors::bytes(py, &file.path, &bytes),
            Err(error) => Err(errors::to_python(py, error)),
        }
    }

    /// The current size of the file in bytes.
    fn current_size(&self, py: Python<'_>) -> PyResult<u64> {
        let file = self.file()?;
        py.detach(|| file.current_size()).map_err(|error| errors::to_python(py, error))
    }

    /// The absolute path of the file now, as bytes for the operating system.
    fn current_path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let file = self.file()?;
        let path = py.detach(|| file.opened.current_path());
        Ok(PyBytes::new(py, path.as_os_str().as_encoded_bytes()))
    }

    /// Whether the file has not changed since it was opened.
    fn recheck(&self, py: Python<'_>) -> PyResult<bool> {
        let file = self.file()?;
        Ok(py.detach(|| file.is_unchanged()))
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
        let file = self.file()?;
        let path = &file.path;
        let codec = codec(path, encoding).map_err(|error| errors::to_python(py, error))?;
        let request = Request::of_text(page::Window { offset, limit, column }, codec);
        let counter = layout.get().counter();
        let layout = layout.get().of_window(first_number, counter.as_ref());
        let page = self.run(py, cancel, may_wait, |file, wait| file.window(&request, &layout, wait));
        let page = page.map_err(|error| counter.and_then(CallCounter::into_failure).unwrap_or(error))?;
        Window::new(py, path, &page)
    }

    /// The size of the text in a gzip file that is decompressed, and why it is not verified; `None` for other files.
    #[pyo3(signature = (cancel=None, *, may_wait=false))]
    fn gzip(
        &self,
        py: Python<'_>,
        cancel: Option<Py<Cancel>>,
        may_wait: bool,
    ) -> PyResult<Option<(u64, Option<&'static str>)>> {
        self.run(py, cancel, may_wait, |file, wait| {
            Ok(file.gzip(wait)?.map(|text| (text.known().size(), text.fault())))
        })
    }

    /// Whether it is a gzip file whose text is read.
    #[getter]
    fn is_gzip(&self) -> PyResult<bool> {
        self.file().map(|file| file.is_gzip())
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
        Ok(Utf8Check::new(fault, self.size_bytes()?))
    }

    /// The offset of the first NUL; -1 if there is none.
    #[pyo3(signature = (cancel=None, *, may_wait=false))]
    fn find_nul(&self, py: Python<'_>, cancel: Option<Py<Cancel>>, may_wait: bool) -> PyResult<i64> {
        self.run(py, cancel, may_wait, OpenedFile::find_nul).map(position)
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
