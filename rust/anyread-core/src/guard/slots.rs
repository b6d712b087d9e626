//! The addresses at which a fault is ours, in a table that a signal handler may read at any time.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// How many windows can be mapped at a time in this process; if the table is full, scans use `pread`.
const SLOTS: usize = 64;

static TABLE: [Slot; SLOTS] = [const { Slot::new() }; SLOTS];

/// An entry of the table, for one window.
#[derive(Debug)]
struct Slot {
    /// 0 if free, otherwise twice the id of the process that has claimed it, plus 1 while the range is valid.
    ///
    /// A forked child inherits the table, but neither the mappings nor the threads that would release slots.
    /// So it treats slots of another process as free and ignores the addresses in them.
    state: AtomicU64,
    start: AtomicUsize,
    end: AtomicUsize,
    hit: AtomicBool,
}

impl Slot {
    const fn new() -> Self {
        Self {
            state: AtomicU64::new(0),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            hit: AtomicBool::new(false),
        }
    }
}

/// A slot that this thread has claimed; dropping it releases the slot.
#[derive(Debug)]
pub(super) struct OwnedSlot {
    slot: &'static Slot,
    process: u64,
}

/// Claims a free slot, if there is one.
pub(super) fn claim() -> Option<OwnedSlot> {
    let process = this_process();
    TABLE.iter().find_map(|slot| {
        let state = slot.state.load(Ordering::Relaxed);
        let is_free = state >> 1 != process;
        let taken = is_free
            && slot.state.compare_exchange(state, process << 1, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        // Not `then_some`, which would always create an `OwnedSlot`, whose drop would release another's slot.
        taken.then(|| OwnedSlot { slot, process })
    })
}

/// Records a fault at `address` and returns where its window ends, if the address lies in a published window.
///
/// The signal handler calls this, so it must only load, store and make one system call.
pub(super) fn hit(address: usize) -> Option<usize> {
    let published = this_process() << 1 | 1;
    TABLE.iter().find_map(|slot| {
        if slot.state.load(Ordering::Acquire) != published {
            return None;
        }
        let (start, end) = (slot.start.load(Ordering::Relaxed), slot.end.load(Ordering::Relaxed));
        let is_inside = (start..end).contains(&address);
        if is_inside {
            slot.hit.store(true, Ordering::Release);
        }
        is_inside.then_some(end)
    })
}

impl OwnedSlot {
    /// Marks faults at `addresses` as ours.
    pub(super) fn publish(&self, addresses: Range<usize>) {
        self.slot.start.store(addresses.start, Ordering::Relaxed);
        self.slot.end.store(addresses.end, Ordering::Relaxed);
        self.slot.hit.store(false, Ordering::Relaxed);
        self.slot.state.store(self.process << 1 | 1, Ordering::Release);
    }

    /// Ends the effect of [`OwnedSlot::publish`].
    pub(super) fn withdraw(&self) {
        self.slot.state.store(self.process << 1, Ordering::Release);
    }

    /// Whether there was a fault since the addresses were published.
    pub(super) fn is_hit(&self) -> bool {
        self.slot.hit.load(Ordering::Acquire)
    }
}

impl Drop for OwnedSlot {
    fn drop(&mut self) {
        self.slot.state.store(0, Ordering::Release);
    }
}

/// The process id, never cached, since a forked child would inherit that of its parent.
fn this_process() -> u64 {
    rustix::process::getpid().as_raw_nonzero().get().unsigned_abs().into()
}

#[cfg(test)]
mod tests {
    use super::super::tests::alone;
    use super::*;

    #[test]
    fn test_hit_matches_only_addresses_in_a_published_window() {
        let _alone = alone();
        let claim = claim().unwrap();
        assert_eq!(hit(0x1000), None, "not yet published");
        claim.publish(0x1000..0x3000);
        assert!(!claim.is_hit());
        assert_eq!((hit(0xfff), hit(0x3000)), (None, None));
        assert!(!claim.is_hit());
        assert_eq!((hit(0x1000), hit(0x2fff)), (Some(0x3000), Some(0x3000)));
        assert!(claim.is_hit());
        claim.withdraw();
        assert_eq!(hit(0x1000), None);
        claim.publish(0x1000..0x2000);
        assert!(!claim.is_hit(), "a new window begins without a hit");
    }

    #[test]
    fn test_slot_of_another_process_is_free_and_has_no_hits() {
        let _alone = alone();
        let taken = claim().unwrap();
        taken.publish(0x5000..0x6000);
        // A child sees this after a fork: the same table with another process id.
        let parent = taken.process + 1;
        taken.slot.state.store(parent << 1 | 1, Ordering::Release);
        assert_eq!(hit(0x5000), None);
        let mut claims = Vec::new();
        while let Some(claim) = claim() {
            claims.push(claim);
        }
        assert!(
            claims.iter().any(|claim| std::ptr::eq(claim.slot, taken.slot)),
            "the slot was never taken over"
        );
        assert!(claims.len() <= SLOTS);
        std::mem::forget(taken);
    }
}
