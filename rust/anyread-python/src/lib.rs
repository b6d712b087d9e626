//! The binding: names arguments, detaches from the interpreter, converts results and errors. Nothing else.

mod arguments;
mod cancel;
mod counter;
mod errors;
mod fill;
mod notices;
mod result;

use pyo3::prelude::*;

/// The native half of anyread.
#[pymodule]
mod _native {
    use std::collections::BTreeMap;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex, PoisonError};

    use anyread_core::engine::{Answer, Engine, Memory};
    use anyread_core::error::{Error, ErrorKind};
    use anyread_core::index::registry;
    use anyread_core::open::{self, Opener};
    use anyread_core::tokens::{self, Tokenizer};
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;

    use crate::arguments::{Asked, Limits, PyGutter, path_from};
    #[pymodule_export]
    use crate::cancel::Cancel;
    use crate::cancel::{FlagInterrupt, SignalInterrupt};
    use crate::counter::TokenCounter;
    use crate::errors;
    use crate::result;
    #[pymodule_export]
    use crate::result::Content;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name that Python gives it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// The native half of a Reader: its roots, rules and limits.
    #[pyclass(frozen, module = "anyread._native")]
    struct Core {
        engine: Engine,
        limits: Limits,
        counter: Option<TokenCounter>,
        gutter: PyGutter,
    }

    #[pymethods]
    impl Core {
        #[new]
        #[pyo3(signature = (*, roots, deny, limits, gutter))]
        #[expect(clippy::needless_pass_by_value, reason = "extracted from Python, which owns nothing of it")]
        fn new(
            py: Python<'_>,
            roots: Vec<Vec<u8>>,
            deny: Vec<String>,
            limits: Limits,
            gutter: PyGutter,
        ) -> PyResult<Self> {
            let roots: Vec<PathBuf> = roots.into_iter().map(path_from).collect();
            let opener = Opener::new(&roots, &deny).map_err(|error| errors::to_python(py, error))?;
            let memory = Memory { index_bytes: limits.index_bytes, trust_append: limits.trust_append };
            let counter = limits.counter(py)?;
            Ok(Self { engine: Engine::new(opener, memory), limits, counter, gutter })
        }

        /// Reads one window of one file, detached from the interpreter once.
        #[pyo3(signature = (path, *, offset, limit, column, encoding, kind, foreign, unless_version,
                            since_version, gutter, max_bytes, max_tokens, cancel))]
        #[expect(clippy::too_many_arguments, reason = "the arguments of the public read, by name")]
        fn read<'py>(
            &self,
            py: Python<'py>,
            path: Vec<u8>,
            offset: i64,
            limit: Option<u64>,
            column: u64,
            encoding: Option<String>,
            kind: Option<String>,
            foreign: Option<String>,
            unless_version: Option<String>,
            since_version: Option<String>,
            gutter: Option<Bound<'py, PyAny>>,
            max_bytes: Option<u64>,
            max_tokens: Option<u64>,
            cancel: Option<Py<Cancel>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let asked = Asked {
                offset,
                limit,
                column,
                encoding,
                kind,
                foreign,
                unless_version,
                since_version,
                gutter: gutter.map(|gutter| gutter.extract()).transpose()?,
                max_bytes,
                max_tokens,
            };
            let path = path_from(path);
            let codec = asked.codec(&path).map_err(|error| errors::to_python(py, error))?;
            let flag = cancel.map(|cancel| cancel.get().flag());
            let outcome = py.detach(|| {
                let request = asked.request(&path, codec, self.limits.max_lines);
                let layout = asked.layout(&self.limits, &self.gutter, self.counter.as_ref());
                if let Some(flag) = flag {
                    return (self.engine.read(&request, &layout, &FlagInterrupt::new(flag)), None);
                }
                let interrupt = SignalInterrupt::new();
                let answer = self.engine.read(&request, &layout, &interrupt);
                (answer, interrupt.into_failure())
            });
            if let Some(failure) =
                outcome.1.or_else(|| self.counter.as_ref().and_then(TokenCounter::take_failure))
            {
                return Err(failure);
            }
            match outcome.0 {
                Ok(answer) => result::to_python(py, &path, answer, &asked),
                Err(error) => Err(errors::to_python(py, error)),
            }
        }

        /// Reads the same window of many files on threads of our own; an error is a value in the list.
        #[pyo3(signature = (paths, *, offset, limit, column, encoding, kind, foreign, unless_version,
                            since_version, gutter, max_bytes, max_tokens, threads, cancel))]
        #[expect(clippy::too_many_arguments, reason = "the arguments of the public read_many, by name")]
        fn read_batch<'py>(
            &self,
            py: Python<'py>,
            paths: Vec<Vec<u8>>,
            offset: i64,
            limit: Option<u64>,
            column: u64,
            encoding: Option<String>,
            kind: Option<String>,
            foreign: Option<String>,
            unless_version: Option<String>,
            since_version: Option<String>,
            gutter: Option<Bound<'py, PyAny>>,
            max_bytes: Option<u64>,
            max_tokens: Option<u64>,
            threads: usize,
            cancel: Option<Py<Cancel>>,
        ) -> PyResult<Vec<Bound<'py, PyAny>>> {
            let asked = Asked {
                offset,
                limit,
                column,
                encoding,
                kind,
                foreign,
                unless_version,
                since_version,
                gutter: gutter.map(|gutter| gutter.extract()).transpose()?,
                max_bytes,
                max_tokens,
            };
            let paths: Vec<PathBuf> = paths.into_iter().map(path_from).collect();
            let flag = cancel.map_or_else(Default::default, |cancel| cancel.get().flag());
            let answers = py.detach(|| {
                let answers: Mutex<BTreeMap<usize, Result<Answer, Error>>> = Mutex::default();
                let next = AtomicUsize::new(0);
                let work = || {
                    let interrupt = FlagInterrupt::new(Arc::clone(&flag));
                    let layout = asked.layout(&self.limits, &self.gutter, self.counter.as_ref());
                    loop {
                        let position = next.fetch_add(1, Ordering::Relaxed);
                        let Some(path) = paths.get(position).filter(|_| !flag.is_set()) else { return };
                        let answer = asked.codec(path).and_then(|codec| {
                            let request = asked.request(path, codec, self.limits.max_lines);
                            self.engine.read(&request, &layout, &interrupt)
                        });
                        answers.lock().unwrap_or_else(PoisonError::into_inner).insert(position, answer);
                    }
                };
                std::thread::scope(|scope| {
                    for _ in 1..threads.min(paths.len()) {
                        scope.spawn(work);
                    }
                    work();
                });
                answers.into_inner().unwrap_or_else(PoisonError::into_inner)
            });
            if let Some(failure) = self.counter.as_ref().and_then(TokenCounter::take_failure) {
                return Err(failure);
            }
            if answers.len() < paths.len() {
                return Err(errors::to_python(py, Error::new("", ErrorKind::Cancelled)));
            }
            answers
                .into_iter()
                .map(|(position, answer)| match answer {
                    Ok(answer) => result::to_python(py, &paths[position], answer, &asked),
                    Err(error) => Ok(errors::to_python(py, error).into_value(py).into_bound(py).into_any()),
                })
                .collect()
        }

        /// Counts of what happened since this was made.
        fn stats(&self) -> BTreeMap<&'static str, u64> {
            let counters = self.engine.counters();
            BTreeMap::from([
                ("reads", counters.reads.load(Ordering::Relaxed)),
                ("retries", counters.retries.load(Ordering::Relaxed)),
                ("indexed", counters.indexed.load(Ordering::Relaxed)),
            ])
        }
    }

    /// Forgets every line index of this process.
    #[pyfunction]
    fn drop_indexes() {
        registry::drop_indexes();
    }

    /// Counts the tokens of a text, or estimates them without a tokenizer.
    #[pyfunction]
    fn count_tokens(py: Python<'_>, text: &str, tokenizer: Option<&str>) -> PyResult<u64> {
        let Some(name) = tokenizer else { return Ok(tokens::estimate(text).tokens()) };
        match Tokenizer::from_name(name) {
            Some(tokenizer) => Ok(py.detach(|| tokenizer.count(text))),
            None => Err(PyValueError::new_err(format!(
                "tokenizer must be one of {:?}: {name}",
                Tokenizer::names()
            ))),
        }
    }

    /// A path as it is shown: bytes that are not UTF-8 as `\xff`.
    #[pyfunction]
    fn display_path(path: Vec<u8>) -> String {
        open::display_path(&path_from(path))
    }
}
