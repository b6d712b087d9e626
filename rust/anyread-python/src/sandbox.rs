//! The sandbox of decoders, as Python enters it.

use std::path::PathBuf;

use anyread_core::sandbox;
use pyo3::prelude::*;

use crate::arguments::path_from;

/// Shuts this process in; returns the names of the walls that stand: `files`, `system_calls`.
#[pyfunction]
#[pyo3(signature = (*, readable_folders))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python, which owns nothing of it")]
pub fn enter_sandbox(readable_folders: Vec<Vec<u8>>) -> Vec<&'static str> {
    let folders: Vec<PathBuf> =
        readable_folders.iter().map(|folder| path_from(folder).to_path_buf()).collect();
    let walls = sandbox::enter(&folders);
    [(walls.files, "files"), (walls.system_calls, "system_calls")]
        .into_iter()
        .filter_map(|(stands, name)| stands.then_some(name))
        .collect()
}
