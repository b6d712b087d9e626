//! Whether a page still is what its file holds.

use super::{Request, read_small};
use crate::error::{Error, ErrorKind, Result};
use crate::index::registry;
use crate::open::Opened;
use crate::page::build::build;
use crate::page::view::View;
use crate::page::{Layout, Page};
use crate::source::{Patience, Snapshot, Source};

/// Looks whether the file changed under the read and, if so, whether the page still is what the file holds.
///
/// Appending only is harmless: nothing behind the first size was looked at.
/// Whatever else may have happened shows when the same window is read again, and in samples of what was counted.
pub(super) fn verify(
    view: &View<'_>,
    opened: &Opened,
    request: &Request<'_>,
    layout: &Layout<'_>,
    page: &Page,
    patience: Patience<'_>,
) -> Result<()> {
    let failed = |change| Err(Error::new(request.path, ErrorKind::FileChanged { change }));
    let now = Snapshot::of(&opened.descriptor).map_err(|errno| {
        Error::new(request.path, ErrorKind::FileSystem { errno: errno.raw_os_error(), operation: "stat" })
    })?;
    if now == opened.snapshot {
        return Ok(());
    }
    if now.size < opened.snapshot.size {
        failed("truncated")
    } else if !is_same(view, opened, request, layout, page, patience)? {
        failed("rewritten")
    } else {
        Ok(())
    }
}

/// Whether a second look finds the same.
fn is_same(
    view: &View<'_>,
    opened: &Opened,
    request: &Request<'_>,
    layout: &Layout<'_>,
    page: &Page,
    patience: Patience<'_>,
) -> Result<bool> {
    match &view.shared {
        None => {
            let bytes = read_small(request.path, opened, patience)?;
            Ok(matches!(view.source, Source::Memory(seen) if seen == bytes))
        }
        Some((entry, known)) => {
            let latest = entry.latest(known);
            let again = build(view, request.window, layout)?;
            let is_same = again.content == page.content && again.start_byte == page.start_byte;
            Ok(is_same && registry::is_unchanged(&latest, view.source, request.path)?)
        }
    }
}
