//! Calls from Rust that may run Python code, after which the interpreter may be gone.
//!
//! Python code gives up the GIL now and then. If the interpreter exits meanwhile, Python before 3.14 ends a
//! daemon thread that wants the GIL back: it calls `pthread_exit`, which glibc implements by unwinding the
//! stack. Rust cannot be unwound that way, so the process would abort with "FATAL: exception not rethrown".
//! `PyO3` blocks such a thread where it attaches to the interpreter, as Python 3.14 does by itself, but not in
//! calls of Python code. These functions block it there.

use std::ffi::c_int;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

/// Blocks the thread forever if a call is unwound. Python code cannot raise a panic of Rust, so only the end
/// of the interpreter unwinds a call.
struct BlockIfUnwound;

impl Drop for BlockIfUnwound {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

/// A function of the interpreter, as the compiler must see it when the function may unwind.
///
/// `PyO3` declares these functions as ones that never unwind. The compiler would leave out the code that drops
/// [`BlockIfUnwound`] if it knew which function is called; a volatile read hides it.
macro_rules! may_unwind {
    ($function:path, fn($($argument:ty),*) -> $result:ty) => {{
        type Declared = unsafe extern "C" fn($($argument),*) -> $result;
        type Actual = unsafe extern "C-unwind" fn($($argument),*) -> $result;
        let function: Declared = $function;
        // SAFETY: the variable is initialized, and the two types differ only in whether the function may
        // unwind, which does not change how it is called.
        unsafe { std::mem::transmute::<Declared, Actual>(ptr::read_volatile(&raw const function)) }
    }};
}

/// Runs something that may run Python code, and blocks the thread if the interpreter exits meanwhile.
fn returning<T>(call: impl FnOnce() -> T) -> T {
    let block = BlockIfUnwound;
    let result = call();
    std::mem::forget(block);
    result
}

/// Calls a Python object.
///
/// # Errors
/// The exception that it raises.
pub fn call<'py>(
    callable: &Bound<'py, PyAny>,
    positional: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = may_unwind!(
        ffi::PyObject_Call,
        fn(*mut ffi::PyObject, *mut ffi::PyObject, *mut ffi::PyObject) -> *mut ffi::PyObject
    );
    let (callable_pointer, positional) = (callable.as_ptr(), positional.as_ptr());
    let keywords = keywords.map_or(ptr::null_mut(), Bound::as_ptr);
    // SAFETY: the pointers belong to live objects, which the caller keeps; the keywords may be NULL.
    let result = returning(|| unsafe { function(callable_pointer, positional, keywords) });
    // SAFETY: the function returns a new reference, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(callable.py(), result) }
}

/// Imports a module.
///
/// # Errors
/// The exception of the import.
pub fn import<'py>(name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    let function = may_unwind!(ffi::PyImport_Import, fn(*mut ffi::PyObject) -> *mut ffi::PyObject);
    let name_pointer = name.as_ptr();
    // SAFETY: the pointer belongs to a live string, which the caller keeps.
    let result = returning(|| unsafe { function(name_pointer) });
    // SAFETY: the function returns a new reference, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(name.py(), result) }
}

/// Runs the handlers of signals that have arrived; since Python 3.12, it may collect garbage as well.
///
/// # Errors
/// The exception that a handler raises.
pub fn check_signals(py: Python<'_>) -> PyResult<()> {
    let function = may_unwind!(ffi::PyErr_CheckSignals, fn() -> c_int);
    // SAFETY: the thread is attached to the interpreter.
    let status = returning(|| unsafe { function() });
    if status == 0 { Ok(()) } else { Err(PyErr::fetch(py)) }
}
