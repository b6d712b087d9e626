//! What is known about the lines of a file: shared by all readers of a process, discarded when the file changes.

mod samples;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::cache::{self, About, Keep};
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::index::LineIndex;
use crate::index::columns::LongLines;
use crate::lock::{Lock, NoLockHeld, Signal};
use crate::memory;
use crate::scan::{BLOCK, Interrupt, LineEnds, count_blocks, to_usize};
use crate::source::{Identity, Snapshot, Source};
use crate::text::{Learned, TextPlan};
use samples::Samples;

pub use samples::is_unchanged;

/// Up to this size, counting a file that has grown again takes no longer than comparing samples of it.
const SAMPLED_BYTES: u64 = 1 << 20;
/// How often a reader that waits for another reader's scan checks whether it was canceled.
const POLL: Duration = Duration::from_millis(2);

/// The key of an index: a file, the encoding that the caller requested, if any, and the rule for its lines.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// The file.
    pub identity: Identity,
    /// The name of the encoding that the caller requested.
    pub encoding: Option<&'static str>,
    /// What ends its lines.
    pub line_ends: LineEnds,
    /// Whether these are the lines of the text in a gzip file.
    pub is_decompressed: bool,
}

/// Everything known about a file; immutable, replaced as a whole.
#[derive(Debug, Clone)]
pub struct Known {
    /// The state of the file that this describes.
    pub snapshot: Snapshot,
    /// The decisions about its text.
    pub plan: TextPlan,
    /// Line endings, as far as they have been counted.
    pub index: Arc<LineIndex>,
    /// The estimated number of lines, once it was requested.
    pub estimate: Arc<OnceLock<u64>>,
    /// The same for all states of a file that only grows.
    generation: u64,
    /// Whether the file could have been rewritten since then without a change of its stat.
    racy: bool,
    /// What a `write` may still have been copying then.
    unsettled: Option<Unsettled>,
    /// Whether counts of a smaller file were kept because samples of it are unchanged.
    sampled: bool,
    /// Samples that show whether the file has only grown; `None` if it is rather counted again.
    samples: Option<Samples>,
    /// Not kept when the file grows, because no sample would show that characters were replaced by others of
    /// the same length.
    long_lines: Arc<LongLines>,
}

impl Known {
    /// Whether blocks of the file were counted before, in the same state of the file or a smaller one.
    #[must_use]
    pub fn was_counted(&self, before: CountedGeneration) -> bool {
        before == CountedGeneration(Some(self.generation))
    }

    /// The character counts of its very long lines.
    #[must_use]
    pub fn long_lines(&self) -> &LongLines {
        &self.long_lines
    }

    /// What is known about a file of which nothing was known before.
    fn learn(source: Source<'_>, path: &Path, fresh: Fresh, learned: Learned) -> Result<Self> {
        let Learned { plan, index } = learned;
        // The text in a gzip file is found to be the same by the bytes of the file.
        let is_sampled = source.size() > SAMPLED_BYTES && !matches!(source, Source::Decompressed(_));
        let samples = if is_sampled { Some(Samples::of(source, path, &index)?) } else { None };
        Ok(Self {
            snapshot: fresh.snapshot,
            plan,
            index: Arc::new(index),
            estimate: Arc::default(),
            generation: new_generation(),
            racy: fresh.is_racy(),
            unsettled: Unsettled::of(fresh, 0),
            sampled: false,
            samples,
            long_lines: Arc::default(),
        })
    }

