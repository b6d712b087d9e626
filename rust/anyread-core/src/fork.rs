//! Forks of the host: each process has its own locks, and nothing delays a fork.
//!
//! A child has only the thread that forked. A lock that another thread held stays locked in the child, and a
//! value that another thread was creating stays unfinished, so a child that waited for either would wait forever.
//! Therefore state with locks is a [`PerProcess`], and other values are created without a lock ([`OnceBox`]):
//! if two threads create one at the same time, one of the two is dropped.

use std::sync::atomic::{AtomicU32, Ordering};

use once_cell::race::OnceBox;

static DEPTH: AtomicU32 = AtomicU32::new(0);

/// The number of forks between the process that loaded this library and this one, which tells a forked child
/// from its parent.
pub(crate) fn depth() -> u32 {
    DEPTH.load(Ordering::Relaxed)
}

/// Must be called in the child after each fork of the host.
pub fn after_in_child() {
    DEPTH.fetch_add(1, Ordering::Relaxed);
}

/// A value that each process creates for itself, because a fork may leave its locks locked.
///
/// Each process has a node with its process id; a forked child leaves its parent's node alone and adds one.
pub(crate) struct PerProcess<T> {
    first: OnceBox<Node<T>>,
}

struct Node<T> {
    process: u32,
    content: T,
    next: OnceBox<Node<T>>,
}

impl<T: Default> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self { first: OnceBox::new() }
    }

    /// The value of this process, created if there is none.
    pub(crate) fn get(&self) -> &T {
        let mut node = self.first.get_or_init(|| Box::new(Node::new()));
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
        Self { process: std::process::id(), content: T::default(), next: OnceBox::new() }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::lock::Lock;

    #[test]
    fn test_all_threads_get_the_same_value() {
        static VALUE: PerProcess<Lock<u32>> = PerProcess::new();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| *VALUE.get().lock() += 1);
            }
        });
        assert_eq!(*VALUE.get().lock(), 8);
    }

    #[test]
    fn test_value_of_another_process_is_left_alone() {
        let value: PerProcess<Lock<u32>> = PerProcess::new();
        let foreign = Node { process: std::process::id() + 1, ..Node::new() };
        let foreign = value.first.get_or_init(|| Box::new(foreign));
        // As in a child that was forked while another thread held the lock.
        let _held = foreign.content.lock();
        assert!(!std::ptr::eq(value.get(), &raw const foreign.content));
        assert!(std::ptr::eq(value.get(), value.get()));
    }
}
