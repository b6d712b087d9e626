//! Forks of the host, and the work that must not be in progress during one.
//!
//! A child has only the thread that forked. Anything that another thread was initializing stays unfinished in
//! the child, and a thread that needs it would wait forever. So the host calls [`before`] and [`after`]
//! around each fork, and long initialization runs in [`sections::uninterrupted`].

pub(crate) mod per_process;
pub(crate) mod sections;

use std::sync::atomic::{AtomicU32, Ordering};

use crate::device::mounts;
use crate::facts;
use crate::index::registry;

static DEPTH: AtomicU32 = AtomicU32::new(0);

/// The number of forks between the process that loaded this library and this one, which tells a forked child
/// from its parent.
pub(crate) fn depth() -> u32 {
    DEPTH.load(Ordering::Relaxed)
}

/// Initializes all state that is initialized once; must be called while no fork can happen.
pub fn prepare() {
    registry::prepare();
    facts::prepare();
    mounts::prepare();
    // The first search asks the processor what it can do; in a virtual machine this takes 0.1 ms.
    std::hint::black_box(memchr::memchr(b'\n', b"\n"));
}

/// Waits for work that a fork must not interrupt, and keeps more from beginning until [`after`].
///
/// The wait is some tens of milliseconds at most. That work never needs an interpreter, so this may be called
/// by a thread that holds one.
pub fn before() {
    sections::wait();
}

/// Ends what [`before`] began, in the parent and in the child.
pub fn after() {
    if !sections::end() {
        DEPTH.fetch_add(1, Ordering::Relaxed);
        // In the child, recreate the state that other threads of the parent may have been using.
        prepare();
    }
}
