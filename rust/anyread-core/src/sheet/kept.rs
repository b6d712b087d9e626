//! The workbooks that were used last, each for one state of its file.

use std::sync::Arc;

use super::Workbook;
use crate::error::Result;
use crate::fork::PerProcess;
use crate::inflate::Allowed;
use crate::lock::Lock;
use crate::snapshot::Snapshot;
use crate::stream::Stream;

type Kept = Vec<(Snapshot, Arc<Workbook>)>;

/// The latest is at the end.
static KEPT: PerProcess<Lock<Kept>> = PerProcess::new();

/// Opens a workbook, or returns the one that is kept for the state of its file.
///
/// All that are kept take at most `max_bytes`. Without a snapshot, none is kept.
///
/// # Errors
/// Those of [`Workbook::read`].
pub fn open(
    file: &Stream<'_>,
    snapshot: Option<Snapshot>,
    allowed: &Allowed,
    max_bytes: u64,
) -> Result<Arc<Workbook>> {
    let known = snapshot.and_then(|snapshot| take(&snapshot));
    let workbook = match known {
        Some(workbook) => workbook,
        None => Arc::new(Workbook::read(file, allowed)?),
    };
    if let Some(snapshot) = snapshot {
        keep(snapshot, &workbook, max_bytes);
    }
    Ok(workbook)
}

fn take(snapshot: &Snapshot) -> Option<Arc<Workbook>> {
    let mut kept = KEPT.get().lock();
    let at = kept.iter().position(|(other, _)| other == snapshot)?;
    Some(kept.remove(at).1)
}

/// Keeps a workbook, and drops others of the same file and those that were not used for the longest time.
fn keep(snapshot: Snapshot, workbook: &Arc<Workbook>, max_bytes: u64) {
    let mut dropped = Vec::new();
    let mut kept = KEPT.get().lock();
    let is_of_file = |(other, _): &mut (Snapshot, _)| other.identity() == snapshot.identity();
    dropped.extend(kept.extract_if(.., is_of_file));
    kept.push((snapshot, Arc::clone(workbook)));
    let mut bytes: u64 = kept.iter().map(|(_, workbook)| workbook.bytes()).sum();
    while bytes > max_bytes && !kept.is_empty() {
        let oldest = kept.remove(0);
        bytes -= oldest.1.bytes();
        dropped.push(oldest);
    }
    // Without the lock.
    drop(kept);
    drop(dropped);
}

/// Drops all workbooks that are kept in this process.
pub fn drop_workbooks() {
    let dropped = std::mem::take(&mut *KEPT.get().lock());
    drop(dropped);
}
