//! Checks of an interrupt during work on a notebook.

use std::cell::Cell;
use std::collections::TryReserveError;

use crate::lock::NoLockHeld;
use crate::scan::Interrupt;

/// How many bytes are processed between two checks.
pub const CHECK_BYTES: usize = 64 << 10;

/// Why work on a notebook ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The interrupt says so.
    Cancelled,
    /// There is no memory for a text or an image.
    OutOfMemory,
}

impl From<TryReserveError> for Stopped {
    fn from(_: TryReserveError) -> Self {
        Self::OutOfMemory
    }
}

/// Checks an interrupt at regular intervals.
pub struct Checks<'a> {
    interrupt: &'a dyn Interrupt,
    unchecked: Cell<usize>,
}

impl<'a> Checks<'a> {
    /// Creates the checks of `interrupt`.
    #[must_use]
    pub fn new(interrupt: &'a dyn Interrupt) -> Self {
        Self { interrupt, unchecked: Cell::new(0) }
    }

    /// Records that `bytes` more bytes were processed, and checks the interrupt once per [`CHECK_BYTES`].
    ///
    /// # Errors
    /// [`Stopped::Cancelled`] if the interrupt says so.
    pub fn passed(&self, bytes: usize) -> Result<(), Stopped> {
        let unchecked = self.unchecked.get().saturating_add(bytes);
        self.unchecked.set(unchecked);
        if unchecked < CHECK_BYTES { Ok(()) } else { self.check() }
    }

    #[cold]
    fn check(&self) -> Result<(), Stopped> {
        self.unchecked.set(0);
        if self.interrupt.interrupted(NoLockHeld::check()) { Err(Stopped::Cancelled) } else { Ok(()) }
    }
}
