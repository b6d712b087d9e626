//! Converts core errors to codes and facts, from which `anyread.errors.from_core` makes exceptions.

use std::path::Path;

use anyread_core::error::{Blocked, Error, ErrorKind, Fact};
use anyread_core::open::display_path;
use pyo3::exceptions::{PyBaseException, PyBlockingIOError, PyInterruptedError, PyMemoryError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString, PyTuple};

use crate::calls;

pyo3::create_exception!(
    anyread._native,
    NeedsBytes,
    PyBaseException,
    "Bytes of a copy must be fetched, or their line feeds counted: (number of the copy, start, end, counted)."
);

/// The exception for an error, or the exception that was raised while making it.
pub fn to_python(py: Python<'_>, error: Error) -> PyErr {
    make(py, error).unwrap_or_else(|failure| failure)
}

/// Raises `MemoryError` unless there is memory.
pub fn has_memory(is_there: bool) -> PyResult<()> {
    if is_there { Ok(()) } else { Err(PyMemoryError::new_err(())) }
}

/// The bytes of a file as a Python object.
///
/// # Errors
/// The error of a read that runs out of memory; PyO3's own constructor would panic.
pub fn bytes<'py>(py: Python<'py>, about: &Path, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let copied = PyBytes::new_with(py, bytes.len(), |buffer| {
        buffer.copy_from_slice(bytes);
        Ok(())
    });
    copied.map_err(|_| to_python(py, Error::new(about, ErrorKind::OUT_OF_MEMORY)))
}

/// A text as a Python object.
///
/// # Errors
/// The error of a read that runs out of memory.
pub fn text<'py>(py: Python<'py>, about: &Path, text: &str) -> PyResult<Bound<'py, PyAny>> {
    match PyString::from_bytes(py, text.as_bytes()) {
        Ok(text) => Ok(text.into_any()),
        Err(_) => Err(to_python(py, Error::new(about, ErrorKind::OUT_OF_MEMORY))),
    }
}

fn make(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let Error { path, kind } = error;
    match kind {
        ErrorKind::Cancelled => return Ok(cancelled()),
        ErrorKind::WouldBlock(Blocked::Missing { copy, start, end }) => {
            return Ok(NeedsBytes::new_err((copy, start, end, false)));
        }
        ErrorKind::WouldBlock(Blocked::Uncounted { copy, start, end }) => {
            return Ok(NeedsBytes::new_err((copy, start, end, true)));
        }
        ErrorKind::WouldBlock(_) => return Ok(PyBlockingIOError::new_err(())),
        _ => {}
    }
    let fields = PyDict::new(py);
    for (name, fact) in kind.facts() {
        fields.set_item(name, field(py, fact)?)?;
    }
    let from_core = calls::import(intern!(py, "anyread.errors.from_core"))?.getattr("from_core")?;
    let arguments = (kind.code(), display_path(&path), fields).into_pyobject(py)?;
    Ok(PyErr::from_value(calls::call(&from_core, &arguments, None)?))
}

/// The error of a call whose `cancel` was set.
pub fn cancelled() -> PyErr {
    PyInterruptedError::new_err("the read was cancelled")
}

fn field<'py>(py: Python<'py>, fact: Fact<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match fact {
        Fact::None => py.None().into_bound(py),
        Fact::Flag(flag) => PyBool::new(py, flag).to_owned().into_any(),
        Fact::Number(number) => number.into_pyobject(py)?.into_any(),
        Fact::Text(text) => PyString::new(py, text).into_any(),
        Fact::Texts(texts) => PyTuple::new(py, texts)?.into_any(),
        Fact::Names(names) => PyTuple::new(py, names)?.into_any(),
        Fact::Path(path) => PyString::new(py, &display_path(path)).into_any(),
        Fact::Paths(paths) => PyTuple::new(py, paths.iter().map(|path| display_path(path)))?.into_any(),
    })
}
