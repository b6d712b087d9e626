//! The rules of ignore files.

use anyread_core::ignore_rules as core;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The rules of an ignore file such as `.gitignore`.
#[pyclass(frozen, module = "anyread._native")]
pub struct IgnoreFile {
    /// The rules.
    pub inner: core::IgnorePatterns,
}

#[pymethods]
impl IgnoreFile {
    #[new]
    #[pyo3(signature = (text, directory, *, as_git=false))]
    fn new(py: Python<'_>, text: &str, directory: &Bound<'_, PyString>, as_git: bool) -> Self {
        let new = if as_git { core::IgnorePatterns::git } else { core::IgnorePatterns::new };
        let directory = directory.to_string_lossy();
        Self { inner: py.detach(|| new(text, &directory)) }
    }
}

/// Whether a file is ignored, or a directory that holds it; the last file that has a rule for it decides.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted values are owned")]
pub fn is_ignored(path: &Bound<'_, PyString>, files: Vec<Py<IgnoreFile>>) -> bool {
    let files: Vec<_> = files.iter().map(|file| &file.get().inner).collect();
    core::is_ignored(&path.to_string_lossy(), &files)
}
