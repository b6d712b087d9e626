//! The sandbox that a decoder process enters before it receives a file.
//!
//! It consists of two restrictions, each as strong as the kernel supports. Landlock blocks the network and the file
//! system, except for reading some directories. A seccomp filter allows the system calls that decoding
//! needs, none of which creates a process, a socket or a file; any other call fails with EPERM, so that a
//! library that tries one can continue. Without Landlock the filter also forbids to open files.
//! The restrictions cannot be removed, and survive `exec`.

use std::path::Path;

use crate::system::Descriptor;

/// The restrictions that are in effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restrictions {
    /// No file outside the readable directories can be opened.
    pub files: bool,
    /// Only the system calls that decoding needs are allowed.
    pub system_calls: bool,
}

/// Puts the calling thread into the sandbox; call it while the process has only one thread.
///
/// Returns the restrictions that could be put up with this kernel.
#[must_use]
pub fn enter(readable_directories: &[impl AsRef<Path>]) -> Restrictions {
    imp::drop_capabilities();
    let has_landlock = imp::restrict_files(readable_directories);
    let system_calls = imp::filter_system_calls(has_landlock);
    Restrictions { files: has_landlock || system_calls, system_calls }
}

/// A copy of a descriptor, or of a handle of Windows, that another process has passed to this one.
///
/// # Errors
/// No file has this number, or this process may not open another one.
pub fn passed_file(number: isize) -> std::io::Result<Descriptor> {
    if number < 0 {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    #[cfg(unix)]
    {
        let number = i32::try_from(number).map_err(std::io::Error::other)?;
        // SAFETY: it is only copied, and whoever received it keeps it open during this call.
        unsafe { std::os::fd::BorrowedFd::borrow_raw(number) }.try_clone_to_owned()
    }
    #[cfg(windows)]
    {
        // SAFETY: as above.
        let handle = unsafe { std::os::windows::io::BorrowedHandle::borrow_raw(number as *mut _) };
        handle.try_clone_to_owned().map(Descriptor::from)
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod imp {
    use std::collections::BTreeMap;
    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };
    use seccompiler::{
        BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, apply_filter,
    };

    /// The newest Landlock ABI that is used; an older kernel enforces the rules that it supports.
    const NEWEST: ABI = ABI::V6;

    pub fn restrict_files(readable_directories: &[impl AsRef<Path>]) -> bool {
        restrict(readable_directories).is_ok_and(|status| status != RulesetStatus::NotEnforced)
    }

    fn restrict(readable_directories: &[impl AsRef<Path>]) -> Result<RulesetStatus, RulesetError> {
        let mut rules: RulesetCreated = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?;
        for directory in readable_directories {
            // A directory that does not exist needs no rule.
            if let Ok(directory) = PathFd::new(directory) {
                rules =
                    rules.add_rule(PathBeneath::new(directory, AccessFs::ReadFile | AccessFs::ReadDir))?;
            }
        }
        Ok(rules.restrict_self()?.ruleset)
    }

    /// Gives up all privileges of root, such as raising limits; other users have none.
    pub fn drop_capabilities() {
        const VERSION_3: u32 = 0x2008_0522;
        // A version and the process, which is this one; then three sets of capabilities in two halves each.
        let header: [u32; 2] = [VERSION_3, 0];
        let none = [0_u32; 6];
        // SAFETY: `capset` reads both arrays, which have the sizes of its structures of version 3.
        unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) };
    }

    /// Fonts may be opened if Landlock forbids all other files.
    pub fn filter_system_calls(may_open: bool) -> bool {
        program(may_open).is_ok_and(|program| apply_filter(&program).is_ok())
    }

    fn program(may_open: bool) -> Result<BpfProgram, Error> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            DECODING.iter().chain(OLD_NAMES).map(|call| (*call, Vec::new())).collect();
        for (call, conditions) in conditions(may_open)? {
            let alternatives = conditions.into_iter().map(|condition| SeccompRule::new(vec![condition]));
            rules.insert(call, alternatives.collect::<Result<_, _>>()?);
        }
        let forbidden = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let architecture = std::env::consts::ARCH.try_into()?;
        Ok(SeccompFilter::new(rules, forbidden, SeccompAction::Allow, architecture)?.try_into()?)
    }

    /// The calls that are allowed only with certain arguments: each needs one of its conditions.
    fn conditions(may_open: bool) -> Result<Vec<(i64, Vec<SeccompCondition>)>, Error> {
        let writing = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_TMPFILE & !libc::O_DIRECTORY;
        let reading = |argument| {
            let writing = SeccompCmpOp::MaskedEq(u64::from(writing.unsigned_abs()));
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, writing, 0)
        };
        let equals = |argument, value| {
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
        };
        let duplicating = DUPLICATING.iter().map(|command| equals(1, u64::from(command.unsigned_abs())));
        let mut conditions = vec![
            // Its own limits: without capabilities it can only lower them.
            (libc::SYS_prlimit64, vec![equals(0, 0)?]),
            // `abort` sends a signal to its own process; signals to others could end the host.
            (libc::SYS_tgkill, vec![equals(0, u64::from(std::process::id()))?]),
            (libc::SYS_fcntl, duplicating.collect::<Result<_, _>>()?),
        ];
        if may_open {
            conditions.push((libc::SYS_openat, vec![reading(2)?]));
            #[cfg(target_arch = "x86_64")]
            conditions.push((libc::SYS_open, vec![reading(1)?]));
        }
        Ok(conditions)
    }

    /// The commands of `fcntl` that copy descriptors and read their flags; others lock files, send signals to
    /// any process when a descriptor becomes readable (`F_SETOWN`), or change what other processes share with
    /// this one (`F_SETFL`: the pipe by which the kernel ends all decoders with their host).
    const DUPLICATING: &[i32] =
        &[libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL];

    /// The system calls for decoding and for communication with the host.
    const DECODING: &[i64] = &[
        // I/O on open descriptors.
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_pread64,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_recvfrom,
        libc::SYS_recvmsg,
        libc::SYS_sendto,
        libc::SYS_sendmsg,
        libc::SYS_lseek,
        libc::SYS_close,
        libc::SYS_close_range,
        libc::SYS_dup,
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        // Finding fonts.
        libc::SYS_fstat,
        libc::SYS_newfstatat,
        libc::SYS_statx,
        libc::SYS_faccessat,
        libc::SYS_faccessat2,
        libc::SYS_getdents64,
        libc::SYS_readlinkat,
        libc::SYS_getcwd,
        // Memory.
        libc::SYS_brk,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_membarrier,
        // Time, random numbers and the process itself.
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_gettimeofday,
        libc::SYS_setitimer,
        libc::SYS_getrandom,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_getppid,
        libc::SYS_getuid,
        libc::SYS_geteuid,
        libc::SYS_getgid,
        libc::SYS_getegid,
        libc::SYS_getrusage,
        libc::SYS_times,
        libc::SYS_uname,
        libc::SYS_sysinfo,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_futex,
        libc::SYS_set_robust_list,
        libc::SYS_rseq,
        // Signals.
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    /// Older calls, which newer architectures do not have.
    #[cfg(target_arch = "x86_64")]
    const OLD_NAMES: &[i64] = &[
        libc::SYS_poll,
        libc::SYS_select,
        libc::SYS_alarm,
        libc::SYS_access,
        libc::SYS_stat,
        libc::SYS_lstat,
        libc::SYS_readlink,
        libc::SYS_time,
        libc::SYS_arch_prctl,
    ];
    #[cfg(not(target_arch = "x86_64"))]
    const OLD_NAMES: &[i64] = &[];
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod imp {
    use std::path::Path;

    pub fn restrict_files(_readable_directories: &[impl AsRef<Path>]) -> bool {
        false
    }

    pub fn drop_capabilities() {}

    pub fn filter_system_calls(_may_open: bool) -> bool {
        false
    }
}
