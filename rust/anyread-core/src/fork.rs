//! Forks of the host: what must not be half done at that moment, because the child could never finish it.
//!
//! A child has only the thread that forked. Anything that another thread was initializing stays unfinished there,
//! and whoever needs it would wait forever. So the host calls [`before`] and [`after`] around each fork, and
//! initialisation that takes long runs in [`sections::uninterrupted`].

pub(crate) mod per_process;
pub(crate) mod sections;

use crate::device::mounts;
use crate::facts;
use crate::index::registry;

/// Initialises what is initialized once, while the process has one thread or no fork can happen.
pub fn prepare() {
    registry::prepare();
    facts::prepare();
    mounts::prepare();
}

/// Waits for the end of what must not be half done, and keeps it from beginning until [`after`].
///
/// The wait is some tens of milliseconds at most. What is waited for never needs an interpreter, so this may be
/// called with one held.
pub fn before() {
    sections::wait();
}

/// Ends what [`before`] began, in the parent and in the child.
pub fn after() {
    if !sections::end() {
        // The child's only thread sets up what other threads of the parent could have been using.
        prepare();
    }
}
