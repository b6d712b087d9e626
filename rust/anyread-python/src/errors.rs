//! Converts core errors to codes and facts, from which `anyread.errors.from_core` makes exceptions.

use std::path::{Path, PathBuf};

use anyread_core::error::{Error, ErrorKind, PathFault, RuleFault};
use anyread_core::open::display_path;
use anyread_core::size;
use pyo3::exceptions::{PyInterruptedError, PyMemoryError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::calls;

/// The exception for an error, or the exception that was raised while making it.
///
/// It is a `MemoryError` if there is no memory to make another one.
pub fn to_python(py: Python<'_>, error: Error) -> PyErr {
    if error.kind == ErrorKind::OUT_OF_MEMORY
        && let Err(failure) = check_memory()
    {
        return failure;
    }
    make(py, error).unwrap_or_else(|failure| failure)
}

/// Checks that there is room for the small allocations of a call, which would otherwise abort the process.
///
/// # Errors
/// `MemoryError`.
pub fn check_memory() -> PyResult<()> {
    has_memory(size::has_small_memory())
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

fn shown<'py>(py: Python<'py>, paths: &[PathBuf]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, paths.iter().map(|path| display_path(path)))
}

fn make(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let facts = PyDict::new(py);
    let code = match error.kind {
        ErrorKind::NotFound { near, dangling_link } => {
            facts.set_item("near", shown(py, &near)?)?;
            facts.set_item("dangling_link", dangling_link.map(|link| display_path(&link)))?;
            "not_found"
        }
        ErrorKind::AmbiguousPath { candidates } => {
            facts.set_item("candidates", shown(py, &candidates)?)?;
            "ambiguous_path"
        }
        ErrorKind::Access { part } => {
            facts.set_item("part", display_path(&part))?;
            "permission_denied"
        }
        ErrorKind::OutsideRoot { roots } => {
            facts.set_item("roots", shown(py, &roots)?)?;
            "outside_root"
        }
        ErrorKind::Denied { rule } => {
            facts.set_item("rule", rule)?;
            "denied"
        }
        ErrorKind::Directory { entries, more } => {
            facts.set_item("entries", shown(py, &entries)?)?;
            facts.set_item("more", more)?;
            "is_a_directory"
        }
        ErrorKind::NotRegularFile { file_type } => {
            facts.set_item("file_type", file_type)?;
            "not_a_regular_file"
        }
        ErrorKind::BadPath { fault } => add_path_fault(&facts, fault)?,
        ErrorKind::FileSystem { errno, operation } => {
            facts.set_item("errno", errno)?;
            facts.set_item("operation", operation)?;
            "io_error"
        }
        ErrorKind::FileChanged { change } => {
            facts.set_item("change", change)?;
            "changed_during_read"
        }
        ErrorKind::Binary { media_type, size_bytes } => {
            facts.set_item("media_type", media_type)?;
            facts.set_item("size_bytes", size_bytes)?;
            "binary"
        }
        ErrorKind::UnsupportedFormat { media_type, size_bytes } => {
            facts.set_item("media_type", media_type)?;
            facts.set_item("size_bytes", size_bytes)?;
            "unsupported_format"
        }
        ErrorKind::OverBudget { used, budget, unit, largest_limit } => {
            facts.set_item("used", used)?;
            facts.set_item("budget", budget)?;
            facts.set_item("unit", unit)?;
            facts.set_item("largest_limit", largest_limit)?;
            "over_budget"
        }
        ErrorKind::OffsetPastEnd { offset, total_lines } => {
            facts.set_item("offset", offset)?;
            facts.set_item("total_lines", total_lines)?;
            "offset_past_end"
        }
        ErrorKind::BadRoot => "bad_root",
        ErrorKind::BadRule { rule, fault } => add_rule_fault(&facts, rule, fault)?,
        ErrorKind::UnknownEncoding { label, near, undecodable } => {
            facts.set_item("value", label)?;
            facts.set_item("near", PyTuple::new(py, near)?)?;
            facts.set_item("undecodable", undecodable)?;
            "unknown_encoding"
        }
        ErrorKind::WrongKind { argument, kind } => {
            facts.set_item("argument", argument)?;
            facts.set_item("kind", kind)?;
            "wrong_kind"
        }
        ErrorKind::Cancelled => return Ok(cancelled()),
        // The enum is non-exhaustive; a kind that is missing above is a bug and must be noticed.
        other => return Ok(pyo3::exceptions::PyRuntimeError::new_err(format!("{other:?}"))),
    };
    let from_core = calls::import(intern!(py, "anyread.errors.from_core"))?.getattr("from_core")?;
    let arguments = (code, display_path(&error.path), facts).into_pyobject(py)?;
    Ok(PyErr::from_value(calls::call(&from_core, &arguments, None)?))
}

/// The error of a call whose `cancel` was set.
pub fn cancelled() -> PyErr {
    PyInterruptedError::new_err("the read was cancelled")
}

/// Adds the reason why a path is invalid, and returns the code of the error.
fn add_path_fault(facts: &Bound<'_, PyDict>, fault: PathFault) -> PyResult<&'static str> {
    let code = match fault {
        PathFault::Empty => "empty",
        PathFault::Nul => "nul",
        PathFault::NameTooLong => "name_too_long",
        PathFault::PathTooLong { max_bytes } => {
            facts.set_item("max_bytes", max_bytes)?;
            "path_too_long"
        }
    };
    facts.set_item("fault", code)?;
    Ok("bad_path")
}

/// Adds a deny rule and the reason why it is invalid, and returns the code of the error.
fn add_rule_fault(facts: &Bound<'_, PyDict>, rule: String, fault: RuleFault) -> PyResult<&'static str> {
    facts.set_item("rule", rule)?;
    let code = match fault {
        RuleFault::Empty => "empty",
        RuleFault::NoHome => "no_home",
        RuleFault::Syntax(message) => {
            facts.set_item("message", message)?;
            "syntax"
        }
    };
    facts.set_item("fault", code)?;
    Ok("bad_rule")
}
