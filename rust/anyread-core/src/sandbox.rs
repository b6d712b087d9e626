//! What a decoder process gives up before it sees a file: everything that decoding does not need.
//!
//! Two walls, each as far as the kernel has it. Landlock shuts the file system but for reading some directories,
//! and the network. A seccomp filter lets through the system calls of decoding, none of which makes a
//! process, a socket or a file; all others fail as if forbidden, so that a library that tries one goes on.
//! Neither can be taken down again, and both hold for whatever the process becomes.

use std::path::Path;

/// Which walls stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walls {
    /// No file can be opened outside of the directories.
    pub files: bool,
    /// No other system call than those of decoding is carried out.
    pub system_calls: bool,
}

/// Shuts the calling thread in, and what it becomes; call it while there is one thread.
///
/// A wall that the kernel does not have, or that cannot be put up, is missing from the answer.
#[must_use]
pub fn enter(readable_folders: &[impl AsRef<Path>]) -> Walls {
    Walls { files: imp::shut_files(readable_folders), system_calls: imp::filter_system_calls() }
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

    /// The newest rules that are known here; an older kernel enforces those that it knows.
    const NEWEST: ABI = ABI::V6;

    pub fn shut_files(readable_folders: &[impl AsRef<Path>]) -> bool {
        restrict(readable_folders).is_ok_and(|status| status != RulesetStatus::NotEnforced)
    }

    fn restrict(readable_folders: &[impl AsRef<Path>]) -> Result<RulesetStatus, RulesetError> {
        let mut rules: RulesetCreated = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?;
        for folder in readable_folders {
            // A directory that is not there needs no rule.
            if let Ok(folder) = PathFd::new(folder) {
                rules = rules.add_rule(PathBeneath::new(folder, AccessFs::ReadFile | AccessFs::ReadDir))?;
            }
        }
        Ok(rules.restrict_self()?.ruleset)
    }

    pub fn filter_system_calls() -> bool {
        program().is_ok_and(|program| apply_filter(&program).is_ok())
    }

    fn program() -> Result<BpfProgram, Error> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            DECODING.iter().chain(OLD_NAMES).map(|call| (*call, Vec::new())).collect();
        for (call, condition) in conditions()? {
            rules.insert(call, vec![SeccompRule::new(vec![condition])?]);
        }
        let forbidden = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let architecture = std::env::consts::ARCH.try_into()?;
        Ok(SeccompFilter::new(rules, forbidden, SeccompAction::Allow, architecture)?.try_into()?)
    }

    /// The calls that are let through only with some arguments.
    fn conditions() -> Result<Vec<(i64, SeccompCondition)>, Error> {
        let writing = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_TMPFILE & !libc::O_DIRECTORY;
        let reading = |argument| {
            let writing = SeccompCmpOp::MaskedEq(u64::from(writing.unsigned_abs()));
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, writing, 0)
        };
        let own_process = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0)?;
        Ok(vec![
            (libc::SYS_openat, reading(2)?),
            #[cfg(target_arch = "x86_64")]
            (libc::SYS_open, reading(1)?),
            // Its own limits change from file to file.
            (libc::SYS_prlimit64, own_process),
        ])
    }

    /// What decoding and talking to the host take.
    const DECODING: &[i64] = &[
        // Bytes through descriptors that are open.
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
        libc::SYS_fcntl,
        libc::SYS_dup,
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        // Names of fonts.
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
        // Time, chance and the process itself.
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
        // Signals, of which `abort` sends itself one.
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_tgkill,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    /// Calls that younger architectures have left out.
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

    pub fn shut_files(_readable_folders: &[impl AsRef<Path>]) -> bool {
        false
    }

    pub fn filter_system_calls() -> bool {
        false
    }
}
