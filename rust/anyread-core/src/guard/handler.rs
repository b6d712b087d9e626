//! The SIGBUS handler: when it may be installed, what it does, and how it passes on other signals.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use libc::{BUS_ADRERR, BUS_MCEERR_AO, SIG_DFL, SIGBUS};
use rustix::mm::{MapFlags, ProtFlags};

use super::slots;
use crate::lock::NoLockHeld;

/// Returns whether the handler at an address may be replaced.
type OwnerHook = fn(usize, NoLockHeld) -> bool;

static OWNER_HOOK: OnceLock<OwnerHook> = OnceLock::new();
/// The last handler that the hook approved.
static APPROVED: AtomicUsize = AtomicUsize::new(0);
/// The process in which a thread is installing the handler. A lock could stay locked in a forked child.
static ARMING: AtomicU32 = AtomicU32::new(0);
/// The action that our handler replaced last; never freed, since the handler may read it at any time.
static REPLACED: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
/// Whether a signal arrived that was not ours.
static STEPPED_ASIDE: AtomicBool = AtomicBool::new(false);
/// Bytes in a page.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Sets the hook that decides about handlers that are neither the default action nor ours; only the first
/// call has an effect.
///
/// The hook is called on the thread that requests a scan, while it holds no lock.
/// It should approve a handler only if that handler, on a signal that is not ours, ends the process or passes
/// the signal on to the handler that it replaced. The hook is not called again for an approved handler.
/// Without a hook only the default action is replaced. A Rust program has a handler for stack overflows from
/// its start, so that nothing is mapped in it unless its author sets a hook.
pub fn set_owner_hook(hook: fn(handler: usize, NoLockHeld) -> bool) {
    // A second hook comes from a second copy of the same host and would decide the same.
    let _ = OWNER_HOOK.set(hook);
}

/// Whether two addresses lie in the same loaded object: the program, or one of its shared libraries.
#[must_use]
pub fn same_object(one: usize, other: usize) -> bool {
    let object = |address: usize| {
        let mut found = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: `dladdr` only compares the address with loaded objects; it initializes `found` on success.
        let found = unsafe {
            (libc::dladdr(ptr::without_provenance(address), found.as_mut_ptr()) != 0)
                .then(|| found.assume_init())
        };
        found.map(|found| found.dli_fbase)
    };
    object(one).is_some_and(|base| object(other) == Some(base))
}

/// Installs the handler if that is allowed; returns whether it is installed.
///
/// Must be called before a scan, on the thread that requests it; it may call the hook.
pub(crate) fn arm() -> bool {
    let Some(present) = present() else { return false };
    if is_ours(&present) {
        return true;
    }
    if STEPPED_ASIDE.load(Ordering::SeqCst) || !may_replace(present.sa_sigaction) {
        return false;
    }
    let process = std::process::id();
    let arming = ARMING.load(Ordering::Relaxed);
    if arming == process
        || ARMING.compare_exchange(arming, process, Ordering::AcqRel, Ordering::Relaxed).is_err()
    {
        return false;
    }
    PAGE.store(rustix::param::page_size(), Ordering::Relaxed);
    remember(present);
    let replaced = exchange(&ours());
    // Another thread may have installed a handler in between; that one is kept.
    let is_armed = replaced.is_some_and(|replaced| {
        let is_expected = replaced.sa_sigaction == present.sa_sigaction || is_ours(&replaced);
        if !is_expected {
            exchange(&replaced);
        }
        is_expected
    });
    ARMING.store(0, Ordering::Release);
    is_armed
}

/// Whether the handler is currently installed.
pub(super) fn is_armed() -> bool {
    present().is_some_and(|present| is_ours(&present))
}

/// Unblocks SIGBUS on this thread; returns whether that succeeded.
pub(super) fn unblock() -> bool {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the set is emptied, and thereby initialized, before it is used; no old mask is requested.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr()) == 0
            && libc::sigaddset(set.as_mut_ptr(), SIGBUS) == 0
            && libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), ptr::null_mut()) == 0
    }
}

