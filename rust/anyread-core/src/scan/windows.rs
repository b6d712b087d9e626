//! The windows of a scan: the threads that process them, and how each gets its bytes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::choice::Choice;
use super::{BLOCK, Blocks, ChunkBuffer, Interrupt, Terminator, WINDOW, behind, saturating_u16, to_usize};
use crate::error::{Error, ErrorKind, Result};
use crate::guard::{MappedWindow, ScanThread};
use crate::lock::{Lock, NoLockHeld, Signal};
use crate::source::Source;

/// Bytes of a mapping that are copied at a time.
const CHUNK: usize = 128 << 10;
/// How many more bytes the last chunk may have, so that the few bytes after a window need no call of their own.
const SPARE: usize = 64;
/// How many bytes the calling thread reads before it checks again whether it was interrupted.
const UNCHECKED: usize = CHUNK;
/// The minimum work for a thread.
const WORTH_A_THREAD: u64 = 3 << 20;
/// Up to this many bytes the calling thread works too, because it would wait for about as long as a thread takes
/// to start. It works alone if there is not enough work for two.
const SHORT: u64 = 16 << 20;
/// How many windows each thread gets of a small scan, so that all threads end at about the same time.
const SHARES: u64 = 4;
/// The minimum size of a window, because each needs a few reads around it.
const SMALLEST_WINDOW: u64 = 1 << 20;
/// How often the calling thread checks whether it was canceled.
const POLL: Duration = Duration::from_millis(2);
/// How many bytes around its window a mapping includes; the length of a character is enough.
const EDGE: u64 = 64;

/// A part of a source, as a worker sees it.
pub struct ScanWindow<'a> {
    source: Source<'a>,
    path: &'a Path,
    range: Range<u64>,
    stop: &'a AtomicBool,
    scratch: &'a mut ScanBuffers,
    mapped: Option<&'a MappedWindow<'a>>,
    /// On the calling thread, what may interrupt it.
    interrupt: Option<&'a dyn Interrupt>,
}

/// The memory of a thread that works on windows.
struct ScanBuffers {
    /// What was read last.
    chunk: ChunkBuffer,
    /// What was copied last from a mapping.
    copied: Vec<u8>,
}

impl ScanBuffers {
    fn for_scan(bytes: u64) -> Self {
        Self { chunk: ChunkBuffer::for_scan(bytes), copied: Vec::new() }
    }
}

impl ScanWindow<'_> {
    /// The bytes of the source that the window covers.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Whether the result is no longer needed.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        is_stopped(self.stop, self.interrupt)
    }

    /// Passes the bytes of `range`, which lies in or around the window, to `take`, chunk by chunk.
    ///
    /// # Errors
    /// Those of [`Source::read_at`]; [`ErrorKind::Cancelled`] once the result is no longer needed.
    pub fn read(&mut self, range: Range<u64>, mut take: impl FnMut(&[u8])) -> Result<()> {
        let range = range.start..range.end.min(self.source.size());
        for chunk in chunks(&range) {
            let copied = self.mapped.and_then(|mapped| {
                self.scratch.copied.resize(to_usize(chunk.end - chunk.start), 0);
                mapped.copy(&chunk, &mut self.scratch.copied)
            });
            if copied.is_none() {
                let Self { source, path, stop, interrupt, .. } = *self;
                let mut unchecked = 0;
                let buffer = &mut self.scratch.chunk;
                return read_window(source, path, chunk.start..range.end, stop, buffer, |bytes| {
                    take(bytes);
                    unchecked += bytes.len();
                    if unchecked >= UNCHECKED {
                        unchecked = 0;
                        // If it is stopped, the next step reports that.
                        is_stopped(stop, interrupt);
                    }
                    true
                });
            }
            self.check()?;
            take(&self.scratch.copied);
        }
        Ok(())
    }

    /// Fills `buffer` from `offset` on; returns how many bytes there were, fewer only at the end.
    ///
    /// # Errors
    /// Those of [`ScanWindow::read`].
    pub fn fill(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.check()?;
        let left = to_usize(self.source.size().saturating_sub(offset));
        let length = buffer.len().min(left);
        let copied = self.mapped.and_then(|mapped| {
            mapped.copy(&(offset..offset + length as u64), &mut buffer[..length]).map(|()| length)
        });
        copied.map_or_else(|| self.source.read_at(self.path, offset, buffer), Ok)
    }

    /// The count of a terminator in each block of the window, which must begin at the start of a block.
    ///
    /// # Errors
    /// Those of [`ScanWindow::read`].
    pub fn count_blocks(&mut self, terminator: Terminator) -> Result<Vec<u16>> {
        let mut counts = Vec::with_capacity(to_usize(WINDOW / BLOCK));
        if let Some(mapped) = self.mapped.filter(|_| terminator.width == 1 && terminator.is_single()) {
            for chunk in chunks(&self.range) {
                self.check()?;
                for start in (chunk.start..chunk.end).step_by(to_usize(BLOCK)) {
                    let block = start..(start + BLOCK).min(chunk.end);
                    counts.extend(mapped.count(&block, terminator.value).map(saturating_u16));
                }
            }
        } else {
            let start = self.range.start;
            let mut before = Vec::new();
            self.read(start - behind(terminator, start)..start, |bytes| before.extend_from_slice(bytes))?;
            let mut blocks = Blocks::after(terminator, &before);
            self.read(self.range(), |chunk| {
                counts.extend(chunk.chunks(to_usize(BLOCK)).map(|block| blocks.count(block)));
            })?;
        }
        Ok(counts)
    }

    /// # Errors
    /// [`ErrorKind::Cancelled`] once the result is no longer needed.
    pub fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::new(self.path, ErrorKind::Cancelled)) } else { Ok(()) }
    }
}

