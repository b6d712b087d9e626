//! The locks of this process, and the rules that prevent deadlocks.
//!
//! Some callers hold a Python interpreter while they wait for a lock.
//! If the holder of that lock then requested the interpreter, both would wait forever.
//! Two checks make this impossible:
//!
//! - A thread holds at most one [`Lock`], so that no two locks are ever taken in different orders.
//! - Code of the host is called only with a [`NoLockHeld`], which can be created only while no lock is held.
//!
//! Both checks panic. They depend on the code path, not on timing, so any test that takes a wrong path fails.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

thread_local! {
    /// Whether this thread holds a lock.
    static HOLDS_LOCK: Cell<bool> = const { Cell::new(false) };
}

/// A mutex that is held for a few memory operations (for tens of milliseconds while a vocabulary is unpacked), and
/// never together with another one.
///
/// If a holder panics, the content stays as it is; in this crate it is consistent after every statement.
#[derive(Debug, Default)]
pub struct Lock<T> {
    mutex: Mutex<T>,
}

impl<T> Lock<T> {
    /// A lock around `content`.
    #[must_use]
    pub const fn new(content: T) -> Self {
        Self { mutex: Mutex::new(content) }
    }

    /// Waits for the lock.
    ///
    /// # Panics
    /// If this thread already holds a lock.
    pub fn lock(&self) -> Held<'_, T> {
        let mark = Mark::set();
        Held { guard: self.mutex.lock().unwrap_or_else(PoisonError::into_inner), mark }
    }

    /// Takes the lock if no other thread holds it.
    ///
    /// # Panics
    /// If this thread already holds a lock.
    pub fn try_lock(&self) -> Option<Held<'_, T>> {
        let mark = Mark::set();
        let guard = match self.mutex.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Held { guard, mark })
    }

    /// The content.
    pub fn into_inner(self) -> T {
        self.mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The content of a held lock; dropping it releases the lock.
#[derive(Debug)]
pub struct Held<'l, T> {
    guard: MutexGuard<'l, T>,
    mark: Mark,
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

/// Wakes threads that wait for a change of a lock's content.
#[derive(Debug, Default)]
pub struct Signal {
    condition: Condvar,
}

impl Signal {
    /// Releases the lock, waits for a notification or `timeout`, and takes the lock again.
    #[must_use]
    pub fn wait<'l, T>(&self, held: Held<'l, T>, timeout: Duration) -> Held<'l, T> {
        let Held { guard, mark } = held;
        let waited = self.condition.wait_timeout(guard, timeout).unwrap_or_else(PoisonError::into_inner);
        Held { guard: waited.0, mark }
    }

    /// Wakes one waiting thread.
    pub fn notify_one(&self) {
        self.condition.notify_one();
    }

    /// Wakes all waiting threads.
    pub fn notify_all(&self) {
        self.condition.notify_all();
    }
}

/// Marks this thread as holding a lock until it is dropped.
#[derive(Debug)]
struct Mark;

impl Mark {
    fn set() -> Self {
        assert!(!HOLDS_LOCK.replace(true), "a thread may hold only one lock");
        Self
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        HOLDS_LOCK.set(false);
    }
}

/// Proof that this thread holds no lock; required by every call of the host's code.
#[derive(Debug, Clone, Copy)]
pub struct NoLockHeld(());

impl NoLockHeld {
    /// Checks that this thread holds no lock.
    ///
    /// # Panics
    /// If it holds one, because the host's code may wait for a thread that waits for that lock.
    #[must_use]
    pub fn check() -> Self {
        assert!(!HOLDS_LOCK.get(), "code of the host must not run while a lock is held");
        Self(())
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn test_no_lock_held_check_panics_while_a_lock_is_held() {
        let lock = Lock::new(());
        let held = lock.lock();
        assert!(catch_unwind(NoLockHeld::check).is_err());
        drop(held);
        let _proof = NoLockHeld::check();
    }

    #[test]
    fn test_second_lock_panics() {
        let (first, second) = (Lock::new(1), Lock::new(2));
        let held = first.lock();
        assert!(catch_unwind(AssertUnwindSafe(|| *second.lock())).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| second.try_lock().is_some())).is_err());
        assert_eq!(*held, 1);
        drop(held);
        assert_eq!(*second.lock(), 2);
    }

    #[test]
    fn test_failed_try_lock_holds_no_lock() {
        let lock = Lock::new(());
        std::thread::scope(|scope| {
            let held = lock.lock();
            let other = scope.spawn(|| {
                let is_taken = lock.try_lock().is_some();
                (is_taken, NoLockHeld::check())
            });
            assert!(!other.join().unwrap().0);
            drop(held);
        });
        assert!(lock.try_lock().is_some());
    }

    #[test]
    fn test_wait_keeps_the_lock_held() {
        let (lock, signal) = (Lock::new(0), Signal::default());
        let held = signal.wait(lock.lock(), Duration::from_millis(1));
        assert!(catch_unwind(NoLockHeld::check).is_err());
        drop(held);
        assert_eq!(lock.into_inner(), 0);
    }
}
