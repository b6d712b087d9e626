//! Several reads at once, on threads that end with the call.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyread_core::error::Result;
use anyread_core::scan::Interrupt;

use crate::cancel::{Flag, FlagInterrupt};

/// What `read` says of each path, in their order; `None` once the flag is set.
pub fn read<T: Send>(
    paths: &[&Path],
    threads: usize,
    flag: &Arc<Flag>,
    read: impl Fn(&Path, &dyn Interrupt) -> Result<T> + Sync,
) -> Option<Vec<Result<T>>> {
    let answers: Mutex<BTreeMap<usize, Result<T>>> = Mutex::default();
    let next = AtomicUsize::new(0);
    let work = || {
        let interrupt = FlagInterrupt::new(Arc::clone(flag));
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = paths.get(position).filter(|_| !flag.is_set()) else { return };
            let answer = read(path, &interrupt);
            answers.lock().unwrap_or_else(PoisonError::into_inner).insert(position, answer);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(paths.len()) {
            scope.spawn(work);
        }
        work();
    });
    let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    (answers.len() == paths.len()).then(|| answers.into_values().collect())
}
