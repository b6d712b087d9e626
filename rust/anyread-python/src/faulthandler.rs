//! Detects whether a SIGBUS handler is Python's faulthandler, the only one that the core may replace.
//!
//! It prints its report once, restores the handler that it replaced, and raises the signal again. So it also
//! works if the guard restores it just before the fault happens again.

use anyread_core::guard;
use anyread_core::lock::NoLockHeld;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{ffi, intern};

use crate::calls;

/// Makes the core call this module before it replaces a handler.
pub fn install_owner_hook() {
    guard::set_owner_hook(is_faulthandler);
}

/// Whether the handler at this address, which is installed for SIGBUS, is faulthandler's.
///
/// faulthandler's address cannot be queried, and enabling it to find out would overwrite the file that the
/// host chose. So three things are required: the address is in the shared object that contains the
/// interpreter (checked without the GIL), faulthandler is enabled, and Python's `signal` module, whose own
/// handler is in the same object, has no handler installed.
#[allow(clippy::disallowed_methods)]
fn is_faulthandler(handler: usize, _proof: NoLockHeld) -> bool {
    // PyPy lacks `Py_Initialize`, and any other function is in the same object.
    let interpreter = (ffi::PyErr_Clear as *const ()).addr();
    guard::same_object(handler, interpreter)
        // `None` when the interpreter is shutting down: then no handler may be replaced.
        && Python::try_attach(|py| may_be_faulthandler(py).unwrap_or(false)).unwrap_or(false)
}

fn may_be_faulthandler(py: Python<'_>) -> PyResult<bool> {
    // Not imported here, because it can only be enabled if it is already imported.
    let modules = calls::import(intern!(py, "sys"))?.getattr("modules")?.cast_into::<PyDict>()?;
    let Some(faulthandler) = modules.get_item("faulthandler")? else { return Ok(false) };
    let is_enabled = faulthandler.getattr("is_enabled")?;
    if !calls::call(&is_enabled, &PyTuple::empty(py), None)?.is_truthy()? {
        return Ok(false);
    }
    // The native module of `signal`, which returns plain values instead of enum members.
    let signal = calls::import(intern!(py, "_signal"))?;
    let arguments = PyTuple::new(py, [signal.getattr("SIGBUS")?])?;
    let installed = calls::call(&signal.getattr("getsignal")?, &arguments, None)?;
    // `None` means that a handler was installed before `signal` was loaded, as by `python -X faulthandler`.
    Ok(installed.is_none() || installed.eq(signal.getattr("SIG_DFL")?)?)
}
