//! Whether a page still is what its file holds.

use super::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::index::registry;
use crate::open::RegularFile;
use crate::page::build::build;
use crate::page::view::View;
use crate::page::{Layout, Page};
use crate::source::Snapshot;

/// Looks whether a large file changed under the read and, if so, whether the page still is what the file holds.
///
/// Bytes in memory are of one moment, which reading them has made sure of.
/// Appending only is harmless: nothing after the first size was looked at.
/// Whatever else may have happened shows when the same window is read again, and in samples of what was counted.
pub(super) fn verify(
    view: &View<'_>,
    opened: &RegularFile,
    request: &Request<'_>,
    layout: &Layout<'_>,
    page: &Page,
) -> Result<()> {
    let Some((entry, known)) = &view.shared else { return Ok(()) };
    let failed = |change| Err(Error::new(view.path, ErrorKind::FileChanged { change }));
    let now = Snapshot::of(&opened.descriptor).map_err(|errno| {
        Error::new(view.path, ErrorKind::FileSystem { errno: errno.raw_os_error(), operation: "stat" })
    })?;
    if now == opened.snapshot {
        return Ok(());
    }
    if now.size < opened.snapshot.size {
        return failed("truncated");
    }
    let latest = entry.latest(known);
    let again = build(view, request.window, layout)?;
    let is_same = again.content == page.content && again.start_byte == page.start_byte;
    if is_same && registry::is_unchanged(&latest, view.source, view.path)? {
        Ok(())
    } else {
        failed("rewritten")
    }
}
