"""Has the kernel refuse what nobody needs to read a file, whoever asks for it.

Python's own hooks do not see what a library in C does that a file has taken over. This is for
Linux; elsewhere, and where the kernel does not know how, they are all that there is.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from errno import EPERM
from typing import NamedTuple

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class _Machine(NamedTuple):
    """How a kind of machine numbers what it can be asked for."""

    sign: int
    refused: tuple[int, ...]
    opening: dict[int, int]  # a file or folder, and where it says how
    signalling: int  # a thread: programs do it to themselves when they give up


_MACHINES = {
    "x86_64": _Machine(
        sign=0xC000003E,
        refused=(
            *(41, 42, 49, 53),  # socket connect bind socketpair
            *(56, 57, 58, 59, 322, 435),  # clone fork vfork execve execveat clone3
            *(62, 129, 200, 297, 424),  # kill rt_sigqueueinfo tkill rt_tgsigqueueinfo …
            *(101, 310, 311, 434, 438),  # ptrace process_vm_readv … pidfd_open pidfd_getfd
            *(160, 302),  # setrlimit prlimit64: of others, too
            *(76, 77, 82, 83, 84, 86, 87, 88),  # truncate … rename mkdir rmdir link unlink symlink
            *(90, 91, 92, 93, 94, 132, 133, 235),  # chmod … chown … utime mknod utimes
            *(258, 259, 260, 261, 263, 264, 265, 266, 268, 280, 316),  # the same in a folder
            *(85, 188, 189, 190, 304, 437),  # creat setxattr … open_by_handle_at openat2
            *(29, 64, 68, 240),  # shmget semget msgget mq_open: they outlive us
            *(206, 425, 298, 321, 323),  # io_setup io_uring_setup perf_event_open bpf userfaultfd
            *(161, 165, 272, 308, 248, 249, 250),  # chroot mount unshare setns add_key …
        ),
        opening={2: 1, 257: 2},  # open openat
        signalling=234,
    ),
    "aarch64": _Machine(
        sign=0xC00000B7,
        refused=(
            *(198, 199, 200, 203),
            *(220, 221, 281, 435),
            *(129, 130, 138, 240, 424),
            *(117, 270, 271, 434, 438),
            *(164, 261),
            *(45, 46, 52, 53, 54, 55, 88),
            *(33, 34, 35, 36, 37, 38, 276),
            *(5, 6, 7, 265, 437),
            *(180, 186, 190, 194),
            *(0, 425, 241, 280, 282),
            *(40, 51, 97, 217, 218, 219, 268),
        ),
        opening={56: 2},
        signalling=131,
    ),
}

# Of the language that such rules are written in: load a word, jump by what it is, return.
_LOAD, _IF_EQUAL, _IF_NOT_LESS, _IF_ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _SIGN, _FIRST_ARGUMENT = 0, 4, 16  # where they are in what is asked
_ALLOW, _REFUSE, _END = 0x7FFF0000, 0x00050000 | EPERM, 0x80000000
_OTHER_NUMBERS = 0x40000000  # of a second kind, on some machines
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


class _Rule(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_ushort),
        ("if_so", ctypes.c_ubyte),
        ("if_not", ctypes.c_ubyte),
        ("value", ctypes.c_uint),
    )


class _Rules(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("rules", ctypes.POINTER(_Rule)))


def shut(*, reads: bool) -> bool:
    """Let this process from now on start no other, look into none and signal none, reach no
    network, and make, change and remove no file; and open none, unless it still `reads` any.
    False where that cannot be had."""
    system = os.uname()
    machine = _MACHINES.get(system.machine)
    if machine is None or system.sysname != "Linux":
        return False
    written = [_Rule(*rule) for rule in _rules(machine, os.getpid(), reads)]
    rules = _Rules(len(written), (_Rule * len(written))(*written))
    control = ctypes.CDLL(None).prctl
    control.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    if control(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return bool(control(_SECCOMP, _FILTER, ctypes.addressof(rules), 0, 0) == 0)


def _rules(machine: _Machine, own: int, reads: bool) -> Iterator[tuple[int, int, int, int]]:
    """One after another; jumps are counted from the next."""
    yield _LOAD, 0, 0, _SIGN
    yield _IF_EQUAL, 1, 0, machine.sign
    yield _RETURN, 0, 0, _END
    yield _LOAD, 0, 0, _NUMBER
    yield _IF_NOT_LESS, 0, 1, _OTHER_NUMBERS
    yield _RETURN, 0, 0, _REFUSE
    for number in (*machine.refused, *(() if reads else machine.opening)):
        yield _IF_EQUAL, 0, 1, number
        yield _RETURN, 0, 0, _REFUSE
    for number, argument in machine.opening.items():
        yield _IF_EQUAL, 0, 4, number
        yield _LOAD, 0, 0, _FIRST_ARGUMENT + 8 * argument
        yield _IF_ANY, 1, 0, WRITING
        yield _RETURN, 0, 0, _ALLOW
        yield _RETURN, 0, 0, _REFUSE
    yield _IF_EQUAL, 0, 3, machine.signalling
    yield _LOAD, 0, 0, _FIRST_ARGUMENT
    yield _IF_EQUAL, 1, 0, own
    yield _RETURN, 0, 0, _REFUSE
    yield _RETURN, 0, 0, _ALLOW
