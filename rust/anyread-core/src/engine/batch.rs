//! Reading several files at once, on threads that end with the call.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use super::{Answer, Engine, Request};
use crate::error::{Error, ErrorKind, Result};
use crate::lock::{Lock, NoLockHeld};
use crate::page::Layout;
use crate::scan::Interrupt;

impl Engine {
    /// The size of a file in bytes, without reading it; `None` if it is on a mount whose calls may hang.
    ///
    /// # Errors
    /// As [`crate::open::Opener::open`].
    pub fn size_of(&self, path: &Path) -> Result<Option<u64>> {
        match self.opener().remote_mount(path) {
            Some(_) => Ok(None),
            None => Ok(Some(self.opener().open(path, true)?.snapshot.size)),
        }
    }

    /// Reads the same window of each of several files, on at most `threads` threads.
    ///
    /// Outcomes are in the order of the paths; one file that cannot be read does not stop the others.
    /// The outcome is `None` for a file on a mount whose calls may hang; the caller must read it separately.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] if the interrupt stopped the call before every file was read.
    pub fn read_many(
        &self,
        paths: &[&Path],
        request: &Request<'_>,
        layout: &Layout<'_>,
        threads: usize,
        interrupt: &(dyn Interrupt + Sync),
    ) -> Result<Vec<Result<Option<Answer>>>> {
        let outcomes: Lock<BTreeMap<usize, Result<Option<Answer>>>> = Lock::default();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(path) = paths.get(index) else { return };
                if interrupt.interrupted(NoLockHeld::check()) {
                    return;
                }
                let outcome = match self.opener().remote_mount(path) {
                    Some(_) => Ok(None),
                    None => self.read(path, request, layout, Some(interrupt)).map(Some),
                };
                outcomes.lock().insert(index, outcome);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(paths.len()) {
                // If the system refuses more threads, the ones that were started do all the work.
                if Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        let outcomes = outcomes.into_inner();
        if outcomes.len() < paths.len() {
            return Err(Error::new("", ErrorKind::Cancelled));
        }
        Ok(outcomes.into_values().collect())
    }
}
