//! Work without the GIL, and whether it had to wait for something, such as a disk.

use std::cell::Cell;

use anyread_core::system;
use pyo3::prelude::*;

thread_local! {
    /// How many times work of this thread has waited.
    static WAITED: Cell<u64> = const { Cell::new(0) };
}

/// Releases the GIL while `work` runs, and counts its waits; those for the GIL are not among them.
pub fn without_gil<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| {
        let before = system::waits();
        let result = work();
        if let (Some(before), Some(after)) = (before, system::waits()) {
            WAITED.set(WAITED.get().wrapping_add(after.wrapping_sub(before)));
        }
        result
    })
}

/// How many times work of this thread has waited; `None` if the system does not count this.
pub fn thread_waits() -> Option<u64> {
    system::waits().map(|_| WAITED.get())
}