/// Whether a scan was stopped, or is now because the calling thread was interrupted.
fn is_stopped(stop: &AtomicBool, interrupt: Option<&dyn Interrupt>) -> bool {
    if interrupt.is_some_and(|interrupt| interrupt.interrupted(NoLockHeld::check())) {
        stop.store(true, Ordering::Relaxed);
    }
    stop.load(Ordering::Relaxed)
}

fn chunks(range: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
    let end = range.end;
    (range.start..end).step_by(CHUNK).map(move |start| start..(start + CHUNK as u64).min(end))
}

/// Reads `range` in chunks through `buffer` and passes each to `take`, until `take` returns `false`.
///
/// # Errors
/// Those of [`Source::read_at`]; [`ErrorKind::Cancelled`] once `stop` is set.
pub fn read_window(
    source: Source<'_>,
    path: &Path,
    range: Range<u64>,
    stop: &AtomicBool,
    buffer: &mut ChunkBuffer,
    mut take: impl FnMut(&[u8]) -> bool,
) -> Result<()> {
    let chunk = buffer.chunk();
    let space = buffer.space(path, chunk + SPARE)?;
    let mut offset = range.start;
    while offset < range.end {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::new(path, ErrorKind::Cancelled));
        }
        let left = to_usize(range.end - offset);
        let length = if left <= space.len() { left } else { chunk };
        let count = source.read_at(path, offset, &mut space[..length])?;
        if count == 0 || !take(&space[..count]) {
            break;
        }
        offset += count as u64;
    }
    Ok(())
}

/// The size of the windows for a scan of `bytes`, a multiple of [`BLOCK`].
#[must_use]
pub fn window_for(bytes: u64) -> u64 {
    let threads = threads_for(bytes, u64::MAX) as u64;
    (bytes / (threads * SHARES)).next_multiple_of(BLOCK).clamp(SMALLEST_WINDOW, WINDOW)
}

/// How many threads a scan of `bytes` in `windows` windows may use.
fn threads_for(bytes: u64, windows: u64) -> usize {
    cores().min(to_usize((bytes / WORTH_A_THREAD).min(windows))).max(1)
}

