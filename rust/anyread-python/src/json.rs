//! Strings as JSON, and how many values a JSON text has.

use anyread_core::notebook;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// How many values a JSON text has at most.
#[pyfunction]
pub fn count_values(py: Python<'_>, json: &[u8]) -> usize {
    py.detach(|| notebook::count_values(json))
}

/// Writes a text as a JSON string, in which only those characters are escaped that JSON requires.
#[pyfunction]
pub fn json_string<'py>(py: Python<'py>, text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let bytes = text.to_str()?.as_bytes();
    // Nearly all texts have only three of the characters, which are searched for with SIMD.
    let is_other = |byte: u8| u8::from(byte < b' ' && byte != b'\n');
    let quoted = if bytes.iter().fold(0, |found, byte| found | is_other(*byte)) != 0 {
        quoted(bytes, (0..bytes.len()).filter(|at| is_escaped(bytes[*at])))
    } else {
        quoted(bytes, memchr::memchr3_iter(b'\n', b'"', b'\\', bytes))
    };
    PyString::from_bytes(py, &quoted.ok_or_else(|| PyMemoryError::new_err("no memory for JSON"))?)
}

/// Whether JSON requires a character to be escaped; those of several bytes it does not.
fn is_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// The string, of which the bytes at `escapes` are escaped; `None` if there is not enough memory.
fn quoted(bytes: &[u8], escapes: impl Iterator<Item = usize>) -> Option<Vec<u8>> {
    // Counted in bytes, which does not overflow and uses SIMD.
    let in_chunk =
        |chunk: &[u8]| chunk.iter().fold(0_u8, |sum, byte| sum.wrapping_add(is_escaped(*byte).into()));
    let count: usize = bytes.chunks(255).map(|chunk| usize::from(in_chunk(chunk))).sum();
    let mut quoted = Vec::new();
    // The longest escape, such as `\u0001`, is five bytes longer than the byte that it replaces.
    quoted.try_reserve_exact(bytes.len().checked_add(count.checked_mul(5)?)?.checked_add(2)?).ok()?;
    quoted.push(b'"');
    let mut from = 0;
    for at in escapes {
        quoted.extend_from_slice(bytes.get(from..at)?);
        let byte = bytes[at];
        match byte {
            b'"' | b'\\' => quoted.extend_from_slice(&[b'\\', byte]),
            b'\n' => quoted.extend_from_slice(b"\\n"),
            b'\r' => quoted.extend_from_slice(b"\\r"),
            b'\t' => quoted.extend_from_slice(b"\\t"),
            8 => quoted.extend_from_slice(b"\\b"),
            12 => quoted.extend_from_slice(b"\\f"),
            _ => quoted.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        from = at + 1;
    }
    quoted.extend_from_slice(bytes.get(from..)?);
    quoted.push(b'"');
    Some(quoted)
}
