//! Patterns, and the lines of a file that match one.

use anyread_core::encoding::Codec;
use anyread_core::find::{self as core, PatternError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A pattern that is looked for in lines.
#[pyclass(frozen, module = "anyread._native")]
pub struct Pattern {
    /// The compiled pattern.
    pub inner: core::Pattern,
    text: String,
}

#[pymethods]
impl Pattern {
    #[new]
    #[pyo3(signature = (text, *, literal=false))]
    fn new(py: Python<'_>, text: &Bound<'_, PyString>, literal: bool) -> PyResult<Self> {
        let text = text.to_string_lossy();
        let compiled = py.detach(|| core::Pattern::new(&text, literal));
        compiled.map(|inner| Self { inner, text: text.into_owned() }).map_err(|error| to_python(&error))
    }

    /// Whether the text is matched as it is, not as a regular expression.
    #[getter]
    fn is_literal(&self) -> bool {
        self.inner.is_literal()
    }

    /// The text of which it was made.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The first match in a text, in characters.
    fn find(&self, text: &Bound<'_, PyString>) -> Option<(u64, u64)> {
        let text = text.to_string_lossy();
        let found = self.inner.find(text.as_bytes())?;
        let start = Codec::Utf8.count_chars(&text.as_bytes()[..found.start]);
        Some((start, start + Codec::Utf8.count_chars(&text.as_bytes()[found])))
    }
}

/// `ValueError(code, detail)`.
pub fn to_python(error: &PatternError) -> PyErr {
    PyValueError::new_err((error.code(), error.detail()))
}