/// [`in_windows`] with windows of [`WINDOW`] bytes.
///
/// # Errors
/// Those of [`in_windows`].
pub fn in_order<T: Send>(
    source: Source<'_>,
    path: &Path,
    range: &Range<u64>,
    interrupt: &dyn Interrupt,
    work: impl Fn(&mut ScanWindow<'_>) -> Result<T> + Sync,
    take: impl FnMut(T) -> bool,
) -> Result<()> {
    in_windows(source, path, range, WINDOW, interrupt, work, take)
}

/// Runs `work` on the windows of `range` with as many threads as there are cores, and passes the results to
/// `take` in the order of the file.
///
/// In a short scan the calling thread works like the others or alone, unless the file may be mapped, which only
/// threads of the scan may access. It also does all the work if no thread can be started.
/// `work` may be called twice for a window; the first result is then discarded.
/// The scan stops when `take` returns `false`, at the first error, or when it is interrupted.
///
/// # Errors
/// The first error of `work` in the order of the file, and [`ErrorKind::Cancelled`].
pub fn in_windows<T: Send>(
    source: Source<'_>,
    path: &Path,
    range: &Range<u64>,
    window: u64,
    interrupt: &dyn Interrupt,
    work: impl Fn(&mut ScanWindow<'_>) -> Result<T> + Sync,
    mut take: impl FnMut(T) -> bool,
) -> Result<()> {
    let bytes = range.end.saturating_sub(range.start);
    interrupt.expected(bytes);
    let windows = bytes.div_ceil(window);
    let bytes_of = |number: u64| {
        let start = range.start + number * window;
        start..(start + window).min(range.end)
    };
    let stop = AtomicBool::new(false);
    let next = AtomicU64::new(0);
    let results: Lock<BTreeMap<u64, Result<T>>> = Lock::new(BTreeMap::new());
    let arrived = Signal::default();
    let scan = Scan { source, path, stop: &stop, choice: Choice::new(source.large_scans(), range) };
    let helps = bytes <= SHORT && !scan.choice.may_map();
    let threads = threads_for(bytes, windows) - usize::from(helps);
    if helps && threads == 0 {
        let mut scratch = ScanBuffers::for_scan(bytes);
        for number in 0..windows {
            if interrupt.interrupted(NoLockHeld::check()) {
                return Err(Error::new(path, ErrorKind::Cancelled));
            }
            let range = bytes_of(number);
            let length = range.end - range.start;
            let result = scan.work(None, range, &mut scratch, Some(interrupt), &work)?;
            interrupt.scanned(length);
            if !take(result) {
                break;
            }
        }
        return Ok(());
    }

    std::thread::scope(|scope| {
        let worker = || {
            let _stop_on_panic = StopOnPanic { stop: &stop };
            let thread = scan.choice.may_map().then(ScanThread::enter).flatten();
            let mut scratch = ScanBuffers::for_scan(bytes);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= windows || stop.load(Ordering::Relaxed) {
                    return;
                }
                let thread = thread.as_ref().filter(|_| scan.choice.maps(number));
                let result = scan.work(thread, bytes_of(number), &mut scratch, None, &work);
                results.lock().insert(number, result);
                arrived.notify_one();
            }
        };
        // If the system refuses a thread, the scan continues with fewer.
        let started = (0..threads).map_while(|_| Builder::new().spawn_scoped(scope, worker).ok()).count();
        let mut works = started == 0 || helps;
        let mut scratch = ScanBuffers::for_scan(bytes);
        let mut number = 0;
        // The workers must see the flag in every case, or the scope would wait for a scan of the whole file.
        let _stop = StopAtEnd { stop: &stop };
        while number < windows {
            if interrupt.interrupted(NoLockHeld::check()) {
                return Err(Error::new(path, ErrorKind::Cancelled));
            }
            let mut ready = results.lock();
            if let Some(result) = ready.remove(&number) {
                drop(ready);
                let bytes = bytes_of(number);
                interrupt.scanned(bytes.end - bytes.start);
                if !take(result?) {
                    break;
                }
                number += 1;
                continue;
            }
            // A worker has panicked, and the scope will panic as soon as this returns.
            if stop.load(Ordering::Relaxed) {
                return Err(Error::new(path, ErrorKind::Cancelled));
            }
            if !works {
                drop(arrived.wait(ready, POLL));
                continue;
            }
            drop(ready);
            let own = next.fetch_add(1, Ordering::Relaxed);
            works = own < windows;
            if works {
                let result = scan.work(None, bytes_of(own), &mut scratch, Some(interrupt), &work);
                results.lock().insert(own, result);
            }
        }
        Ok(())
    })
}

/// The state shared by the windows of a scan.
struct Scan<'a> {
    source: Source<'a>,
    path: &'a Path,
    stop: &'a AtomicBool,
    choice: Choice<'a>,
}

