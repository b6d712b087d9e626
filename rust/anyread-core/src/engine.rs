//! The pipeline of a read: open, sniff, decide, find the window, build the page, and look whether it still holds.

mod answer;
mod request;
mod verify;

use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::mounts;
use crate::device::{Device, DeviceClass};
use crate::encoding::{Codec, is_slow_to_detect};
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::index::registry::{self, Fresh, Key};
use crate::open::{Opened, Opener};
use crate::page::Layout;
use crate::page::build::build;
use crate::page::view::View;
use crate::scan::{Interrupt, LargeScans, Mapping, Never, to_usize};
use crate::sniff::{ControlCounts, Kind, SNIFF_BYTES, count_controls, is_plain, sniff, sniff_plain};
use crate::source::{Allowance, Patience, Snapshot, Source, read_stream};
use crate::text::TextPlan;

pub use answer::{Answer, FileKind, OpenedFile, TextAnswer};
pub use request::{Request, WantedKind};
use verify::verify;

/// Files up to this size are read whole and have no index.
const SMALL_BYTES: u64 = 1 << 20;
/// The most that is read of a file whose size says nothing.
const STREAM_BYTES: usize = 16 << 20;
/// Text in a stateful encoding that is longer is not decoded where nothing may wait: 64 KiB take milliseconds.
const QUICK_STATEFUL_BYTES: u64 = 8 << 10;
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

/// Reads files below some roots, or any.
#[derive(Debug)]
pub struct Engine {
    opener: Opener,
    memory: Memory,
    counters: Counters,
    scans: LargeScans,
}

impl Engine {
    /// An engine that opens files with `opener`; the environment may limit how ([`Mapping::or_environment`]).
    #[must_use]
    pub fn new(opener: Opener, memory: Memory) -> Self {
        let scans = LargeScans::new(memory.mapping.or_environment());
        Self { opener, memory, counters: Counters::default(), scans }
    }

    /// What happened so far.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// What opens the files.
    #[must_use]
    pub fn opener(&self) -> &Opener {
        &self.opener
    }

    /// What its large scans came to.
    #[must_use]
    pub fn scans(&self) -> &LargeScans {
        &self.scans
    }

    /// Opens a file and recognises it, for who reads it otherwise; `repair` as for [`Opener::open`].
    ///
    /// A file of at most `whole` bytes is read whole on the way.
    ///
    /// # Errors
    /// Those of opening, and of reading the first bytes.
    pub fn open(&self, path: &Path, repair: bool, whole: usize) -> Result<OpenedFile> {
        recognise(self.opener.open(path, repair)?, path, whole, Patience::Waits)
    }

    /// Does the same, without repair, if that needs no waiting.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] where [`Engine::open`] must answer.
    pub fn open_now(&self, path: &Path, whole: usize) -> Result<OpenedFile> {
        let outcome = self.try_open_now(path, whole);
        if let Err(Error { kind: ErrorKind::WouldBlock(blocked), .. }) = &outcome {
            self.count_blocked(*blocked);
        }
        outcome
    }

    fn try_open_now(&self, path: &Path, whole: usize) -> Result<OpenedFile> {
        let blocked = |blocked| Error::new(path, ErrorKind::WouldBlock(blocked));
        let opened = self.opener.open_now(path).map_err(blocked)?;
        let (mount, device) = (opened.mount, opened.device);
        // The end of a file shows itself by one more read.
        let allowance = Allowance::new(device.class, 2 * whole.max(SNIFF_BYTES) as u64 + 2);
        recognise(opened, path, whole, Patience::Now(&allowance)).inspect_err(|error| {
            if let ErrorKind::WouldBlock(reason) = error.kind {
                learn(mount, device, reason);
            }
        })
    }

