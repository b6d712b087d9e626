//! What counts tokens: a tokenizer of the core, or a callable of the host.

use anyread_core::error::{Error, ErrorKind, Result};
use anyread_core::lock::{Lock, NoLockHeld};
use anyread_core::tokens::{Counter, Tokenizer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The tokenizer of the core with this name.
///
/// # Errors
/// `ValueError` if there is none.
pub fn named(name: &str) -> PyResult<Tokenizer> {
    Tokenizer::from_name(name).ok_or_else(|| {
        PyValueError::new_err(format!("tokenizer must be one of {:?}: {name}", Tokenizer::names()))
    })
}

enum Backend {
    Tokenizer(Tokenizer),
    Callable(Py<PyAny>),
}

/// Counts tokens of a text.
pub struct TokenCounter {
    backend: Backend,
    /// What the callable raised; the core only learns that it failed.
    failure: Lock<Option<PyErr>>,
}

impl TokenCounter {
    /// Counts with the tokenizer of the core that has this name, or with a Python callable from `str` to `int`.
    ///
    /// # Errors
    /// `ValueError` if no tokenizer has the name.
    pub fn new(tokenizer: &Bound<'_, PyAny>) -> PyResult<Self> {
        let backend = match tokenizer.extract::<String>() {
            Ok(name) => Backend::Tokenizer(named(&name)?),
            Err(_) => Backend::Callable(tokenizer.clone().unbind()),
        };
        Ok(Self { backend, failure: Lock::new(None) })
    }

    /// What the callable raised since this was last asked.
    pub fn take_failure(&self) -> Option<PyErr> {
        self.failure.lock().take()
    }
}

impl Counter for TokenCounter {
    fn count(&self, text: &str, proof: NoLockHeld) -> Result<u64> {
        match &self.backend {
            Backend::Tokenizer(tokenizer) => Counter::count(tokenizer, text, proof),
            Backend::Callable(callable) => {
                Python::attach(|py| callable.call1(py, (text,))?.extract(py)).map_err(|failure| {
                    let earlier = self.failure.lock().replace(failure);
                    // Dropping an exception may run code of the host.
                    drop(earlier);
                    Error::new("", ErrorKind::Cancelled)
                })
            }
        }
    }
}
