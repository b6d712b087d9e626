//! Stopping a scan from Python: by a flag that another thread sets, or by a signal such as Ctrl-C.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyread_core::lock::NoLockHeld;
use anyread_core::scan::Interrupt;
use pyo3::prelude::*;

use crate::calls;
use crate::waiting::without_gil;

/// How often signals are checked: each check needs the GIL, which a busy thread may hold for 5 ms.
const SIGNALS: Duration = Duration::from_millis(50);

/// The shared state of a [`Cancel`].
#[derive(Debug)]
pub struct Flag {
    set: AtomicBool,
    created: Instant,
    /// After how many nanoseconds the call must end although it is not cancelled; `NEVER`: not at all.
    ends: AtomicU64,
    scanned: AtomicU64,
    /// How many bytes the call scans at most in all; 0 if that is not known.
    total: AtomicU64,
}

const NEVER: u64 = u64::MAX;

impl Default for Flag {
    fn default() -> Self {
        Self {
            set: AtomicBool::new(false),
            created: Instant::now(),
            ends: AtomicU64::new(NEVER),
            scanned: AtomicU64::new(0),
            total: AtomicU64::new(0),
        }
    }
}

impl Flag {
    /// Whether the call must end.
    pub fn is_set(&self) -> bool {
        let ends = self.ends.load(Ordering::Relaxed);
        self.set.load(Ordering::Relaxed) || (ends != NEVER && self.nanoseconds() >= ends)
    }

    /// The time since it was created.
    fn nanoseconds(&self) -> u64 {
        u64::try_from(self.created.elapsed().as_nanos()).unwrap_or(NEVER)
    }
}

/// Cancels one call from any thread, and reports its progress.
#[pyclass(frozen, module = "anyread._native")]
#[derive(Default)]
pub struct Cancel {
    flag: Arc<Flag>,
}

impl Cancel {
    /// The state that the call checks.
    pub fn flag(&self) -> Arc<Flag> {
        Arc::clone(&self.flag)
    }
}

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Requests that the call stop, which takes a few milliseconds.
    fn cancel(&self) {
        self.flag.set.store(true, Ordering::Relaxed);
    }

    /// Also ends the call after so many seconds; `None`: no longer.
    fn end_in(&self, seconds: Option<f64>) {
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
        let nanoseconds = time.and_then(|time| u64::try_from(time.as_nanos()).ok());
        let ends = nanoseconds.map_or(NEVER, |time| time.saturating_add(self.flag.nanoseconds()));
        self.flag.ends.store(ends, Ordering::Relaxed);
    }

    /// Whether the call was requested to stop.
    #[getter]
    fn cancelled(&self) -> bool {
        self.flag.is_set()
    }

    /// How many bytes the call has scanned so far.
    #[getter]
    fn scanned_bytes(&self) -> u64 {
        self.flag.scanned.load(Ordering::Relaxed)
    }

    /// How many bytes the call scans at most in all; `None` if that is not known.
    #[getter]
    fn total_bytes(&self) -> Option<u64> {
        Some(self.flag.total.load(Ordering::Relaxed)).filter(|total| *total > 0)
    }
}

/// Runs `work` without the GIL; `cancel` or, if it is `None`, a signal interrupts it.
///
/// # Errors
/// The exception that a signal handler raised.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    cancel: Option<Py<Cancel>>,
    work: impl FnOnce(&dyn Interrupt) -> T + Send,
) -> PyResult<T> {
    let flag = cancel.map(|cancel| cancel.get().flag());
    let (outcome, failure) = without_gil(py, || {
        if let Some(flag) = flag {
            return (work(&FlagInterrupt::new(flag)), None);
        }
        let interrupt = SignalInterrupt::new();
        let outcome = work(&interrupt);
        (outcome, interrupt.into_failure())
    });
    failure.map_or(Ok(outcome), Err)
}

/// Stops a scan when the flag is set.
pub struct FlagInterrupt {
    flag: Arc<Flag>,
}

impl FlagInterrupt {
    /// Creates an interrupt for `flag`.
    pub fn new(flag: Arc<Flag>) -> Self {
        Self { flag }
    }
}

impl Interrupt for FlagInterrupt {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        self.flag.is_set()
    }

    fn scanned(&self, bytes: u64) {
        self.flag.scanned.fetch_add(bytes, Ordering::Relaxed);
    }

    fn expected(&self, bytes: u64) {
        let total = self.flag.scanned.load(Ordering::Relaxed).saturating_add(bytes);
        self.flag.total.store(total, Ordering::Relaxed);
    }
}

/// Stops a scan when a Python signal handler raises. Python runs handlers only on its main thread.
struct SignalInterrupt {
    checked_at: Cell<Instant>,
    failure: RefCell<Option<PyErr>>,
}

impl SignalInterrupt {
    /// Starts to check for signals.
    fn new() -> Self {
        Self { checked_at: Cell::new(Instant::now()), failure: RefCell::new(None) }
    }

    /// The exception that the handler raised.
    fn into_failure(self) -> Option<PyErr> {
        self.failure.into_inner()
    }
}

impl Interrupt for SignalInterrupt {
    #[allow(clippy::disallowed_methods)]
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        if self.failure.borrow().is_some() {
            return true;
        }
        if self.checked_at.get().elapsed() < SIGNALS {
            return false;
        }
        self.checked_at.set(Instant::now());
        let outcome = Python::attach(calls::check_signals);
        match outcome {
            Ok(()) => false,
            Err(failure) => {
                self.failure.replace(Some(failure));
                true
            }
        }
    }

    fn scanned(&self, _bytes: u64) {}
}
