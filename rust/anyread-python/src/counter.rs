//! The token counter: a tokenizer of the core, or a callable of the host.

use std::path::Path;

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

/// Counts the tokens of a text.
pub struct TokenCounter {
    backend: Backend,
    /// The exception that the callable raised; the core receives only the fact that it failed.
    failure: Lock<Option<PyErr>>,
}

impl TokenCounter {
    /// Creates a counter from the name of a tokenizer of the core, or from a callable from `str` to `int`.
    ///
    /// # Errors
    /// `ValueError` if no tokenizer has this name.
    pub fn new(tokenizer: &Bound<'_, PyAny>) -> PyResult<Self> {
        let backend = match tokenizer.extract::<String>() {
            Ok(name) => Backend::Tokenizer(named(&name)?),
            Err(_) => Backend::Callable(tokenizer.clone().unbind()),
        };
        Ok(Self { backend, failure: Lock::new(None) })
    }

    /// The exception that the callable raised since the last call of this method.
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
                    // Dropping an exception may run the host's code, which must not happen under the lock.
                    drop(earlier);
                    Error::new("", ErrorKind::Cancelled)
                })
            }
        }
    }

    fn prepare(&self, path: &Path) -> Result<()> {
        match &self.backend {
            Backend::Tokenizer(tokenizer) => tokenizer.prepare(path),
            Backend::Callable(_) => Ok(()),
        }
    }
}
