//! The token counter: a tokenizer of the core, or a callable of the host.

use std::path::Path;

use anyread_core::error::{Error, ErrorKind, Result};
use anyread_core::lock::{Lock, NoLockHeld};
use anyread_core::tokens::{Counter, Tokenizer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::calls;

/// The tokenizer of the core with this name.
///
/// # Errors
/// `ValueError` if there is none.
pub fn named(name: &str) -> PyResult<Tokenizer> {
    Tokenizer::from_name(name).ok_or_else(|| {
        PyValueError::new_err(format!("tokenizer must be one of {:?}: {name}", Tokenizer::names()))
    })
}

/// Counts the tokens of a text.
pub enum TokenCounter {
    Tokenizer(Tokenizer),
    Callable(Py<PyAny>),
}

impl TokenCounter {
    /// Creates a counter from the name of a tokenizer of the core, or from a callable from `str` to `int`.
    ///
    /// # Errors
    /// `ValueError` if no tokenizer has this name.
    pub fn new(tokenizer: &Bound<'_, PyAny>) -> PyResult<Self> {
        match tokenizer.extract::<String>() {
            Ok(name) => Ok(Self::Tokenizer(named(&name)?)),
            Err(_) => Ok(Self::Callable(tokenizer.clone().unbind())),
        }
    }
}

/// The counter of one call. Threads share a reader and its counter, so each call keeps its own exception.
pub struct CallCounter<'a> {
    counter: &'a TokenCounter,
    /// The exception that the callable raised; the core receives only the fact that it failed.
    failure: Lock<Option<PyErr>>,
}

impl<'a> CallCounter<'a> {
    /// Starts a call with this counter.
    pub const fn of(counter: &'a TokenCounter) -> Self {
        Self { counter, failure: Lock::new(None) }
    }

    /// The exception that the callable raised during this call.
    pub fn into_failure(self) -> Option<PyErr> {
        self.failure.into_inner()
    }
}

impl Counter for CallCounter<'_> {
    #[allow(clippy::disallowed_methods)]
    fn count(&self, text: &str, proof: NoLockHeld) -> Result<u64> {
        match self.counter {
            TokenCounter::Tokenizer(tokenizer) => Counter::count(tokenizer, text, proof),
            TokenCounter::Callable(callable) => {
                let counted = Python::attach(|py| {
                    calls::call(callable.bind(py), &(text,).into_pyobject(py)?, None)?.extract()
                });
                counted.map_err(|failure: PyErr| {
                    let earlier = self.failure.lock().replace(failure);
                    // Dropping an exception may run the host's code, which must not happen under the lock.
                    drop(earlier);
                    Error::new("", ErrorKind::Cancelled)
                })
            }
        }
    }

    fn prepare(&self, path: &Path) -> Result<()> {
        match self.counter {
            TokenCounter::Tokenizer(tokenizer) => tokenizer.prepare(path),
            TokenCounter::Callable(_) => Ok(()),
        }
    }
}
