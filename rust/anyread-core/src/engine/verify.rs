//! The check that a page still matches its file.

use super::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::open::RegularFile;
use crate::page::view::View;
use crate::page::{Layout, Page};
use crate::registry;

/// Checks whether a large file changed during the read and, if so, whether the page still matches it.
///
/// Bytes in memory need no check, because they were verified when they were read.
/// Appends are harmless, because nothing after the first size was read.
/// Other changes are detected by reading the window again and by comparing samples of the counted blocks.
/// So are those that leave the same state, which is possible just after a change.
/// After any change, a medium file is read completely instead.
pub(super) fn verify(
    view: &View<'_>,
    opened: &RegularFile,
    is_medium: bool,
    request: &Request<'_>,
    layout: &Layout<'_>,
    page: &Page,
) -> Result<()> {
    let Some((entry, known)) = &view.shared else { return Ok(()) };
    let failed = |change| Err(Error::new(view.path, ErrorKind::FileChanged { change }));
    let now = opened.now().map_err(|errno| {
        Error::new(view.path, ErrorKind::FileSystem { errno: errno.raw_os_error(), operation: "stat" })
    })?;
    if now == opened.snapshot && !opened.is_racy() {
        return Ok(());
    }
    if now.size < opened.snapshot.size {
        return failed("truncated");
    }
    if is_medium {
        return failed("rewritten");
    }
    let latest = entry.latest(known);
    let source = view.source.without_head();
    let shared = view.shared.clone();
    let reread = View { source, shared, path: view.path, plan: view.plan, ..*view };
    let again = request.page_again(&reread, layout, page)?;
    let is_same = again.content == page.content && again.start_byte == page.start_byte;
    if is_same && registry::is_unchanged(&latest, source, view.path)? { Ok(()) } else { failed("rewritten") }
}
