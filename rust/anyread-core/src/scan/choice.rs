//! The choice between mapping a file and reading it in a scan, and the timing that finds the faster way.
//!
//! Mapping avoids the copy but costs a page fault for every few pages.
//! Which is faster depends on the kernel and on how the file came into the cache, so a large scan times both.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::guard;
use crate::mapping::{LargeScans, Mapping};

/// The minimum size of a scan that times both ways, in bytes.
const WORTH_TIMING: u64 = 64 << 20;
/// How many windows are timed each way; the fastest of them is used.
const TIMED: u64 = 2;

/// The choice between mapping and reading for one scan.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    scans: Option<&'a LargeScans>,
    timed: bool,
    used: AtomicBool,
    read: Stopwatch,
    mapped: Stopwatch,
}

/// The fastest time of several windows.
#[derive(Debug)]
struct Stopwatch {
    windows: AtomicU64,
    fastest_ns: AtomicU64,
}

impl Stopwatch {
    fn new() -> Self {
        Self { windows: AtomicU64::new(0), fastest_ns: AtomicU64::new(u64::MAX) }
    }

    fn record(&self, took_ns: u64) {
        self.fastest_ns.fetch_min(took_ns, Ordering::Relaxed);
        self.windows.fetch_add(1, Ordering::Release);
    }

    fn fastest_ns(&self) -> Option<u64> {
        (self.windows.load(Ordering::Acquire) >= TIMED).then(|| self.fastest_ns.load(Ordering::Relaxed))
    }
}

impl<'a> Choice<'a> {
    /// Must be called on the thread that requests the scan of `range`, because it may call the host's hook
    /// for signal handlers.
    pub(super) fn new(scans: Option<&'a LargeScans>, range: &Range<u64>) -> Self {
        let may_map = |scans: &&LargeScans| match scans.mapping {
            Mapping::Never => false,
            Mapping::Always => guard::arm(),
            Mapping::Auto => range.end.saturating_sub(range.start) >= WORTH_TIMING && guard::arm(),
        };
        let scans = scans.filter(may_map);
        Self {
            scans,
            timed: scans.is_some_and(|scans| scans.mapping == Mapping::Auto),
            used: AtomicBool::new(false),
            read: Stopwatch::new(),
            mapped: Stopwatch::new(),
        }
    }

    /// Whether any window of this scan may be mapped.
    pub(super) fn may_map(&self) -> bool {
        self.scans.is_some()
    }

    /// Whether to map window `number`, counted from 0.
    ///
    /// Until both ways are timed, windows alternate between them, beginning with `pread`.
    /// The threads time their windows in parallel, so both ways are timed under the load of the scan itself.
    pub(super) fn maps(&self, number: u64) -> bool {
        if !self.may_map() || !self.timed {
            return self.may_map();
        }
        match (self.read.fastest_ns(), self.mapped.fastest_ns()) {
            (Some(read), Some(mapped)) => mapped < read,
            _ => !number.is_multiple_of(2),
        }
    }

    /// Records a window that was read.
    pub(super) fn was_read(&self, took: Duration) {
        self.read.record(nanoseconds(took));
    }

    /// Records a window that was mapped.
    pub(super) fn was_mapped(&self, took: Duration) {
        self.mapped.record(nanoseconds(took));
        if let Some(scans) = self.scans.filter(|_| !self.used.swap(true, Ordering::Relaxed)) {
            scans.mapped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records a mapped window that was discarded because the file changed, and favors reading such a file.
    pub(super) fn was_discarded(&self, is_hit: bool) {
        self.was_mapped(Duration::MAX);
        if let Some(scans) = self.scans {
            scans.mapping_repeats.fetch_add(1, Ordering::Relaxed);
            scans.mapping_hits.fetch_add(is_hit.into(), Ordering::Relaxed);
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(scans: &LargeScans) -> Choice<'_> {
        let (read, mapped) = (Stopwatch::new(), Stopwatch::new());
        Choice {
            scans: Some(scans),
            timed: scans.mapping == Mapping::Auto,
            used: AtomicBool::new(false),
            read,
            mapped,
        }
    }

    #[test]
    fn test_faster_way_is_chosen_once_both_are_timed() {
        let fast = Duration::from_millis(1);
        let slow = Duration::from_millis(2);
        for (read, mapped, chosen) in [(slow, fast, true), (fast, slow, false), (fast, fast, false)] {
            let scans = LargeScans::new(Mapping::Auto);
            let choice = choice(&scans);
            assert_eq!([0, 1, 2, 3].map(|number| choice.maps(number)), [false, true, false, true]);
            choice.was_read(read);
            choice.was_mapped(mapped);
            // One slow window each has no effect, because the thread may have been interrupted.
            choice.was_read(Duration::from_secs(1));
            assert_eq!([8, 9].map(|number| choice.maps(number)), [false, true]);
            choice.was_mapped(Duration::from_secs(1));
            assert_eq!([8, 9].map(|number| choice.maps(number)), [chosen, chosen]);
            assert_eq!(scans.mapped.load(Ordering::Relaxed), 1, "a scan counts once");
        }
    }

    #[test]
    fn test_small_and_forbidden_scans_are_never_mapped() {
        let (auto, never) = (LargeScans::new(Mapping::Auto), LargeScans::new(Mapping::Never));
        assert!(!Choice::new(Some(&auto), &(5..5 + WORTH_TIMING - 1)).may_map());
        assert!(!Choice::new(Some(&never), &(0..1 << 40)).may_map());
        assert!(!Choice::new(None, &(0..1 << 40)).maps(1));
    }
}
