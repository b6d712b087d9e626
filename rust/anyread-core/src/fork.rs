//! Forks of the host: what must not be half done at that moment, because the child could never finish it.
//!
//! A child has only the thread that forked. Anything that another thread was initialising stays unfinished there,
//! and whoever needs it would wait for ever. So the host calls [`before`] and [`after`] around each fork, and
//! initialisation that takes long runs in [`uninterrupted`]. Everything here is atomic: a lock could itself be lost.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::device::mounts;
use crate::facts;
use crate::index::registry;

/// How often a thread looks whether it may go on.
const POLL: Duration = Duration::from_millis(1);

/// The process, the number of its forks that are going on, and the number of sections that keep forks waiting.
static STATE: AtomicU64 = AtomicU64::new(0);
const SECTION: u64 = 1;
const FORK: u64 = 1 << 16;
const FORKS: u64 = 0xffff * FORK;
const SECTIONS: u64 = 0xffff * SECTION;

/// Initialises what is initialised once, while the process has one thread or no fork can happen.
pub fn prepare() {
    registry::prepare();
    facts::prepare();
    mounts::prepare();
}

/// Something that each process makes for itself, because a fork may leave its locks locked.
///
/// Each process has a node stamped with its id; a child leaves its parent's node alone and adds its own.
#[derive(Debug)]
pub(crate) struct PerProcess<T> {
    first: OnceLock<Node<T>>,
}

#[derive(Debug)]
struct Node<T> {
    process: u32,
    content: T,
    next: OnceLock<Box<Node<T>>>,
}

impl<T: Default> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self { first: OnceLock::new() }
    }

    /// What this process has.
    pub(crate) fn get(&self) -> &T {
        let mut node = self.first.get_or_init(Node::new);
        while let Some(next) = node.next.get() {
            node = next;
        }
        if node.process != std::process::id() {
            node = node.next.get_or_init(|| Box::new(Node::new()));
        }
        &node.content
    }
}

impl<T: Default> Node<T> {
    fn new() -> Self {
        Self { process: std::process::id(), content: T::default(), next: OnceLock::new() }
    }
}

/// Waits for the end of what must not be half done, and keeps it from beginning until [`after`].
///
/// The wait is some tens of milliseconds at most. What is waited for never needs an interpreter, so this may be
/// called with one held.
pub fn before() {
    let state = add(FORK, 0);
    let mut sections = state & SECTIONS;
    while sections > 0 {
        std::thread::sleep(POLL);
        sections = own(STATE.load(Ordering::Acquire)) & SECTIONS;
    }
}

/// Ends what [`before`] began, in the parent and in the child.
pub fn after() {
    let is_parent = STATE.load(Ordering::Acquire) & !(FORKS | SECTIONS) == process();
    if is_parent {
        STATE.fetch_sub(FORK, Ordering::AcqRel);
    } else {
        // The child's only thread sets up what other threads of the parent could have been using.
        STATE.store(process(), Ordering::Release);
        prepare();
    }
}

/// Runs `work`, during which the host does not fork.
///
/// To be called without an interpreter held, as a fork that is going on is waited for.
pub(crate) fn uninterrupted<T>(work: impl FnOnce() -> T) -> T {
    let _section = Section::enter();
    work()
}

/// Keeps forks waiting until it is dropped.
struct Section;

impl Section {
    fn enter() -> Self {
        while add(SECTION, FORKS) & FORKS > 0 {
            std::thread::sleep(POLL);
        }
        Self
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        STATE.fetch_sub(SECTION, Ordering::AcqRel);
    }
}

/// Adds `unit` to the state unless that has one of the bits `unless`; the state as it was.
fn add(unit: u64, unless: u64) -> u64 {
    let mut state = STATE.load(Ordering::Acquire);
    loop {
        let present = own(state);
        if present & unless > 0 {
            return present;
        }
        match STATE.compare_exchange_weak(state, present + unit, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return present,
            Err(changed) => state = changed,
        }
    }
}

/// The state of this process: what a forked child inherits says nothing about it.
fn own(state: u64) -> u64 {
    if state & !(FORKS | SECTIONS) == process() { state } else { process() }
}

fn process() -> u64 {
    u64::from(std::process::id()) << 32
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn test_fork_waits_for_a_section_and_keeps_the_next_one_waiting() {
        let (begun, ended, second) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                uninterrupted(|| {
                    begun.store(true, Ordering::SeqCst);
                    std::thread::sleep(20 * POLL);
                    ended.store(true, Ordering::SeqCst);
                });
            });
            while !begun.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            before();
            assert!(ended.load(Ordering::SeqCst), "the fork did not wait");
            scope.spawn(|| uninterrupted(|| second.store(true, Ordering::SeqCst)));
            std::thread::sleep(5 * POLL);
            assert!(!second.load(Ordering::SeqCst), "a section began during a fork");
            after();
        });
        assert!(second.load(Ordering::SeqCst));
        assert_eq!(STATE.load(Ordering::SeqCst) & (FORKS | SECTIONS), 0);
    }

    #[test]
    fn test_state_of_another_process_is_not_ours() {
        let foreign = (u64::from(std::process::id()) + 1) << 32 | FORK | SECTION;
        assert_eq!(own(foreign), process());
        assert_eq!(own(process() | SECTION), process() | SECTION);
    }
}
