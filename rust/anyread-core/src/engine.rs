//! The engine: opens files, and reads windows of them.

mod answer;
mod batch;
mod opened;
mod reading;
mod request;
mod verify;

use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::mounts;
use crate::device::{Device, DeviceClass};
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::open::{Opened, Opener};
use crate::page::Layout;
use crate::scan::{Interrupt, LargeScans, Mapping, Never};
use crate::sniff::SNIFF_BYTES;
use crate::source::{Allowance, Patience};

pub use answer::{Answer, TextAnswer};
pub use opened::{FileKind, OpenedFile};
use reading::{Found, Reading};
pub use request::{Request, WantedKind};

/// How often a read begins anew because the file changed under it.
const ATTEMPTS: u32 = 4;

/// How the engine deals with large files.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Most bytes of indexes in this process.
    pub index_bytes: u64,
    /// Whether a grown file may keep its index if samples of it are as they were.
    pub trust_append: bool,
    /// Whether large files of local file systems may be mapped.
    pub mapping: Mapping,
}

/// Counts of what happened, since the engine was made.
#[derive(Debug, Default)]
pub struct Counters {
    /// Reads that were answered.
    pub reads: AtomicU64,
    /// Reads that began anew because the file changed under them.
    pub retries: AtomicU64,
    /// Reads that found a line index from an earlier read.
    pub indexed: AtomicU64,
    /// Reads that were answered without waiting for anything.
    pub inline: AtomicU64,
    /// Attempts not to wait that were given up, in the order of [`Blocked::ALL`].
    pub blocked: [AtomicU64; Blocked::ALL.len()],
}

/// What an engine shares with the files that it has opened.
#[derive(Debug)]
struct Shared {
    memory: Memory,
    counters: Counters,
    scans: LargeScans,
}

