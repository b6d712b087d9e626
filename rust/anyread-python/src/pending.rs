//! Reads that must wait for a thread, with the file that was opened for them.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyread_core::engine::Pending;
use anyread_core::lock::Lock;
use pyo3::prelude::*;

/// The maximum number of reads in this process that keep their file open until a thread is free.
///
/// Thousands of reads may wait, and descriptors are limited; other reads open their file again.
const MOST_KEPT: usize = 16;

/// The current number of such reads.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// A read that must wait for a thread. Its file is closed when the last reference is dropped.
#[pyclass(frozen, module = "anyread._native")]
pub struct PendingRead {
    file: Lock<Option<Box<Pending>>>,
}

impl PendingRead {
    /// Creates a pending read with the file that was opened for it, if there is one.
    pub fn new(file: Option<Box<Pending>>) -> Self {
        let one_more = |kept: usize| (kept < MOST_KEPT).then_some(kept + 1);
        let has_room = || KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok();
        Self { file: Lock::new(file.filter(|_| has_room())) }
    }

    /// Takes the file, for the thread that reads it, unless another one has taken it.
    pub fn take(&self) -> Option<Box<Pending>> {
        let file = self.file.lock().take();
        if file.is_some() {
            KEPT.fetch_sub(1, Ordering::Relaxed);
        }
        file
    }
}

#[pymethods]
impl PendingRead {
    /// Closes the file of a read that is no longer needed.
    fn close(&self) {
        self.take();
    }
}

impl Drop for PendingRead {
    fn drop(&mut self) {
        self.take();
    }
}
