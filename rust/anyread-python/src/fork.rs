//! Reports forks of the Python process to the core.

use anyread_core::fork;
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pyfunction]
fn before_fork() {
    fork::before();
}

#[pyfunction]
fn after_fork() {
    fork::after();
}

/// Makes Python call the core before and after each `os.fork`, and prepares the core for the first one.
// Nothing can end the interpreter during the import.
#[allow(clippy::disallowed_methods)]
pub fn register(py: Python<'_>) -> PyResult<()> {
    fork::prepare();
    if cfg!(windows) {
        // It has no forks.
        return Ok(());
    }
    let hooks = PyDict::new(py);
    let after = wrap_pyfunction!(after_fork, py)?;
    hooks.set_item("before", wrap_pyfunction!(before_fork, py)?)?;
    hooks.set_item("after_in_parent", &after)?;
    hooks.set_item("after_in_child", &after)?;
    py.import("os")?.call_method("register_at_fork", (), Some(&hooks))?;
    Ok(())
}