    /// What is known once the file has grown, or once it can be counted again ([`Unsettled`]).
    fn updated<L: Into<Learned>>(
        &self,
        source: Source<'_>,
        path: &Path,
        fresh: Fresh,
        decide: impl Fn() -> Result<L>,
    ) -> Result<Self> {
        let size = self.snapshot.size;
        // How many bytes keep their counts, and which of all bytes are unsettled now.
        let (kept, unsettled) = match self.unsettled {
            None => (size, Unsettled::of(fresh, size)),
            Some(last) if last.is_over(fresh) => (last.start, Unsettled::of(fresh, last.end)),
            Some(last) if self.snapshot == fresh.snapshot => (last.start, Unsettled::of(fresh, last.start)),
            Some(last) => (size, Some(last)),
        };
        let learned = if kept < BLOCK || self.plan.depends_on_end { Some(decide()?.into()) } else { None };
        let plan = learned.as_ref().map_or(self.plan, |learned| learned.plan);
        let same_lines = plan.terminator == self.plan.terminator && plan.codec == self.plan.codec;
        if let Some(learned) = learned.filter(|_| kept < BLOCK || !same_lines) {
            return Ok(Self { unsettled, sampled: true, ..Self::learn(source, path, fresh, learned)? });
        }
        let mut updated = Self {
            snapshot: fresh.snapshot,
            plan,
            estimate: Arc::default(),
            racy: fresh.is_racy(),
            unsettled,
            sampled: true,
            long_lines: Arc::default(),
            ..self.clone()
        };
        if kept < size {
            let index = self.index.leading(kept / BLOCK, 0).map_err(|_| memory::out_of_memory(path))?;
            updated.samples = Some(Samples::of(source, path, &index)?);
            updated.index = Arc::new(index);
            // A scan that began earlier must not add its counts to these.
            updated.generation = new_generation();
        }
        Ok(updated)
    }
}

/// The end of a file that a `write` may have been copying when it was counted, for example zeros that are
/// lines now.
#[derive(Debug, Clone, Copy)]
struct Unsettled {
    /// The bytes before it were at rest.
    start: u64,
    /// The size of the file when it was counted.
    end: u64,
    /// When all of it is at rest, so that it can be counted again.
    until_ns: i64,
}

impl Unsettled {
    /// `None` if everything is at rest, provided that only the bytes from `start` on were written.
    fn of(fresh: Fresh, start: u64) -> Option<Self> {
        let Fresh { snapshot, tick_ns, at_ns, .. } = fresh;
        let until_ns = snapshot.rests_ns(tick_ns, snapshot.size.saturating_sub(start));
        (at_ns < until_ns).then_some(Self { start, end: snapshot.size, until_ns })
    }

    fn is_over(&self, fresh: Fresh) -> bool {
        self.until_ns <= fresh.at_ns
    }
}

/// Which generation of a file is counted, at least partly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedGeneration(Option<u64>);

/// A file's entry in the registry.
#[derive(Debug, Default)]
pub struct Entry {
    known: Lock<Option<Arc<Known>>>,
    extending: Lock<bool>,
    extended: Signal,
}

/// The current stat of an opened file and how far it can be trusted.
#[derive(Debug, Clone, Copy)]
pub struct Fresh {
    /// The stat.
    pub snapshot: Snapshot,
    /// Two writes within this many nanoseconds may leave the same stat.
    pub tick_ns: i64,
    /// When the stat was taken or later, in nanoseconds since the epoch; nothing was read of the file before.
    pub at_ns: i64,
    /// Whether a file that has grown may keep its index if samples of its content are unchanged.
    pub trust_append: bool,
}

impl Fresh {
    fn is_racy(&self) -> bool {
        self.snapshot.is_racy(self.tick_ns, self.at_ns)
    }
}

/// Distinguishes what is counted of a file now from what was counted before.
static GENERATIONS: AtomicU64 = AtomicU64::new(0);

fn new_generation() -> u64 {
    GENERATIONS.fetch_add(1, Ordering::Relaxed)
}

/// The entry of a file, created if there is none; it is empty until it is [accounted](account) for.
#[must_use]
pub fn entry(key: &Key) -> Arc<Entry> {
    cache::get_or_default(key.identity, key.about())
}