impl Shared {
    fn count_blocked(&self, blocked: Blocked) {
        let position = Blocked::ALL.iter().position(|other| *other == blocked);
        if let Some(counter) = position.and_then(|position| self.counters.blocked.get(position)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts the outcome of an attempt that must not wait.
    fn count_attempt<T>(&self, outcome: &Result<T>) {
        if let Err(Error { kind: ErrorKind::WouldBlock(blocked), .. }) = outcome {
            self.count_blocked(*blocked);
        } else {
            self.counters.reads.fetch_add(1, Ordering::Relaxed);
            self.counters.inline.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Reads files below some roots, or any.
#[derive(Debug)]
pub struct Engine {
    opener: Opener,
    shared: Arc<Shared>,
}

impl Engine {
    /// An engine that opens files with `opener`; the environment may limit how ([`Mapping::or_environment`]).
    #[must_use]
    pub fn new(opener: Opener, memory: Memory) -> Self {
        let scans = LargeScans::new(memory.mapping.or_environment());
        Self { opener, shared: Arc::new(Shared { memory, counters: Counters::default(), scans }) }
    }

    /// What happened so far.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// What opens the files.
    #[must_use]
    pub fn opener(&self) -> &Opener {
        &self.opener
    }

    /// What its large scans came to.
    #[must_use]
    pub fn scans(&self) -> &LargeScans {
        &self.shared.scans
    }

    /// Opens a file and detects its type; `repair` as for [`Opener::open`].
    ///
    /// A file of at most `whole` bytes is read whole on the way.
    ///
    /// # Errors
    /// Those of opening, and of reading the first bytes.
    pub fn open(&self, path: &Path, repair: bool, whole: usize) -> Result<OpenedFile> {
        let opened = self.opener.open(path, repair)?;
        OpenedFile::recognise(path, opened, Arc::clone(&self.shared), whole, Patience::Waits)
    }

    /// Does the same, without repair, if that needs no waiting.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] where [`Engine::open`] must answer.
    pub fn open_now(&self, path: &Path, whole: usize) -> Result<OpenedFile> {
        let outcome = self.try_open_now(path, whole);
        if let Err(Error { kind: ErrorKind::WouldBlock(blocked), .. }) = &outcome {
            self.shared.count_blocked(*blocked);
        }
        outcome
    }

    fn try_open_now(&self, path: &Path, whole: usize) -> Result<OpenedFile> {
        let opened = self.opener.open_now(path).map_err(|blocked| would_block(path, blocked))?;
        let (mount, device) = (opened.mount, opened.device);
        // The end of a file shows itself by one more read.
        let allowance = Allowance::new(device.class, 2 * whole.max(SNIFF_BYTES) as u64 + 2);
        let shared = Arc::clone(&self.shared);
        OpenedFile::recognise(path, opened, shared, whole, Patience::Now(&allowance))
            .inspect_err(|error| learn(mount, device, error))
    }

    /// Opens a file and reads a window of it.
    ///
    /// # Errors
    /// Everything of [`ErrorKind`] that can happen to a text.
    pub fn read(
        &self,
        path: &Path,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<Answer> {
        let counters = self.counters();
        let mut attempt = 1;
        loop {
            let opened = self.opener.open(path, true)?;
            match self.answer(path, opened, request, layout, interrupt, Patience::Waits) {
                Err(Error { kind: ErrorKind::FileChanged { .. }, .. }) if attempt < ATTEMPTS => {
                    counters.retries.fetch_add(1, Ordering::Relaxed);
                    attempt += 1;
                }
                outcome => {
                    counters.reads.fetch_add(1, Ordering::Relaxed);
                    return outcome;
                }
            }
        }
    }

    /// Does the same if that needs no waiting, whether for a disk, a server or another reader.
    ///
    /// At most `maximum` bytes of the file are looked at, which bounds the work.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] where [`Engine::read`] must answer, and what that would say of the content.
    pub fn read_now(
        &self,
        path: &Path,
        request: &Request<'_>,
        layout: &Layout<'_>,
        maximum: u64,
    ) -> Result<Answer> {
        let outcome = self.try_now(path, request, layout, maximum);
        self.shared.count_attempt(&outcome);
        outcome
    }

    fn try_now(
        &self,
        path: &Path,
        request: &Request<'_>,
        layout: &Layout<'_>,
        maximum: u64,
    ) -> Result<Answer> {
        // A tokenizer is slow, and slower still when it is first used.
        if layout.counter.is_some() {
            return Err(would_block(path, Blocked::Work));
        }
        let opened = self.opener.open_now(path).map_err(|blocked| would_block(path, blocked))?;
        let (mount, device) = (opened.mount, opened.device);
        let allowance = Allowance::new(device.class, maximum);
        self.answer(path, opened, request, layout, &Never, Patience::Now(&allowance))
            .map_err(|error| settle(path, mount, device, error))
    }

    /// Answers a request with a file that is opened for it alone.
    fn answer(
        &self,
        path: &Path,
        opened: Opened,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
        patience: Patience<'_>,
    ) -> Result<Answer> {
        let version = opened::version_of(&opened);
        let content = OnceLock::new();
        let reading = Reading {
            shared: &self.shared,
            path,
            opened: &opened,
            version: &version,
            content: &content,
            patience,
        };
        match reading.find(request, layout, interrupt)? {
            Found::Text(answer) => Ok(Answer::Text(answer)),
            Found::Unchanged => Ok(Answer::Unchanged { version }),
            Found::Media { kind, found } => {
                let shared = Arc::clone(&self.shared);
                let content = content.into_inner();
                let file = OpenedFile::new(path, opened, shared, version, (kind, found), content);
                Ok(Answer::Opened(Box::new(file)))
            }
        }
    }
}

fn would_block(path: &Path, blocked: Blocked) -> Error {
    Error::new(path, ErrorKind::WouldBlock(blocked))
}

/// The error of an attempt that must not wait; a file that changes is left to who may try again.
fn settle(path: &Path, mount: mounts::Mount, device: Device, error: Error) -> Error {
    learn(mount, device, &error);
    match error.kind {
        ErrorKind::FileChanged { .. } => would_block(path, Blocked::Work),
        _ => error,
    }
}

/// Keeps for the next reads of a mount why one of its files would have been waited for.
fn learn(mount: mounts::Mount, device: Device, error: &Error) {
    match error.kind {
        ErrorKind::WouldBlock(Blocked::Pages) => mounts::pause(mount),
        ErrorKind::WouldBlock(Blocked::Device) => {
            mounts::learn(mount, Device { class: DeviceClass::Hop, ..device });
        }
        _ => {}
    }
}
