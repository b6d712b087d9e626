//! How often this thread has waited, to distinguish slow calls from those during which other threads ran.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

/// For this long, the last count of a thread serves the next calls too.
const RECENT: Duration = Duration::from_micros(50);

/// How many times this thread has yielded the CPU to wait for something; `None` if the system does not count this.
///
/// On a busy machine one open in ten thousand takes over 5 ms of wall-clock time without any wait of its own.
#[must_use]
pub fn waits() -> Option<u64> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes one `rusage`, for which there is room; if it fails, all zeros are a valid one.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    u64::try_from(usage.ru_nvcsw).ok()
}

/// What [`waits`] returned for this thread at most 50 µs before `now`, or else returns at `now`.
///
/// Many small reads in a row thus share one system call.
/// It is never more than the count at `now`, so the waits of a later call are always noticed.
pub(crate) fn recent_waits(now: Instant) -> Option<u64> {
    thread_local! {
        static COUNTED: Cell<Option<(Instant, Option<u64>)>> = const { Cell::new(None) };
    }
    COUNTED.with(|counted| match counted.get() {
        Some((at, waits)) if now.saturating_duration_since(at) < RECENT => waits,
        _ => {
            let waits = waits();
            counted.set(Some((now, waits)));
            waits
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_waits_increase_after_a_sleep() {
        let before = waits();
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(waits() > before);
    }

    #[test]
    fn test_recent_waits_are_counted_again_after_a_while() {
        let (before, now) = (waits(), Instant::now());
        let counted = recent_waits(now);
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(counted >= before);
        assert_eq!(recent_waits(now), counted);
        assert!(recent_waits(now + RECENT) > counted);
    }
}
