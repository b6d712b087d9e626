//! How often this thread has waited, to tell a slow call from one during which other threads had the processor.

use std::mem::MaybeUninit;

/// How many times this thread has given up the processor to wait for something; 0 where nobody counts.
///
/// On a busy machine one open in ten thousand takes over 5 ms by the clock without any wait of its own.
#[must_use]
pub fn waits() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes one `rusage`, for which there is room; all zeros are one too, should it fail.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    u64::try_from(usage.ru_nvcsw).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_waits_grow_by_sleeping() {
        let before = waits();
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(waits() > before);
    }
}