impl Scan<'_> {
    /// Processes one window, mapped if `thread` is given, and by `pread` otherwise or if the mapping fails.
    fn work<T>(
        &self,
        thread: Option<&ScanThread>,
        range: Range<u64>,
        scratch: &mut ScanBuffers,
        interrupt: Option<&dyn Interrupt>,
        work: impl Fn(&mut ScanWindow<'_>) -> Result<T>,
    ) -> Result<T> {
        let Self { source, path, stop, .. } = *self;
        let begun = Instant::now();
        // The closure unmaps the window before its time is taken.
        let tried = thread.and_then(|thread| self.map(thread, &range)).map(|mapped| {
            let range = range.clone();
            let result = work(&mut ScanWindow {
                source,
                path,
                range,
                stop,
                scratch,
                mapped: Some(&mapped),
                interrupt,
            });
            (result, mapped.is_intact(), mapped.is_hit())
        });
        if let Some((result, is_intact, is_hit)) = tried {
            if is_intact {
                self.choice.was_mapped(begun.elapsed());
                return result;
            }
            self.choice.was_discarded(is_hit);
        }
        let begun = Instant::now();
        let result = work(&mut ScanWindow { source, path, range, stop, scratch, mapped: None, interrupt });
        self.choice.was_read(begun.elapsed());
        result
    }

    fn map(&self, thread: &ScanThread, range: &Range<u64>) -> Option<MappedWindow<'_>> {
        let Source::File { descriptor, size, .. } = self.source else { return None };
        let around = range.start.saturating_sub(EDGE)..range.end.saturating_add(EDGE).min(size);
        MappedWindow::new(thread, descriptor, around)
    }
}

/// Stops a scan if a worker panics, because its results would be awaited forever.
struct StopOnPanic<'a> {
    stop: &'a AtomicBool,
}

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Stops the workers when the calling thread needs no more results, even if it panics.
struct StopAtEnd<'a> {
    stop: &'a AtomicBool,
}

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// How many cores this process may use.
fn cores() -> usize {
    // Cached, because the system call reads files of the control group.
    static CORES: AtomicUsize = AtomicUsize::new(0);
    match CORES.load(Ordering::Relaxed) {
        0 => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            CORES.store(cores, Ordering::Relaxed);
            cores
        }
        cores => cores,
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::scan::Never;

    #[test]
    fn test_windows_are_blocks_and_have_a_maximum() {
        for bytes in [0, 1, BLOCK, (2 << 20) + 1, 10 << 20, 63 << 20, 64 << 20, 1 << 40] {
            let window = window_for(bytes);
            assert!(window.is_multiple_of(BLOCK), "{bytes}");
            assert!((SMALLEST_WINDOW..=WINDOW).contains(&window), "{bytes}");
        }
        assert_eq!((window_for(1 << 40), threads_for(WORTH_A_THREAD, 9)), (WINDOW, 1));
    }

    #[test]
    fn test_panic_of_a_worker_is_raised_by_the_scan() {
        let bytes = vec![b'\n'; to_usize(WINDOW) * 5];
        let source = Source::Memory(&bytes);
        let scan = |bad: u64| {
            let work = |window: &mut ScanWindow<'_>| {
                assert_ne!(window.range().start, bad * WINDOW, "intended panic");
                Ok(())
            };
            let mut taken = 0;
            let range = 0..bytes.len() as u64;
            in_order(source, Path::new("x"), &range, &Never, work, |()| {
                taken += 1;
                true
            })
            .map(|()| taken)
        };
        assert_eq!(scan(5), Ok(5));
        for bad in 0..5 {
            assert!(catch_unwind(AssertUnwindSafe(|| scan(bad))).is_err());
        }
    }
}
