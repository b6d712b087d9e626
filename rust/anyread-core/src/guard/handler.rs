//! The handler of SIGBUS: when it may be installed, what it does, and how it steps aside.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use libc::{BUS_ADRERR, BUS_MCEERR_AO, SIG_DFL, SIGBUS};
use rustix::mm::{MapFlags, ProtFlags};

use super::slots;
use crate::lock::NoLockHeld;

/// Says whether the handler at an address may be replaced.
type OwnerHook = fn(usize, NoLockHeld) -> bool;

static OWNER_HOOK: OnceLock<OwnerHook> = OnceLock::new();
/// The last handler that the hook approved of.
static APPROVED: AtomicUsize = AtomicUsize::new(0);
/// The process in which a thread is installing the handler. A lock would be held forever in a child forked then.
static ARMING: AtomicU32 = AtomicU32::new(0);
/// What our handler has last replaced; never freed, since the handler may look at it at any time.
static REPLACED: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
/// Whether a signal came that was not ours.
static STEPPED_ASIDE: AtomicBool = AtomicBool::new(false);
/// Bytes in a page.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Names who judges handlers that are neither the default action nor ours; the first one named stays.
///
/// The hook is asked on the thread that calls for a scan, which holds no lock.
/// It should approve of a handler only if that one, should it get a signal which is not ours, ends the process
/// or passes the signal on to what it replaced itself. What it approves of is not asked about again.
/// Without a hook nothing but the default action is replaced; a Rust program has a handler from its start,
/// for overflows of the stack, so there nothing is mapped unless its author provides a hook.
pub fn set_owner_hook(hook: fn(handler: usize, NoLockHeld) -> bool) {
    // A second hook is that of a second copy of the same host: both would say the same.
    let _ = OWNER_HOOK.set(hook);
}

/// Whether two addresses lie in the same loaded object: the program, or one of its shared libraries.
#[must_use]
pub fn same_object(one: usize, other: usize) -> bool {
    let object = |address: usize| {
        let mut found = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: `dladdr` only compares the address with what is loaded, and fills in `found` if it says so.
        let found = unsafe {
            (libc::dladdr(ptr::without_provenance(address), found.as_mut_ptr()) != 0)
                .then(|| found.assume_init())
        };
        found.map(|found| found.dli_fbase)
    };
    object(one).is_some_and(|base| object(other) == Some(base))
}

/// Installs the handler where that is allowed, and says whether it stands.
///
/// To be called before a scan, on the thread that called for it; the hook may be asked.
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
    // Somebody else may have installed a handler since we looked: that one stays.
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

/// Whether the handler stands now.
pub(super) fn is_armed() -> bool {
    present().is_some_and(|present| is_ours(&present))
}

/// Lets SIGBUS through to this thread.
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

/// Keeps what is about to be replaced where the handler finds it.
fn remember(action: libc::sigaction) {
    // SAFETY: what is stored there came from a box that is never freed, and is never changed.
    let last = unsafe { REPLACED.load(Ordering::Acquire).as_ref() };
    // A host that switches its handler on and off must not make us keep a copy each time.
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
    // SAFETY: a structure of C in which all zeros are valid: no handler, no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    action
}

fn ours() -> libc::sigaction {
    action(address_of_ours(), libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER)
}

/// The handler that stands now.
fn present() -> Option<libc::sigaction> {
    let mut found = MaybeUninit::uninit();
    // SAFETY: without a new action this only fills in the old one, which is initialized if it says so.
    unsafe { (libc::sigaction(SIGBUS, ptr::null(), found.as_mut_ptr()) == 0).then(|| found.assume_init()) }
}

/// Installs a handler and gives back the one before.
fn exchange(new: &libc::sigaction) -> Option<libc::sigaction> {
    let mut old = MaybeUninit::uninit();
    // SAFETY: `new` is either what the kernel gave us or `on_bus` with the flags it is written for;
    // the old one is initialized if the call says so.
    unsafe { (libc::sigaction(SIGBUS, new, old.as_mut_ptr()) == 0).then(|| old.assume_init()) }
}

/// Runs on whichever thread has the fault, between any two of its instructions.
extern "C" fn on_bus(_signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: under `SA_SIGINFO` the kernel passes the facts of this signal, valid until we return.
    // For codes that carry no address the field is other data: it is looked at under `BUS_ADRERR` only.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
    let is_ours = code == BUS_ADRERR && slots::hit(address).is_some_and(|end| cover(address, end));
    if !is_ours {
        step_aside(code);
    }
}

/// Puts pages of zeros from the one with `address` on up to `end`.
fn cover(address: usize, end: usize) -> bool {
    let start = address & !PAGE.load(Ordering::Relaxed).wrapping_sub(1);
    let flags = MapFlags::PRIVATE | MapFlags::FIXED;
    // SAFETY: the pages lie in a published window, so they are a mapping that belongs to the very thread which
    // runs this, and to which there is no reference. The call enters the kernel directly: no `errno`, no lock.
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

/// Gives a signal that is not ours to its owner, by putting the owner's handler back and returning.
///
/// If the owner is faulthandler and was enabled after us, it puts *us* back in its turn and raises again.
/// What stood before us then was the default action: we arm over nothing else but faulthandler, which cannot
/// have stood there and be enabled again on top of us. So the second time it is the default action's turn.
fn step_aside(code: c_int) {
    let is_first = !STEPPED_ASIDE.swap(true, Ordering::SeqCst);
    // SAFETY: what is stored there came from a box that is never freed, and is never changed.
    let replaced = unsafe { REPLACED.load(Ordering::Acquire).as_ref() };
    exchange(replaced.filter(|_| is_first).unwrap_or(&action(SIG_DFL, 0)));
    // A fault comes again by itself; what somebody sent, or the kernel reported late, does not.
    if code <= 0 || code == BUS_MCEERR_AO {
        // SAFETY: raising a signal in this thread is allowed in a handler, and SIGBUS is not blocked in ours.
        unsafe { libc::raise(SIGBUS) };
    }
}