/// Whether a file was read before and has not changed since.
#[must_use]
pub fn is_known(key: &Key, fresh: Fresh) -> bool {
    let entry: Option<Arc<Entry>> = cache::get(key.identity, key.about(), None);
    entry.is_some_and(|entry| entry.current(fresh).is_some())
}

/// Keeps an entry, and drops what is known about other files if all takes over `maximum` bytes.
pub fn account(key: &Key, entry: &Arc<Entry>, maximum: u64) {
    cache::keep(key.identity, key.about(), None, Arc::<Entry>::clone(entry), maximum);
}

impl Key {
    fn about(&self) -> About {
        About::Lines(self.encoding, self.line_ends, self.is_decompressed)
    }
}

impl Keep for Entry {
    fn bytes(&self) -> u64 {
        let known = self.known.lock().clone();
        let counts = known.map_or(0, |known| known.index.bytes() + known.long_lines.bytes());
        counts + size_of::<Self>() as u64 + size_of::<Known>() as u64
    }
}

impl Entry {
    /// What is known about the file in its current state, if it is known from an earlier read.
    fn current(&self, fresh: Fresh) -> Option<Arc<Known>> {
        let known = self.known.lock().clone()?;
        let is_trusted = fresh.trust_append || !known.sampled;
        let is_due = known.racy || known.unsettled.is_some_and(|last| last.is_over(fresh));
        (known.snapshot == fresh.snapshot && !is_due && is_trusted).then_some(known)
    }

    /// How much is counted of the file, for [`Known::was_counted`].
    #[must_use]
    pub fn counted(&self) -> CountedGeneration {
        let known = self.known.lock();
        CountedGeneration(
            known.as_ref().filter(|known| known.index.blocks() > 0).map(|known| known.generation),
        )
    }

    /// What is known about the file in its current state; `decide` is called if there is no valid text plan.
    ///
    /// # Errors
    /// Those of reading and of `decide`.
    pub fn known<L: Into<Learned>>(
        &self,
        source: Source<'_>,
        path: &Path,
        fresh: Fresh,
        decide: impl Fn() -> Result<L>,
    ) -> Result<Arc<Known>> {
        if let Some(known) = self.current(fresh) {
            return Ok(known);
        }
        let last = self.known.lock().clone();
        let known = match last {
            Some(known) if has_only_grown(&known, source, path, fresh)? => {
                known.updated(source, path, fresh, decide)?
            }
            _ => Known::learn(source, path, fresh, decide()?.into())?,
        };
        let known = Arc::new(known);
        *self.known.lock() = Some(Arc::clone(&known));
        Ok(known)
    }

    /// Discards what is known, because the file has changed.
    pub fn forget(&self) {
        *self.known.lock() = None;
    }

    /// An index of the file that has `newlines` terminators or covers `blocks` blocks.
    ///
    /// One reader scans at a time; the others wait for it and can be canceled meanwhile.
    /// The counts of a canceled scan are kept.
    ///
    /// # Errors
    /// Those of reading, and [`ErrorKind::Cancelled`].
    pub fn extend(
        &self,
        source: Source<'_>,
        path: &Path,
        known: &Known,
        (newlines, blocks): (u64, u64),
        interrupt: &dyn Interrupt,
    ) -> Result<Arc<LineIndex>> {
        let enough = |index: &LineIndex| index.newlines() >= newlines || index.blocks() >= blocks;
        if enough(&known.index) {
            return Ok(Arc::clone(&known.index));
        }
        let _right = self.begin_extension(source, path, interrupt)?;
        let base = match &*self.known.lock() {
            Some(latest) if latest.generation == known.generation => Arc::clone(&latest.index),
            _ => Arc::clone(&known.index),
        };
        if enough(&base) {
            return Ok(base);
        }
        let mut index = base.leading(u64::MAX, blocks).map_err(|_| memory::out_of_memory(path))?;
        let outcome =
            count_blocks(source, path, known.plan.terminator, index.blocks()..blocks, interrupt, |count| {
                index.push(count);
                index.newlines() < newlines
            });
        index.shrink();
        let index = Arc::new(index);
        if index.blocks() > base.blocks() {
            self.store(source, path, known, &index)?;
        }
        outcome?;
        Ok(index)
    }

