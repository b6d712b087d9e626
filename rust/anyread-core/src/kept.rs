//! What is known about the packages that were read last, such as workbooks, each for one state of its file.

use std::any::Any;
use std::sync::Arc;

use crate::error::Result;
use crate::fork::PerProcess;
use crate::lock::Lock;
use crate::snapshot::Snapshot;

/// What is known about a state of a file.
pub(crate) trait Keep: Any + Send + Sync {
    /// All that it takes in memory, in bytes.
    fn bytes(&self) -> u64;
}

type Entry = (Snapshot, Arc<dyn Keep>);

/// The latest is at the end.
static KEPT: PerProcess<Lock<Vec<Entry>>> = PerProcess::new();

/// Returns what is kept for the state of a file, or else reads and keeps it.
///
/// All that is kept, of all kinds, takes at most `max_bytes`. Without a snapshot, nothing is kept.
pub(crate) fn open<T: Keep>(
    snapshot: Option<Snapshot>,
    max_bytes: u64,
    read: impl FnOnce() -> Result<T>,
) -> Result<Arc<T>> {
    let known = match snapshot.and_then(|snapshot| take(&snapshot)) {
        Some(known) => known,
        None => Arc::new(read()?),
    };
    if let Some(snapshot) = snapshot {
        let kept: Arc<dyn Keep> = known.clone();
        keep(snapshot, kept, max_bytes);
    }
    Ok(known)
}

fn take<T: Keep>(snapshot: &Snapshot) -> Option<Arc<T>> {
    let mut found = KEPT.get().lock();
    let at = found.iter().position(|(other, _)| other == snapshot)?;
    let known: Arc<dyn Any + Send + Sync> = found.remove(at).1;
    drop(found);
    known.downcast().ok()
}

/// Drops others of the same file, and those that were not used for the longest time.
fn keep(snapshot: Snapshot, known: Arc<dyn Keep>, max_bytes: u64) {
    let mut dropped = Vec::new();
    let mut found = KEPT.get().lock();
    let is_of_file = |(other, _): &mut Entry| other.identity() == snapshot.identity();
    dropped.extend(found.extract_if(.., is_of_file));
    found.push((snapshot, known));
    let entry_bytes = |(_, known): &Entry| known.bytes() + size_of::<Entry>() as u64;
    let mut bytes: u64 = found.iter().map(entry_bytes).sum();
    while bytes > max_bytes && !found.is_empty() {
        let oldest = found.remove(0);
        bytes -= entry_bytes(&oldest);
        dropped.push(oldest);
    }
    // Without the lock.
    drop(found);
    drop(dropped);
}

/// Drops everything that is kept in this process.
pub fn drop_packages() {
    let dropped = std::mem::take(&mut *KEPT.get().lock());
    drop(dropped);
}
