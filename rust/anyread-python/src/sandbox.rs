//! The function with which Python enters the sandbox of decoders, and what protects reads in this process.

use std::path::PathBuf;

use anyread_core::mapping::Mapping;
use anyread_core::open::kernel_lookup;
use anyread_core::sandbox;
use pyo3::prelude::*;

use crate::arguments::path_from;

/// Puts this process into the sandbox; returns the restrictions that are in effect: `files`, `system_calls`.
#[pyfunction]
#[pyo3(signature = (*, readable_directories))]
#[expect(clippy::needless_pass_by_value, reason = "extracted values are owned")]
pub fn enter_sandbox(readable_directories: Vec<Vec<u8>>) -> Vec<&'static str> {
    let directories: Vec<PathBuf> =
        readable_directories.iter().map(|directory| path_from(directory).into_owned()).collect();
    let restrictions = sandbox::enter(&directories);
    [(restrictions.files, "files"), (restrictions.system_calls, "system_calls")]
        .into_iter()
        .filter_map(|(is_active, name)| is_active.then_some(name))
        .collect()
}

/// The error number with which `openat2` fails in this process, so that the walk resolves all paths;
/// `None` if it works.
#[pyfunction]
pub fn openat2_errno() -> Option<i32> {
    kernel_lookup().err()
}

/// Whether a large scan in this process may map its file, under the guard.
#[pyfunction]
pub fn can_map() -> bool {
    Mapping::Auto.is_possible()
}
