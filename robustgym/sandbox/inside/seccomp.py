"""The system calls a closed-in process may make: none that reaches beyond its own memory and the files it may read.

A list of what is refused, closed at its end: a number newer than the last one known here does not exist. Refused is
also what Landlock does not see: owners, modes and times of files, signals, and files' existence being watched.
"""

from __future__ import annotations

import ctypes
import platform
import struct

# Name: number on x86_64 and on aarch64, which lacks the oldest.
_REFUSED: dict[str, tuple[int, int | None]] = {
    # Other programs and processes. A thread is a `clone`, which is read below.
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "ioprio_set": (251, 30),
    # Network and what else processes talk through. Namespaces do not cover vsock.
    "socket": (41, 198),
    "socketpair": (53, 199),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_setup": (206, 0),
    # Files, by other ways than opening them.
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "truncate": (76, 45),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "splice": (275, 76),
    "tee": (276, 77),
    "vmsplice": (278, 75),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "mincore": (27, 232),
    # Namespaces and mounts.
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # The kernel's own affairs.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "syslog": (103, 116),
    "personality": (135, 92),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "vhangup": (153, 58),
}
# Looked at by their arguments.
_CLONE, _CLONE3, _FCNTL, _IOCTL, _PRCTL, _PRLIMIT = (56, 220), (435, 435), (72, 25), (16, 29), (157, 167), (302, 261)
_LAST = 450
"""The newest number known here, set_mempolicy_home_node: the same on both machines."""

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000
"""Numbers of a second table on x86_64, which would slip past the list."""

_CLONE_THREAD, _CLONE_NEW = 0x00010000, 0x7E020080
_SET_OWNER, _SET_SIGNAL, _SET_OWNER_EX, _SET_LEASE, _NOTIFY = 8, 10, 15, 1024, 1026
"""fcntl: a pipe can send its owner a signal, and the owner can be any process of the same user."""
_PDEATHSIG = 1
"""prctl: whoever could unset it would outlive the gym."""
_TERMINAL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""ioctl: is it a terminal, how large, how much is there to read, do not block, close on exec or not."""

_LOAD, _EQUAL, _GREATER, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_ALLOW, _KILL, _EPERM, _ENOTTY, _ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050019, 0x00050026
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

_Step = tuple[int, int, int, int]
"""Operation, steps to skip if true, steps to skip if false, operand."""


def program(machine: str | None = None) -> bytes:
    """The filter, as the kernel takes it.

    Args:
        machine: As `platform.machine()` names it; this one if none is given.

    Raises:
        OSError: There is no list for such a machine.

    >>> len(program("x86_64")) % 8
    0
    """
    machine = machine or platform.machine()
    if machine not in _MACHINES:
        raise OSError(f"no list of system calls for {machine}")
    column, architecture = _MACHINES[machine]
    steps: list[_Step] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        *_unless(_EQUAL, architecture, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        *(_when(_AT_LEAST, _X32, _KILL) if machine == "x86_64" else []),
        *_when(_GREATER, _LAST, _ENOSYS),
        # The C library falls back to `clone`, whose flags can be read.
        *_when(_EQUAL, _CLONE3[column], _ENOSYS),
    ]
    for numbers in _REFUSED.values():
        number = numbers[column]
        if number is not None:
            steps += _when(_EQUAL, number, _EPERM)
    flags = _argument(0)
    steps += _only_for(
        _CLONE[column], [flags, *_when(_ANY_BIT, _CLONE_NEW, _EPERM), *_unless(_ANY_BIT, _CLONE_THREAD, _EPERM)]
    )
    # Limits of itself alone: another process may be the gym.
    itself = [_argument(0), *_unless(_EQUAL, 0, _EPERM), _argument(0, high=True), *_unless(_EQUAL, 0, _EPERM)]
    steps += _only_for(_PRLIMIT[column], itself)
    steps += _only_for(_PRCTL[column], [_argument(0), *_when(_EQUAL, _PDEATHSIG, _EPERM)])
    owning = (_SET_OWNER, _SET_SIGNAL, _SET_OWNER_EX, _SET_LEASE, _NOTIFY)
    refused = [step for command in owning for step in _when(_EQUAL, command, _EPERM)]
    steps += _only_for(_FCNTL[column], [_argument(1), *refused])
    known = [step for request in _TERMINAL for step in _when(_EQUAL, request, _ALLOW)]
    steps += _only_for(_IOCTL[column], [_argument(1), *known, (_RETURN, 0, 0, _ENOTTY)])
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def refuse() -> None:
    """Let this process make those calls no more, for good. Before it has a second thread, which would go free.

    Raises:
        OSError: The kernel, or what runs this process, does not allow filters.
    """
    steps = program()
    buffer = ctypes.create_string_buffer(steps, len(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, without which a filter needs a privilege
    if libc.prctl(22, 2, ctypes.byref(_Program(len(steps) // 8, ctypes.addressof(buffer)))):
        raise OSError(ctypes.get_errno(), "seccomp filters are not to be had")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _when(test: int, operand: int, verdict: int) -> list[_Step]:
    return [(test, 0, 1, operand), (_RETURN, 0, 0, verdict)]


def _unless(test: int, operand: int, verdict: int) -> list[_Step]:
    return [(test, 1, 0, operand), (_RETURN, 0, 0, verdict)]


def _argument(number: int, *, high: bool = False) -> _Step:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * number + 4 * high)


def _only_for(number: int, steps: list[_Step]) -> list[_Step]:
    """Steps for one system call; afterwards its number is there again for the next test."""
    return [(_EQUAL, 0, len(steps) + 1, number), *steps, (_LOAD, 0, 0, _NUMBER)]
