//! How often this thread has waited, to distinguish slow calls from those during which other threads ran.

use std::mem::MaybeUninit;

/// How many times this thread has yielded the CPU to wait for something; 0 if the system does not count this.
///
/// On a busy machine one open in ten thousand takes over 5 ms of wall-clock time without any wait of its own.
pub(crate) fn waits() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes one `rusage`, for which there is room; if it fails, all zeros are a valid one.
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
    fn test_waits_increase_after_a_sleep() {
        let before = waits();
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(waits() > before);
    }
}
