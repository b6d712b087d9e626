//! State that each process creates for itself.

use std::sync::OnceLock;

/// A value that each process creates for itself, because a fork may leave its locks locked.
///
/// Each process has a node with its process id; a forked child leaves its parent's node alone and adds one.
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

    /// The value of this process, created if there is none.
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
