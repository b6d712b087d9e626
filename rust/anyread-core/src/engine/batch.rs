//! Reading several files at once, on threads that end with the call.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use super::{Answer, Engine, Pending, Request};
use crate::error::{Error, ErrorKind, Result};
use crate::lock::{Lock, NoLockHeld};
use crate::open::Listings;
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
    /// Whether it is read even if it is on a mount whose calls may hang.
    pub may_hang: bool,
}

/// The outcome for one file of a batch.
#[derive(Debug)]
pub enum Batched {
    /// It was read.
    Answer(Answer),
    /// It was found, and has so many bytes.
    Size(u64),
    /// It is on a mount whose calls may hang; the caller must read it separately.
    Remote,
    /// One of [`BatchFile::unless`] exists, by its position.
    Named(usize),
}

impl Engine {
    /// Reads several files, on at most `threads` threads; without a layout, only finds them.
    ///
    /// Outcomes are in the order of the files; one file that cannot be read does not stop the others.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] if the interrupt stopped the call before every file was read.
    pub fn read_many(
        &self,
        files: &[BatchFile<'_>],
        layout: Option<&Layout<'_>>,
        threads: usize,
        interrupt: &(dyn Interrupt + Sync),
    ) -> Result<Vec<Result<Batched>>> {
        let outcomes: Lock<BTreeMap<usize, Result<Batched>>> = Lock::default();
        let next = AtomicUsize::new(0);
        let listings = Listings::default();
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(index) else { return };
                if interrupt.interrupted(NoLockHeld::check()) {
                    return;
                }
                let outcome = self.read_one(file, layout, interrupt, &listings);
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

    /// Reads several files without waiting; `None` if one of them cannot be read in this way.
    #[must_use]
    pub fn read_many_now(
        &self,
        files: &[BatchFile<'_>],
        layout: &Layout<'_>,
    ) -> Option<Vec<Result<Batched>>> {
        let read = |file: &BatchFile<'_>| {
            let is_alone = file.unless.iter().all(|name| self.opener().is_absent_now(name));
            let answer = is_alone.then(|| self.read(file.path, file.request, layout, None));
            answer?.ok().map(|answer| Ok(Batched::Answer(answer)))
        };
        files.iter().map(read).collect()
    }

    fn read_one(
        &self,
        file: &BatchFile<'_>,
        layout: Option<&Layout<'_>>,
        interrupt: &dyn Interrupt,
        listings: &Listings,
    ) -> Result<Batched> {
        if !file.may_hang && self.opener().remote_mount(file.path).is_some() {
            return Ok(Batched::Remote);
        }
        if let Some(index) = file.unless.iter().position(|name| self.opener().exists(name)) {
            return Ok(Batched::Named(index));
        }
        let opened = self.opener().open_meant(file.path, listings)?;
        let Some(layout) = layout else { return Ok(Batched::Size(opened.snapshot.size)) };
        let mut pending = Some(Box::new(Pending::new(opened, true)));
        self.read_on(&mut pending, file.path, file.request, layout, Some(interrupt)).map(Batched::Answer)
    }
}
