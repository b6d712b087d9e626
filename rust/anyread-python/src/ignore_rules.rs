//! The rules of ignore files.

use anyread_core::ignore_rules as core;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::cancel::Cancel;

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
    fn new(
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        directory: &Bound<'_, PyString>,
        as_git: bool,
    ) -> Self {
        let new = if as_git { core::IgnorePatterns::git } else { core::IgnorePatterns::new };
        let (text, directory) = (text.to_string_lossy(), directory.to_string_lossy());
        Self { inner: py.detach(|| new(&text, &directory)) }
    }

    #[staticmethod]
    fn size_of(text: &Bound<'_, PyString>) -> usize {
        core::IgnorePatterns::size_of(&text.to_string_lossy())
    }

    #[getter]
    fn size_bytes(&self) -> usize {
        self.inner.size_bytes()
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.inner.is_complete()
    }

    fn moved_to(&self, directory: &Bound<'_, PyString>) -> Self {
        Self { inner: self.inner.moved_to(&directory.to_string_lossy()) }
    }
}

/// Whether a file is ignored, or a directory that holds it; the last file that has a rule for it decides.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted values are owned")]
pub fn is_ignored(path: &Bound<'_, PyString>, files: Vec<Py<IgnoreFile>>) -> bool {
    let files: Vec<_> = files.iter().map(|file| &file.get().inner).collect();
    core::is_ignored(&path.to_string_lossy(), &files)
}

/// Which of the names in a directory are ignored; fewer are returned if the call is cancelled.
#[pyfunction]
#[pyo3(signature = (directory, names, files, cancel=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted values are owned")]
pub fn ignored_names(
    py: Python<'_>,
    directory: &Bound<'_, PyString>,
    names: Vec<Bound<'_, PyString>>,
    files: Vec<Py<IgnoreFile>>,
    cancel: Option<Py<Cancel>>,
) -> Vec<bool> {
    let files: Vec<_> = files.iter().map(|file| &file.get().inner).collect();
    let directory = directory.to_string_lossy();
    let names: Vec<_> = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let flag = cancel.map(|cancel| cancel.get().flag());
    let is_cancelled = || flag.as_ref().is_some_and(|flag| flag.is_set());
    py.detach(|| core::ignored_names(&directory, &names, &files, is_cancelled))
}
