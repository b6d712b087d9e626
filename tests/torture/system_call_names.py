"""The system calls of x86-64 by number, and those whose faults are not tested, with the reasons."""

from __future__ import annotations

from typing import Final

NAMES: Final = {
    0: "read", 1: "write", 2: "open", 3: "close", 4: "stat", 5: "fstat", 6: "lstat", 7: "poll", 8: "lseek",
    9: "mmap", 10: "mprotect", 11: "munmap", 12: "brk", 13: "rt_sigaction", 14: "rt_sigprocmask",
    15: "rt_sigreturn", 16: "ioctl", 17: "pread64", 18: "pwrite64", 19: "readv", 20: "writev", 21: "access",
    22: "pipe", 23: "select", 24: "sched_yield", 25: "mremap", 27: "mincore", 28: "madvise", 32: "dup",
    33: "dup2", 35: "nanosleep", 38: "setitimer", 39: "getpid", 41: "socket", 42: "connect", 44: "sendto",
    45: "recvfrom", 46: "sendmsg", 47: "recvmsg", 48: "shutdown", 51: "getsockname", 52: "getpeername",
    53: "socketpair", 54: "setsockopt", 55: "getsockopt", 56: "clone", 57: "fork", 58: "vfork", 59: "execve",
    60: "exit", 61: "wait4", 62: "kill", 63: "uname", 72: "fcntl", 77: "ftruncate", 78: "getdents",
    79: "getcwd", 80: "chdir", 89: "readlink", 95: "umask", 96: "gettimeofday", 97: "getrlimit",
    98: "getrusage", 99: "sysinfo", 102: "getuid", 104: "getgid", 107: "geteuid", 108: "getegid",
    109: "setpgid", 110: "getppid", 112: "setsid", 125: "capget", 127: "rt_sigpending",
    128: "rt_sigtimedwait", 131: "sigaltstack", 137: "statfs", 138: "fstatfs", 140: "getpriority",
    141: "setpriority", 157: "prctl", 158: "arch_prctl", 160: "setrlimit", 186: "gettid", 201: "time",
    202: "futex", 203: "sched_setaffinity", 204: "sched_getaffinity", 213: "epoll_create",
    217: "getdents64", 218: "set_tid_address", 221: "fadvise64", 228: "clock_gettime", 229: "clock_getres",
    230: "clock_nanosleep", 231: "exit_group", 232: "epoll_wait", 233: "epoll_ctl", 234: "tgkill",
    247: "waitid", 257: "openat", 262: "newfstatat", 267: "readlinkat", 269: "faccessat", 270: "pselect6",
    271: "ppoll", 273: "set_robust_list", 281: "epoll_pwait", 284: "eventfd", 288: "accept4",
    290: "eventfd2", 291: "epoll_create1", 292: "dup3", 293: "pipe2", 295: "preadv", 302: "prlimit64",
    309: "getcpu", 317: "seccomp", 318: "getrandom", 319: "memfd_create", 324: "membarrier",
    327: "preadv2", 332: "statx", 334: "rseq", 424: "pidfd_send_signal", 434: "pidfd_open", 435: "clone3",
    436: "close_range", 437: "openat2", 438: "pidfd_getfd", 439: "faccessat2", 441: "epoll_pwait2",
    444: "landlock_create_ruleset", 445: "landlock_add_rule", 446: "landlock_restrict_self",
}  # fmt: skip
"""The names of the calls that occur."""

_NEVER = "cannot fail when its arguments are valid"
_MEMORY = "memory of the C library and of Python; S10 tests its failure"
_LOOP = "only asyncio calls it, and raises its errors from the event loop itself"
_START = "CPython and the C library call it when a process or a thread starts or ends"

EXCLUDED: Final = {
    "close": "Linux closes the descriptor even when it reports an error, which an injection cannot imitate",
    "close_range": _START,
    "munmap": _NEVER,
    "brk": _MEMORY,
    "mprotect": _MEMORY,
    "mremap": _MEMORY,
    "madvise": "advice about memory, mostly by the C library; errors are ignored",
    "futex": "locks and waits of the C library, Rust and Python, whose valid calls never fail",
    "sched_yield": _NEVER,
    "rt_sigaction": _NEVER,
    "rt_sigprocmask": _NEVER,
    "rt_sigreturn": "does not return",
    "sigaltstack": _NEVER,
    "exit": "does not return",
    "exit_group": "does not return",
    "getpid": _NEVER,
    "getppid": _NEVER,
    "gettid": _NEVER,
    "getuid": _NEVER,
    "geteuid": _NEVER,
    "getgid": _NEVER,
    "getegid": _NEVER,
    "set_tid_address": _START,
    "set_robust_list": _START,
    "rseq": _START,
    "arch_prctl": _START,
    "clock_gettime": _NEVER,
    "clock_getres": _NEVER,
    "epoll_wait": _LOOP,
    "epoll_pwait": _LOOP,
}
"""The calls that are not made to fail."""