fn may_replace(handler: usize) -> bool {
    if handler == SIG_DFL || handler == APPROVED.load(Ordering::Relaxed) {
        return true;
    }
    let is_approved =
        handler != libc::SIG_IGN && OWNER_HOOK.get().is_some_and(|hook| hook(handler, NoLockHeld::check()));
    if is_approved {
        APPROVED.store(handler, Ordering::Relaxed);
    }
    is_approved
}

/// Stores the action that is about to be replaced where the handler finds it.
fn remember(action: libc::sigaction) {
    // SAFETY: the pointer is null or comes from a box that is never freed or changed.
    let last = unsafe { REPLACED.load(Ordering::Acquire).as_ref() };
    // Avoids a leak each time that a host switches its handler off and on.
    let is_known =
        last.is_some_and(|last| last.sa_sigaction == action.sa_sigaction && last.sa_flags == action.sa_flags);
    if !is_known {
        REPLACED.store(Box::into_raw(Box::new(action)), Ordering::Release);
    }
}

fn address_of_ours() -> usize {
    (on_bus as *const ()).addr()
}

fn is_ours(action: &libc::sigaction) -> bool {
    action.sa_sigaction == address_of_ours()
}

fn action(handler: usize, flags: c_int) -> libc::sigaction {
    // SAFETY: a C structure for which all zeros are valid: no handler, no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    action
}

fn ours() -> libc::sigaction {
    action(address_of_ours(), libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER)
}

/// The action that is currently installed.
fn present() -> Option<libc::sigaction> {
    let mut found = MaybeUninit::uninit();
    // SAFETY: without a new action this only returns the current one, which is initialized on success.
    unsafe { (libc::sigaction(SIGBUS, ptr::null(), found.as_mut_ptr()) == 0).then(|| found.assume_init()) }
}

/// Installs an action and returns the previous one.
fn exchange(new: &libc::sigaction) -> Option<libc::sigaction> {
    let mut old = MaybeUninit::uninit();
    // SAFETY: `new` is the default action, an action that the kernel returned, or `on_bus` with the flags
    // that it requires; `old` is initialized if the call succeeds.
    unsafe { (libc::sigaction(SIGBUS, new, old.as_mut_ptr()) == 0).then(|| old.assume_init()) }
}

/// Runs on the thread that has the fault, between any two of its instructions.
extern "C" fn on_bus(_signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: with `SA_SIGINFO` the kernel passes a structure that is valid until we return.
    // For codes without an address the field contains other data; its value is used only with `BUS_ADRERR`.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
    let is_ours = code == BUS_ADRERR && slots::hit(address).is_some_and(|end| cover(address, end));
    if !is_ours {
        step_aside(code);
    }
}

/// Maps pages of zeros from the page of `address` up to `end`.
fn cover(address: usize, end: usize) -> bool {
    let start = address & !PAGE.load(Ordering::Relaxed).wrapping_sub(1);
    let flags = MapFlags::PRIVATE | MapFlags::FIXED;
    // SAFETY: the pages lie in a published window. So they are part of a mapping that belongs to the thread
    // which runs this, and there are no references to it. The system call sets no `errno` and takes no lock.
    let covered = unsafe {
        rustix::mm::mmap_anonymous(
            ptr::without_provenance_mut(start),
            end.wrapping_sub(start),
            ProtFlags::READ,
            flags,
        )
    };
    covered.is_ok()
}

/// Passes on a signal that is not ours, by reinstalling the handler that we replaced and returning.
///
/// If faulthandler was enabled after us, it reinstalls our handler and raises the signal again. In that case
/// we had replaced the default action: the only alternative is faulthandler, which cannot have been enabled
/// before us and again after us. So the second time we install the default action.
fn step_aside(code: c_int) {
    let is_first = !STEPPED_ASIDE.swap(true, Ordering::SeqCst);
    // SAFETY: the pointer is null or comes from a box that is never freed or changed.
    let replaced = unsafe { REPLACED.load(Ordering::Acquire).as_ref() };
    exchange(replaced.filter(|_| is_first).unwrap_or(&action(SIG_DFL, 0)));
    // A fault recurs by itself; a signal that a process sent or that the kernel reported late does not.
    if code <= 0 || code == BUS_MCEERR_AO {
        // SAFETY: a handler may raise a signal on its thread, and SIGBUS is not blocked during ours.
        unsafe { libc::raise(SIGBUS) };
    }
}
