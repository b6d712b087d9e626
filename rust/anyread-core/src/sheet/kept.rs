//! The workbooks that were used last, each for one state of its file.

use std::sync::Arc;

use super::Workbook;
use crate::allowed::Allowed;
use crate::error::Result;
use crate::fork::PerProcess;
use crate::kept::{Kept, Known};
use crate::snapshot::Snapshot;
use crate::stream::Stream;

static KEPT: PerProcess<Kept<Workbook>> = PerProcess::new();

impl Known for Workbook {
    fn bytes(&self) -> u64 {
        Workbook::bytes(self)
    }
}

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
    KEPT.get().open(snapshot, max_bytes, || Workbook::read(file, allowed))
}

/// Drops all workbooks that are kept in this process.
pub fn drop_workbooks() {
    KEPT.get().clear();
}
