//! Sections that a fork waits for, and forks that a section waits for.
//!
//! Everything here is atomic, because a lock could itself stay locked in a forked child.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often a waiting thread checks whether it may continue.
const POLL: Duration = Duration::from_millis(1);

/// The process id, the number of forks in progress, and the number of sections in progress.
static STATE: AtomicU64 = AtomicU64::new(0);
const SECTION: u64 = 1;
const FORK: u64 = 1 << 16;
const FORKS: u64 = 0xffff * FORK;
const SECTIONS: u64 = 0xffff * SECTION;

/// Waits until all sections have ended, and keeps more from beginning until [`end`].
pub(super) fn wait() {
    let state = add(FORK, 0);
    let mut sections = state & SECTIONS;
    while sections > 0 {
        std::thread::sleep(POLL);
        sections = own(STATE.load(Ordering::Acquire)) & SECTIONS;
    }
}

/// Ends what [`wait`] began, or resets the state in a child; returns whether this is the parent.
pub(super) fn end() -> bool {
    let is_parent = STATE.load(Ordering::Acquire) & !(FORKS | SECTIONS) == process();
    if is_parent {
        STATE.fetch_sub(FORK, Ordering::AcqRel);
    } else {
        STATE.store(process(), Ordering::Release);
    }
    is_parent
}

/// Runs `work`, during which the host does not fork.
///
/// The caller must not hold an interpreter, because this waits for a fork in progress.
pub(crate) fn uninterrupted<T>(work: impl FnOnce() -> T) -> T {
    let _section = Section::enter();
    work()
}

/// Makes forks wait until it is dropped.
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

/// Adds `unit` to the state unless one of the bits `unless` is set; returns the previous state.
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

/// The state of this process; a forked child ignores the state that it inherits.
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
    fn test_fork_waits_for_a_section_and_delays_the_next_one() {
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
            wait();
            assert!(ended.load(Ordering::SeqCst), "the fork did not wait");
            scope.spawn(|| uninterrupted(|| second.store(true, Ordering::SeqCst)));
            std::thread::sleep(5 * POLL);
            assert!(!second.load(Ordering::SeqCst), "a section began during a fork");
            assert!(end());
        });
        assert!(second.load(Ordering::SeqCst));
        assert_eq!(STATE.load(Ordering::SeqCst) & (FORKS | SECTIONS), 0);
    }

    #[test]
    fn test_state_of_another_process_is_ignored() {
        let foreign = (u64::from(std::process::id()) + 1) << 32 | FORK | SECTION;
        assert_eq!(own(foreign), process());
        assert_eq!(own(process() | SECTION), process() | SECTION);
    }
}
