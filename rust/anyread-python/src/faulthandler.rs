//! Whether a handler of SIGBUS is Python's own faulthandler, the only one that the core may replace.
//!
//! It keeps what it has replaced, prints its report once, puts that back and raises again: so it works as well
//! when it is put back by the guard just before the fault happens again.

use anyread_core::guard;
use anyread_core::lock::NoLockHeld;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Has the core ask here before it replaces a handler.
pub fn install_owner_hook() {
    guard::set_owner_hook(is_faulthandler);
}

/// Whether the handler at this address, which stands for SIGBUS now, is faulthandler's.
///
/// Its address cannot be queried, and enabling it to see would overwrite the host's choice of file.
/// So it must lie in the object that holds the interpreter, which is looked at without the interpreter,
/// faulthandler must be enabled, and nothing of Python's `signal` module may stand there, whose own handler
/// lies in the same object.
fn is_faulthandler(handler: usize, _proof: NoLockHeld) -> bool {
    let interpreter = (ffi::Py_Initialize as *const ()).addr();
    guard::same_object(handler, interpreter)
        // `None` when the interpreter is ending: then nothing is approved of.
        && Python::try_attach(|py| may_be_faulthandlers(py).unwrap_or(false)).unwrap_or(false)
}

fn may_be_faulthandlers(py: Python<'_>) -> PyResult<bool> {
    // Looked up and not imported: what is not imported is not enabled.
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    let Some(faulthandler) = modules.get_item("faulthandler")? else { return Ok(false) };
    if !faulthandler.call_method0("is_enabled")?.is_truthy()? {
        return Ok(false);
    }
    // The module behind `signal`, without its enumerations.
    let signal = py.import("_signal")?;
    let installed = signal.call_method1("getsignal", (signal.getattr("SIGBUS")?,))?;
    // `None`: a handler stood there before `signal` was loaded, as under `python -X faulthandler`.
    Ok(installed.is_none() || installed.eq(signal.getattr("SIG_DFL")?)?)
}
