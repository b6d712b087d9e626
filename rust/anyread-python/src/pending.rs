//! Reads that have to wait, with the file that was opened for them.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyread_core::engine::Pending;
use pyo3::prelude::*;

/// How many reads of this process keep their file open until a thread is free for them.
///
/// Thousands may be waiting, and descriptors are few; the others open their file again.
const MOST_KEPT: usize = 16;

/// How many there are.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// A read that has to wait. Its file is closed when nothing refers to it any more.
#[pyclass(module = "anyread._native")]
pub struct PendingRead {
    file: Option<Box<Pending>>,
}

impl PendingRead {
    /// A read with the file that was opened for it, if there is one.
    pub fn new(file: Option<Box<Pending>>) -> Self {
        let one_more = |kept: usize| (kept < MOST_KEPT).then_some(kept + 1);
        let has_room = || KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok();
        Self { file: file.filter(|_| has_room()) }
    }

    /// The file, for the thread that reads it.
    pub fn take(&mut self) -> Option<Box<Pending>> {
        let file = self.file.take();
        if file.is_some() {
            KEPT.fetch_sub(1, Ordering::Relaxed);
        }
        file
    }
}

#[pymethods]
impl PendingRead {
    /// Closes the file of a read that nobody waits for any more.
    fn close(&mut self) {
        self.take();
    }
}

impl Drop for PendingRead {
    fn drop(&mut self) {
        self.take();
    }
}
