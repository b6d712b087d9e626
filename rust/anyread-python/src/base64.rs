//! Base64 of what a message carries, without keeping other threads waiting.

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// Bytes from which on the interpreter is let go: below, that would take longer than the work.
const DETACHED_BYTES: usize = 64 * 1024;

/// Encodes bytes as base64 with padding, without line feeds.
#[pyfunction]
pub fn b64encode<'py>(py: Python<'py>, data: &Bound<'py, PyBytes>) -> Bound<'py, PyString> {
    let bytes = data.as_bytes();
    let encoded = if bytes.len() > DETACHED_BYTES {
        py.detach(|| STANDARD.encode(bytes))
    } else {
        STANDARD.encode(bytes)
    };
    PyString::new(py, &encoded)
}
