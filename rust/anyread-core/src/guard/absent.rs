//! Mapped scans, which exist only on Linux: elsewhere nothing is mapped, and no signal handler is installed.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::Range;

use crate::system::BorrowedDescriptor;

/// Proof that a thread may access mappings; there is none.
#[derive(Debug)]
pub(crate) struct ScanThread(Infallible);

impl ScanThread {
    /// Always `None`.
    pub(crate) fn enter() -> Option<Self> {
        None
    }
}

/// A mapped part of a file; there is none.
#[derive(Debug)]
pub(crate) struct MappedWindow<'a> {
    never: Infallible,
    file: PhantomData<BorrowedDescriptor<'a>>,
}

impl<'a> MappedWindow<'a> {
    /// Always `None`.
    pub(crate) fn new(
        thread: &ScanThread,
        _file: BorrowedDescriptor<'a>,
        _range: Range<u64>,
    ) -> Option<Self> {
        match thread.0 {}
    }

    pub(crate) fn count(&self, _range: &Range<u64>, _value: u8) -> Option<usize> {
        match self.never {}
    }

    pub(crate) fn copy(&self, _range: &Range<u64>, _into: &mut [u8]) -> Option<()> {
        match self.never {}
    }

    pub(crate) fn is_hit(&self) -> bool {
        match self.never {}
    }

    pub(crate) fn is_intact(&self) -> bool {
        match self.never {}
    }
}

/// Whether a scan may map its file; it may not.
pub(crate) fn arm() -> bool {
    false
}