    /// Adds counts that another scan made: those of the blocks from `first` on.
    ///
    /// Nothing is added while another reader extends the index, or if a block before these is not counted.
    ///
    /// # Errors
    /// Those of reading.
    pub fn append(
        &self,
        source: Source<'_>,
        path: &Path,
        known: &Arc<Known>,
        first: u64,
        counts: &[u16],
    ) -> Result<()> {
        let Some(_right) = self.try_begin_extension() else { return Ok(()) };
        let base = Arc::clone(&self.latest(known).index);
        let blocks = first + counts.len() as u64;
        if base.blocks() < first || base.blocks() >= blocks {
            return Ok(());
        }
        let mut index = base.leading(u64::MAX, blocks).map_err(|_| memory::out_of_memory(path))?;
        counts[to_usize(base.blocks() - first)..].iter().for_each(|count| index.push(*count));
        self.store(source, path, known, &Arc::new(index))
    }

    fn store(&self, source: Source<'_>, path: &Path, known: &Known, index: &Arc<LineIndex>) -> Result<()> {
        let samples = known.samples.map(|samples| samples.after(source, path, index)).transpose()?;
        let mut latest = self.known.lock();
        if let Some(latest) = latest.as_mut().filter(|latest| latest.generation == known.generation) {
            *latest = Arc::new(Known { index: Arc::clone(index), samples, ..Known::clone(latest) });
        }
        Ok(())
    }

    /// Waits until no other reader extends this index.
    fn begin_extension(
        &self,
        source: Source<'_>,
        path: &Path,
        interrupt: &dyn Interrupt,
    ) -> Result<ExtensionRight<'_>> {
        loop {
            if let Some(right) = self.try_begin_extension() {
                return Ok(right);
            }
            if !source.waits() {
                return Err(Error::new(path, ErrorKind::WouldBlock(Blocked::Work)));
            }
            if interrupt.interrupted(NoLockHeld::check()) {
                return Err(Error::new(path, ErrorKind::Cancelled));
            }
            let extending = self.extending.lock();
            if *extending {
                drop(self.extended.wait(extending, POLL));
            }
        }
    }

    fn try_begin_extension(&self) -> Option<ExtensionRight<'_>> {
        let mut extending = self.extending.lock();
        let is_free = !std::mem::replace(&mut *extending, true);
        is_free.then(|| ExtensionRight { entry: self })
    }

    /// The latest version of `known`, which may cover more blocks.
    #[must_use]
    pub fn latest(&self, known: &Arc<Known>) -> Arc<Known> {
        let latest = self.known.lock().clone();
        latest.filter(|latest| latest.generation == known.generation).unwrap_or_else(|| Arc::clone(known))
    }
}

/// The right to extend an index; dropping it releases the right.
struct ExtensionRight<'a> {
    entry: &'a Entry,
}

impl Drop for ExtensionRight<'_> {
    fn drop(&mut self) {
        *self.entry.extending.lock() = false;
        self.entry.extended.notify_all();
    }
}

/// Whether the file is as it was or has only grown since then, as far as samples show.
fn has_only_grown(known: &Known, source: Source<'_>, path: &Path, fresh: Fresh) -> Result<bool> {
    let Fresh { snapshot, trust_append, .. } = fresh;
    let may_have = trust_append && (snapshot == known.snapshot || snapshot.size > known.snapshot.size);
    // Without counted blocks, the head alone would have to show that the file was not rewritten.
    Ok(may_have && known.index.blocks() > 0 && is_unchanged(known, source, path)?)
}

#[cfg(test)]
mod tests;