    /// Reads a window.
    ///
    /// # Errors
    /// Everything of [`ErrorKind`] that can happen to a text.
    pub fn read(
        &self,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<Answer> {
        let mut attempt = 1;
        loop {
            let opened = self.opener.open(request.path, true)?;
            match self.read_opened(&opened, request, layout, interrupt, Patience::Waits) {
                Err(Error { kind: ErrorKind::FileChanged { .. }, .. }) if attempt < ATTEMPTS => {
                    self.counters.retries.fetch_add(1, Ordering::Relaxed);
                    attempt += 1;
                }
                outcome => {
                    self.counters.reads.fetch_add(1, Ordering::Relaxed);
                    return outcome.map(|found| answer(found, opened));
                }
            }
        }
    }

    /// Reads a window if that needs no waiting, whether for a disk, a server or another reader.
    ///
    /// At most `maximum` bytes of the file are looked at, which bounds the work.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] where [`Engine::read`] must answer, and what that would say of the content.
    pub fn read_now(&self, request: &Request<'_>, layout: &Layout<'_>, maximum: u64) -> Result<Answer> {
        let outcome = self.try_now(request, layout, maximum);
        if let Err(Error { kind: ErrorKind::WouldBlock(blocked), .. }) = &outcome {
            self.count_blocked(*blocked);
        } else {
            self.counters.reads.fetch_add(1, Ordering::Relaxed);
            self.counters.inline.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }

    fn count_blocked(&self, blocked: Blocked) {
        let position = Blocked::ALL.iter().position(|other| *other == blocked);
        if let Some(counter) = position.and_then(|position| self.counters.blocked.get(position)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn try_now(&self, request: &Request<'_>, layout: &Layout<'_>, maximum: u64) -> Result<Answer> {
        let blocked = |blocked| Error::new(request.path, ErrorKind::WouldBlock(blocked));
        // A tokenizer is slow, and slower still when it is first used.
        if layout.counter.is_some() {
            return Err(blocked(Blocked::Work));
        }
        let opened = self.opener.open_now(request.path).map_err(blocked)?;
        let allowance = Allowance::new(opened.device.class, maximum);
        let outcome = self.read_opened(&opened, request, layout, &Never, Patience::Now(&allowance));
        match outcome {
            Err(Error { kind: ErrorKind::FileChanged { .. }, .. }) => Err(blocked(Blocked::Work)),
            Err(Error { kind: ErrorKind::WouldBlock(reason), .. }) => {
                learn(opened.mount, opened.device, reason);
                Err(blocked(reason))
            }
            outcome => outcome.map(|found| answer(found, opened)),
        }
    }

    fn read_opened(
        &self,
        opened: &Opened,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
        patience: Patience<'_>,
    ) -> Result<Found> {
        let path = request.path;
        let snapshot = opened.snapshot;
        let is_stream = opened.device.pseudo || snapshot.size == 0;
        let version = if is_stream { String::new() } else { snapshot.version(opened.device.tick_ns) };
        if !version.is_empty() && request.unless_version == Some(version.as_str()) {
            return Ok(Found::Unchanged { version });
        }
        let scans = (opened.device.class != DeviceClass::Hop).then_some(&self.scans);
        let file =
            Source::File { descriptor: opened.descriptor.as_fd(), size: snapshot.size, scans, patience };
        // A picture is not read here, so that its size says nothing about the work.
        let is_too_much = matches!(patience, Patience::Now(allowance) if !allowance.covers(snapshot.size));
        if is_too_much && snapshot.size <= SMALL_BYTES {
            let kind = sniff_source(file, opened, path, false)?;
            return match media_kind(kind, request) {
                Some(kind_read) if !is_stream => Ok(Found::Media { kind: kind_read, found: kind, version }),
                _ => Err(Error::new(path, ErrorKind::WouldBlock(Blocked::Work))),
            };
        }
        let bytes;
        let source = if is_stream {
            bytes = read_stream(path, &opened.descriptor, 0, STREAM_BYTES, patience)?;
            // An ordinary file that was empty for a moment is no stream: what came may be of several writes.
            if !opened.device.pseudo && Snapshot::of(&opened.descriptor).is_ok_and(|now| now.size > 0) {
                return Err(Error::new(path, ErrorKind::FileChanged { change: "rewritten" }));
            }
            Source::Memory(&bytes)
        } else if snapshot.size <= SMALL_BYTES {
            bytes = read_small(path, opened, patience)?;
            Source::Memory(&bytes)
        } else {
            file
        };
        // One look that settles most small files saves several closer ones.
        let is_plain = matches!(source, Source::Memory(bytes) if is_plain(bytes));
        let kind = sniff_source(source, opened, path, is_plain)?;
        if let Some(kind_read) = media_kind(kind, request).filter(|_| !is_stream) {
            return Ok(Found::Media { kind: kind_read, found: kind, version });
        }
        let media_type = check_kind(kind, source.size(), request)?;
        // Short enough to be read in place is not short enough for statistics.
        let is_slow = |bytes: &[u8]| request.encoding.is_none() && !is_plain && is_slow_to_detect(bytes);
        if matches!((patience, source), (Patience::Now(_), Source::Memory(bytes)) if is_slow(bytes)) {
            return Err(Error::new(path, ErrorKind::WouldBlock(Blocked::Work)));
        }
        let view = self.view(source, opened, request, interrupt, is_plain)?;
        // Its characters can only be found by decoding from the start of the line.
        if matches!(patience, Patience::Now(_))
            && view.plan.codec.is_stateful()
            && source.size() > QUICK_STATEFUL_BYTES
        {
            return Err(Error::new(path, ErrorKind::WouldBlock(Blocked::Work)));
        }
        let page = build(&view, request.window, layout).and_then(|page| {
            if !is_stream {
                verify(&view, opened, request, layout, &page, patience)?;
            }
            Ok(page)
        });
        if let Some((entry, _)) = &view.shared {
            if matches!(&page, Err(error) if matches!(error.kind, ErrorKind::FileChanged { .. })) {
                entry.forget();
            }
            registry::trim(self.memory.index_bytes);
        }
        let page = page?;
        let is_clear = view.plan.is_plain && layout.gutter.is_plain();
        let controls = if is_clear { ControlCounts::default() } else { count_controls(&page.text) };
        Ok(Found::Text(Box::new(TextAnswer {
            controls,
            page,
            plan: view.plan,
            real_path: opened.real_path.clone(),
            link_followed: opened.link_followed,
            repaired: opened.repaired,
            media_type,
            promised: kind.broken_promise(opened.real_path.file_name().unwrap_or_default()),
            size_bytes: source.size(),
            modified_ns: snapshot.modified_ns,
            version,
            stream_cut: is_stream && source.size() >= STREAM_BYTES as u64,
        })))
    }

    fn view<'a>(
        &self,
        source: Source<'a>,
        opened: &Opened,
        request: &Request<'a>,
        interrupt: &'a dyn Interrupt,
        is_plain: bool,
    ) -> Result<View<'a>> {
        let path = request.path;
        let decide = || TextPlan::decide(source, path, request.encoding);
        if let Source::Memory(bytes) = source {
            let is_settled = is_plain && request.encoding.is_none() && memchr::memchr(b'\n', bytes).is_some();
            let plan = if is_settled { TextPlan::PLAIN } else { decide()? };
            return Ok(View { source, path, plan, shared: None, interrupt });
        }
        let key = Key { identity: opened.snapshot.identity(), encoding: request.encoding.map(Codec::name) };
        let fresh = Fresh {
            snapshot: opened.snapshot,
            racy: opened.snapshot.is_racy(opened.device.tick_ns),
            trust_append: self.memory.trust_append,
        };
        let entry = registry::entry(&key);
        let known = entry.known(source, path, fresh, decide)?;
        if known.index.blocks() > 0 {
            self.counters.indexed.fetch_add(1, Ordering::Relaxed);
        }
        Ok(View { source, path, plan: known.plan, shared: Some((entry, known)), interrupt })
    }
}

/// Keeps for the next reads of a mount why one of its files would have been waited for.
fn learn(mount: mounts::Mount, device: Device, reason: Blocked) {
    match reason {
        Blocked::Pages => mounts::pause(mount),
        Blocked::Device => mounts::learn(mount, Device { class: DeviceClass::Hop, ..device }),
        _ => {}
    }
}

/// Tells by its first bytes and its name what a file is.
fn recognise(opened: Opened, path: &Path, whole: usize, patience: Patience<'_>) -> Result<OpenedFile> {
    let size = opened.snapshot.size;
    let (head, is_whole) = if size <= whole as u64 {
        let bytes = read_stream(path, &opened.descriptor, to_usize(size), whole, patience)?;
        // A file of `/proc` has no size, and ends where a read does.
        let has_ended = if size == 0 { bytes.len() < whole } else { bytes.len() as u64 == size };
        // What was read while somebody wrote may be of several states.
        let is_whole = has_ended && Snapshot::of(&opened.descriptor) == Ok(opened.snapshot);
        (bytes, is_whole)
    } else {
        let source = Source::File { descriptor: opened.descriptor.as_fd(), size, scans: None, patience };
        (source.bytes(path, 0, SNIFF_BYTES)?.into_owned(), false)
    };
    let name = opened.real_path.file_name().unwrap_or_default();
    let found = sniff(&head[..head.len().min(SNIFF_BYTES)], name);
    let kind = match found {
        Kind::Text { .. } => FileKind::Text,
        Kind::Image { .. } => FileKind::Image,
        Kind::Pdf => FileKind::Pdf,
        Kind::Notebook => FileKind::Notebook,
        Kind::Binary { .. } => FileKind::Binary,
    };
    let version = if size == 0 { String::new() } else { opened.snapshot.version(opened.device.tick_ns) };
    let promised = found.broken_promise(name);
    Ok(OpenedFile { opened, kind, media_type: found.media_type(), promised, version, head, is_whole })
}

/// What a look at an opened file came to.
enum Found {
    Text(Box<TextAnswer>),
    Unchanged { version: String },
    Media { kind: FileKind, found: Kind, version: String },
}

/// The answer that a look at `opened` came to.
fn answer(found: Found, opened: Opened) -> Answer {
    match found {
        Found::Text(answer) => Answer::Text(answer),
        Found::Unchanged { version } => Answer::Unchanged { version },
        Found::Media { kind, found, version } => {
            let promised = found.broken_promise(opened.real_path.file_name().unwrap_or_default());
            let media_type = found.media_type();
            let (head, is_whole) = (Vec::new(), false);
            Answer::Opened(Box::new(OpenedFile {
                opened,
                kind,
                media_type,
                promised,
                version,
                head,
                is_whole,
            }))
        }
    }
}

/// What others decode a file as, if they do.
fn media_kind(found: Kind, request: &Request<'_>) -> Option<FileKind> {
    match request.kind {
        Some(WantedKind::Text) => None,
        Some(WantedKind::Image) => Some(FileKind::Image),
        Some(WantedKind::Pdf) => Some(FileKind::Pdf),
        Some(WantedKind::Notebook) => Some(FileKind::Notebook),
        None => match found {
            Kind::Image { .. } => Some(FileKind::Image),
            Kind::Pdf => Some(FileKind::Pdf),
            Kind::Notebook if request.notebook_cells => Some(FileKind::Notebook),
            _ => None,
        },
    }
}

/// Reads a small file up to the size it had when it was opened.
fn read_small(path: &Path, opened: &Opened, patience: Patience<'_>) -> Result<Vec<u8>> {
    let size = to_usize(opened.snapshot.size);
    let bytes = read_stream(path, &opened.descriptor, size, size, patience)?;
    if bytes.len() < size {
        return Err(Error::new(path, ErrorKind::FileChanged { change: "truncated" }));
    }
    Ok(bytes)
}

/// What the first bytes and the name say.
fn sniff_source(source: Source<'_>, opened: &Opened, path: &Path, is_plain: bool) -> Result<Kind> {
    let name = opened.real_path.file_name().unwrap_or_default();
    match source {
        Source::Memory(bytes) if is_plain => Ok(sniff_plain(bytes, name)),
        Source::Memory(bytes) => Ok(sniff(&bytes[..bytes.len().min(SNIFF_BYTES)], name)),
        Source::File { .. } => Ok(sniff(&source.bytes(path, 0, SNIFF_BYTES)?, name)),
    }
}

/// The media type of a text, or the error that something else is.
fn check_kind(found: Kind, size_bytes: u64, request: &Request<'_>) -> Result<&'static str> {
    let refuse = |kind| Err(Error::new(request.path, kind));
    let as_text = request.kind == Some(WantedKind::Text);
    let media_type = match found {
        Kind::Text { .. } | Kind::Notebook => found.media_type(),
        _ if as_text => "text/plain",
        // A stream (`/proc`) of a picture is not decoded.
        Kind::Image { media_type } => {
            return refuse(ErrorKind::UnsupportedFormat { media_type: media_type.to_owned(), size_bytes });
        }
        Kind::Pdf => {
            let media_type = found.media_type().to_owned();
            return refuse(ErrorKind::UnsupportedFormat { media_type, size_bytes });
        }
        Kind::Binary { media_type } => {
            return refuse(ErrorKind::Binary { media_type: media_type.to_owned(), size_bytes });
        }
    };
    match request.foreign {
        None => Ok(media_type),
        Some(argument) => refuse(ErrorKind::WrongKind { argument: argument.to_owned(), kind: "text" }),
    }
}
