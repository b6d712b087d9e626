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
    /// How many blocks of a size or more were allocated, and that size.
    pub blocks: isize,
    pub size: usize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { now: 0, most: 0, all: 0, blocks: 0, size: 0 }) };
}

/// What the current thread has allocated; what another thread frees is not seen.
pub fn counts() -> Counts {
    COUNTS.get()
}

/// Begins to measure the most that is allocated at once, and to count the blocks of `size` bytes or more.
pub fn reset(size: usize) {
    let counts = COUNTS.get();
    COUNTS.set(Counts { most: counts.now, blocks: 0, size, ..counts });
}

fn add(bytes: isize, block: usize) {
    // A thread that ends frees memory after its counts are gone.
    let _ = COUNTS.try_with(|cell| {
        let Counts { now, most, all, blocks, size } = cell.get();
        let now = now + bytes;
        let blocks = blocks + isize::from(bytes > 0 && block >= size);
        cell.set(Counts { now, most: most.max(now), all: all + bytes.max(0), blocks, size });
    });
}

// SAFETY: every call is passed on to the system's allocator with the same arguments; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size().cast_signed(), layout.size());
        // SAFETY: the caller keeps the rules of this method.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size().cast_signed(), layout.size());
        // SAFETY: the caller keeps the rules of this method.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        add(-layout.size().cast_signed(), 0);
        // SAFETY: the caller keeps the rules of this method.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size.cast_signed() - layout.size().cast_signed(), size);
        // SAFETY: the caller keeps the rules of this method.
        unsafe { System.realloc(block, layout, size) }
    }
}
