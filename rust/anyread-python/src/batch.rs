//! Several reads at once, on threads that end with the call.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use anyread_core::error::Result;
use anyread_core::lock::Lock;
use anyread_core::scan::Interrupt;

use crate::cancel::{Flag, FlagInterrupt};

/// What `read` says of each path, in their order; `None` once the flag is set.
pub fn read<T: Send>(
    paths: &[&Path],
    threads: usize,
    flag: &Arc<Flag>,
    read: impl Fn(&Path, &dyn Interrupt) -> Result<T> + Sync,
) -> Option<Vec<Result<T>>> {
    let answers: Lock<BTreeMap<usize, Result<T>>> = Lock::default();
    let next = AtomicUsize::new(0);
    let work = || {
        let interrupt = FlagInterrupt::new(Arc::clone(flag));
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = paths.get(position).filter(|_| !flag.is_set()) else { return };
            let answer = read(path, &interrupt);
            answers.lock().insert(position, answer);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(paths.len()) {
            // Where the system has no thread left, this one and those that it got do all the work.
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let answers = answers.into_inner();
    (answers.len() == paths.len()).then(|| answers.into_values().collect())
}
