//! The values that contracts get from an opened file: windows of its text, and facts about the whole file.

use std::path::Path;

use anyread_core::facts::{Sha256, Utf8Fault};
use anyread_core::page::Page;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::errors;

/// Lines of a file in one layout.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct Window {
    text: Py<PyString>,
    first_line: i64,
    last_line: i64,
    total_lines: Option<u64>,
    next: Option<(i64, u64)>,
    clipped: Py<PyTuple>,
    start_byte: u64,
    end_byte: u64,
    final_newline: bool,
    is_over_budget: bool,
    lossy: bool,
}

impl Window {
    /// Converts a page of the core.
    pub fn new(py: Python<'_>, path: &Path, page: &Page) -> PyResult<Self> {
        let Page { start_line, end_line, total_lines, start_byte, end_byte, final_newline, .. } = *page;
        let text: Bound<'_, PyString> = errors::text(py, path, &page.text)?.cast_into()?;
        Ok(Self {
            text: text.unbind(),
            first_line: start_line,
            last_line: end_line,
            total_lines,
            next: page.next.map(|position| (position.offset, position.column)),
            clipped: PyTuple::new(py, page.clipped.iter().map(|position| position.offset))?.unbind(),
            start_byte,
            end_byte,
            final_newline,
            is_over_budget: page.is_over_budget,
            lossy: page.lossy_line.is_some(),
        })
    }
}

/// Whether a file is valid UTF-8.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct Utf8Check {
    is_valid: bool,
    index: u64,
    length: Option<usize>,
}

impl Utf8Check {
    /// Converts a fault, or `None` for a valid file of `size_bytes`.
    pub fn new(fault: Option<Utf8Fault>, size_bytes: u64) -> Self {
        let (index, length) = fault.map_or((size_bytes, None), |fault| (fault.index, fault.length));
        Self { is_valid: fault.is_none(), index, length }
    }
}

/// A digest in hexadecimal digits.
pub fn hex(digest: &Sha256) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// An offset as returned by `bytes.find`: -1 for `None`.
pub fn position(offset: Option<u64>) -> i64 {
    offset.map_or(-1, |offset| i64::try_from(offset).unwrap_or(i64::MAX))
}
