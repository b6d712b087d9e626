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

/// One file of a batch.
#[derive(Debug, Clone, Copy)]
pub struct BatchFile<'a> {
    /// Its path.
    pub path: &'a Path,
    /// What to read of it.
    pub request: &'a Request<'a>,
    /// Other paths; if one of them exists, the file is not read.
    pub unless: &'a [&'a Path],
}

/// The outcome for one file of a batch.
#[derive(Debug)]
pub enum Batched {
    /// It was read.
    Answer(Answer),
    /// It is on a mount whose calls may hang; the caller must read it separately.
    Remote,
    /// One of [`BatchFile::unless`] exists, by its position.
    Named(usize),
}

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

    /// Reads several files, on at most `threads` threads.
    ///
    /// Outcomes are in the order of the files; one file that cannot be read does not stop the others.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] if the interrupt stopped the call before every file was read.
    pub fn read_many(
        &self,
        files: &[BatchFile<'_>],
        layout: &Layout<'_>,
        threads: usize,
        interrupt: &(dyn Interrupt + Sync),
    ) -> Result<Vec<Result<Batched>>> {
        let outcomes: Lock<BTreeMap<usize, Result<Batched>>> = Lock::default();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(index) else { return };
                if interrupt.interrupted(NoLockHeld::check()) {
                    return;
                }
                let outcome = self.read_one(file, layout, interrupt);
                outcomes.lock().insert(index, outcome);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(files.len()) {
                // If the system refuses more threads, the ones that were started do all the work.
                if Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        let outcomes = outcomes.into_inner();
        if outcomes.len() < files.len() {
            return Err(Error::new("", ErrorKind::Cancelled));
        }
        Ok(outcomes.into_values().collect())
    }

    fn read_one(
        &self,
        file: &BatchFile<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<Batched> {
        if self.opener().remote_mount(file.path).is_some() {
            return Ok(Batched::Remote);
        }
        if let Some(index) = file.unless.iter().position(|name| self.opener().exists(name)) {
            return Ok(Batched::Named(index));
        }
        self.read(file.path, file.request, layout, Some(interrupt)).map(Batched::Answer)
    }
}
