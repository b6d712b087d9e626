//! An allocator that counts what the current thread allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts, and passes everything on to the system.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a thread has allocated, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// What is allocated now, and the most of it since [`reset`].
    pub now: isize,
    pub most: isize,
    /// All that was ever allocated.
    pub all: isize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { now: 0, most: 0, all: 0 }) };
}

/// What the current thread has allocated; what another thread frees is not seen.
pub fn counts() -> Counts {
    COUNTS.get()
}

/// Begins to measure the most that is allocated at once, and returns the counts.
pub fn reset() -> Counts {
    let counts = COUNTS.get();
    COUNTS.set(Counts { most: counts.now, ..counts });
    COUNTS.get()
}

fn add(before: usize, after: usize) {
    let bytes = after.cast_signed() - before.cast_signed();
    // A thread that ends frees memory after its counts are gone.
    let _ = COUNTS.try_with(|cell| {
        let Counts { now, most, all } = cell.get();
        let now = now + bytes;
        cell.set(Counts { now, most: most.max(now), all: all + bytes.max(0) });
    });
}

// SAFETY: every call is passed on to the system's allocator with the same arguments; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(0, layout.size());
        // SAFETY: the caller keeps the rules of this method.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(0, layout.size());
        // SAFETY: the caller keeps the rules of this method.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        add(layout.size(), 0);
        // SAFETY: the caller keeps the rules of this method.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(layout.size(), size);
        // SAFETY: the caller keeps the rules of this method.
        unsafe { System.realloc(block, layout, size) }
    }
}
