//! Base64 encoding of message contents, without blocking other threads.

use ::base64::engine::general_purpose::STANDARD;
use ::base64::{Engine as _, encoded_len};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The GIL is released for larger inputs only; for smaller ones that would take longer than the work.
const DETACHED_BYTES: usize = 64 * 1024;

/// Encodes bytes as base64 with padding, without line feeds.
#[pyfunction]
pub fn b64encode<'py>(py: Python<'py>, data: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyString>> {
    let bytes = data.as_bytes();
    let encoded = if bytes.len() > DETACHED_BYTES { py.detach(|| encode(bytes)) } else { encode(bytes) };
    let encoded = encoded.ok_or_else(|| PyMemoryError::new_err("no memory for base64"))?;
    PyString::from_bytes(py, &encoded)
}

/// The encoded text as bytes; `None` if there is not enough memory, instead of an abort.
fn encode(bytes: &[u8]) -> Option<Vec<u8>> {
    let length = encoded_len(bytes.len(), true)?;
    let mut encoded = Vec::new();
    encoded.try_reserve_exact(length).ok()?;
    encoded.resize(length, 0);
    STANDARD.encode_slice(bytes, &mut encoded).ok()?;
    Some(encoded)
}
