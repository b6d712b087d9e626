//! Reports forks of the Python process to the core.

use anyread_core::fork;
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pyfunction]
fn after_fork_in_child() {
    fork::after_in_child();
}

/// Makes Python call the core in the child after each `os.fork`.
// Nothing can end the interpreter during the import.
#[allow(clippy::disallowed_methods)]
pub fn register(py: Python<'_>) -> PyResult<()> {
    if cfg!(windows) {
        // It has no forks.
        return Ok(());
    }
    let hooks = PyDict::new(py);
    hooks.set_item("after_in_child", wrap_pyfunction!(after_fork_in_child, py)?)?;
    py.import("os")?.call_method("register_at_fork", (), Some(&hooks))?;
    Ok(())
}
