//! Core errors as the exceptions of `anyread.errors`, whose classes and wording live in Python.

use std::path::{Path, PathBuf};

use anyread_core::error::{Error, ErrorKind};
use anyread_core::open::display_path;
use pyo3::exceptions::PyInterruptedError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

/// The exception for an error; an exception of its own if the Python side cannot make it.
pub fn to_python(py: Python<'_>, error: Error) -> PyErr {
    make(py, error).unwrap_or_else(|failure| failure)
}

/// A file's bytes as a Python object.
///
/// # Errors
/// That of a read which gets no memory; PyO3's own constructor would panic.
pub fn bytes<'py>(py: Python<'py>, about: &Path, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let copied = PyBytes::new_with(py, bytes.len(), |buffer| {
        buffer.copy_from_slice(bytes);
        Ok(())
    });
    copied.map_err(|_| to_python(py, Error::new(about, ErrorKind::OUT_OF_MEMORY)))
}

/// A text as a Python object, with the same error.
///
/// # Errors
/// That of a read which gets no memory.
pub fn text<'py>(py: Python<'py>, about: &Path, text: &str) -> PyResult<Bound<'py, PyAny>> {
    match PyString::from_bytes(py, text.as_bytes()) {
        Ok(text) => Ok(text.into_any()),
        Err(_) => Err(to_python(py, Error::new(about, ErrorKind::OUT_OF_MEMORY))),
    }
}

fn shown<'py>(py: Python<'py>, paths: &[PathBuf]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, paths.iter().map(|path| display_path(path)))
}

fn make(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let fields = PyDict::new(py);
    let class = match error.kind {
        ErrorKind::NotFound { near } => {
            fields.set_item("near", shown(py, &near)?)?;
            "NotFoundError"
        }
        ErrorKind::AmbiguousPath { candidates } => {
            fields.set_item("candidates", shown(py, &candidates)?)?;
            "AmbiguousPathError"
        }
        ErrorKind::Access { part } => {
            fields.set_item("part", display_path(&part))?;
            "AccessError"
        }
        ErrorKind::OutsideRoot { roots } => {
            fields.set_item("roots", shown(py, &roots)?)?;
            "OutsideRootError"
        }
        ErrorKind::Denied { rule } => {
            fields.set_item("rule", rule)?;
            "DeniedError"
        }
        ErrorKind::Directory { entries, more } => {
            fields.set_item("entries", shown(py, &entries)?)?;
            fields.set_item("more", more)?;
            "DirectoryError"
        }
        ErrorKind::NotRegularFile { file_type } => {
            fields.set_item("file_type", file_type)?;
            "NotRegularFileError"
        }
        ErrorKind::BadPath { reason } => {
            fields.set_item("reason", reason)?;
            "BadPathError"
        }
        ErrorKind::FileSystem { errno, operation } => {
            fields.set_item("errno", errno)?;
            fields.set_item("operation", operation)?;
            "FileSystemError"
        }
        ErrorKind::Timeout { timeout_s } => {
            fields.set_item("timeout_s", timeout_s)?;
            "ReadTimeoutError"
        }
        ErrorKind::FileChanged { change } => {
            fields.set_item("change", change)?;
            "FileChangedError"
        }
        ErrorKind::Binary { media_type, size_bytes } => {
            fields.set_item("media_type", media_type)?;
            fields.set_item("size_bytes", size_bytes)?;
            "BinaryFileError"
        }
        ErrorKind::UnsupportedFormat { media_type, size_bytes } => {
            fields.set_item("media_type", media_type)?;
            fields.set_item("size_bytes", size_bytes)?;
            "UnsupportedFormatError"
        }
        ErrorKind::OverBudget { used, budget, unit, largest_limit } => {
            fields.set_item("used", used)?;
            fields.set_item("budget", budget)?;
            fields.set_item("unit", unit)?;
            fields.set_item("largest_limit", largest_limit)?;
            "OverBudgetError"
        }
        ErrorKind::OffsetPastEnd { offset, total_lines } => {
            fields.set_item("offset", offset)?;
            fields.set_item("total_lines", total_lines)?;
            "OffsetPastEndError"
        }
        ErrorKind::BadArgument { argument, value, reason } => {
            fields.set_item("argument", argument)?;
            fields.set_item("value", value)?;
            fields.set_item("reason", reason)?;
            "BadArgumentError"
        }
        ErrorKind::WrongKind { argument, kind } => {
            fields.set_item("argument", argument)?;
            fields.set_item("kind", kind)?;
            "WrongKindError"
        }
        ErrorKind::Cancelled => return Ok(PyInterruptedError::new_err("the read was cancelled")),
        // The enum may grow; a kind without a class here is a mistake of ours that must be seen.
        other => return Ok(pyo3::exceptions::PyRuntimeError::new_err(format!("{other:?}"))),
    };
    let class = py.import("anyread.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((path(&error.path),), Some(&fields))?))
}

fn path(path: &Path) -> String {
    display_path(path)
}
