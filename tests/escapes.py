"""Attempts to get out of the Python tool's sandbox, as data. None changes anything of the machine's if it succeeds.

An attempt is code that must raise. What runs to its end has escaped. `{project}`, `{secret}`, `{folder}`, `{python}`
and `{gym}` stand for this project, a file and a folder the test has made outside, where the gym's packages are, and
the process id of the gym.
"""

from __future__ import annotations

from robustgym.sandbox.inside.seccomp import _REFUSED

READ = (
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hosts",
    "/etc/hostname",
    "/proc/self/environ",
    "/proc/self/maps",
    "/proc/self/mem",
    "/proc/self/mountinfo",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/etc/passwd",
    "/proc/1/environ",
    "/proc/1/cmdline",
    "/proc/{gym}/environ",
    "/proc/{gym}/maps",
    "/proc/{gym}/mem",
    "/proc/{gym}/fd/0",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/core_pattern",
    "/proc/sysrq-trigger",
    "/proc/cpuinfo",
    "/proc/net/tcp",
    "/proc/keys",
    "/sys/kernel/uevent_helper",
    "/sys/fs/cgroup/cgroup.procs",
    "/dev/mem",
    "/dev/kmsg",
    "/dev/fuse",
    "/dev/kvm",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/vsock",
    "/var/run/docker.sock",
    "{secret}",
    "{project}/pyproject.toml",
    "{project}/noise_ops/__init__.py",
    "{project}/robustgym/verifier/judge.py",
    "{project}/robustgym/sandbox/process.py",
    "{python}/duckdb/__init__.py",
    "{python}/openai/__init__.py",
    "{python}/pip/__init__.py",
    # By ways that only look different.
    "//etc//passwd",
    "/usr/../etc/passwd",
    "/usr/lib/../../etc/passwd",
    "{folder}/link",
)
"""Files that must not be opened to read."""

LIST = ("/home", "/root", "/tmp", "/proc", "/proc/{gym}/task", "/var", "/sys", "/dev/shm", "{project}", "{folder}")
"""Folders that must not be listed."""

WRITE = (
    "os.open({secret!r}, os.O_RDWR)",
    "os.open({secret!r}, os.O_WRONLY | os.O_APPEND)",
    "os.open('/tmp', os.O_RDWR | os.O_TMPFILE)",
    "os.open('/', os.O_RDWR | os.O_TMPFILE)",
    "os.open('/dev/shm', os.O_RDWR | os.O_TMPFILE)",
    "os.open('/var/tmp', os.O_RDWR | os.O_TMPFILE)",
    "os.open(os.path.dirname(pd.__file__), os.O_RDWR | os.O_TMPFILE)",
    "os.open(os.path.dirname(os.__file__), os.O_RDWR | os.O_TMPFILE)",
    "os.open(sys.path[-1], os.O_RDWR | os.O_TMPFILE)",
    "os.open(pd.__file__, os.O_RDWR)",
    "os.open(os.__file__, os.O_RDWR)",
    "os.open(sys.modules['inside.cells'].__file__, os.O_RDWR)",
    "os.unlink({secret!r})",
    "os.rename({secret!r}, {secret!r} + '2')",
    "os.link({secret!r}, {secret!r} + '2')",
    "os.symlink('/etc/passwd', {folder!r} + '/link2')",
    "os.mkdir({folder!r} + '/made')",
    "os.mkfifo({folder!r} + '/made')",
    "os.rmdir({folder!r})",
    "os.truncate({secret!r}, 1)",
    "os.chmod({secret!r}, 0o600)",
    "os.chown({secret!r}, os.getuid(), -1)",
    "os.utime({secret!r})",
    "os.setxattr({secret!r}, 'user.seen', b'1')",
    "s = os.stat(os.__file__); os.utime(os.__file__, ns=(s.st_atime_ns, s.st_mtime_ns))",
    "os.chmod(pd.__file__, os.stat(pd.__file__).st_mode)",
    "import tempfile; tempfile.TemporaryFile()",
    "import sqlite3; sqlite3.connect({secret!r}).execute('SELECT 1 FROM sqlite_master')",
    "import dbm.dumb; dbm.dumb.open({folder!r} + '/db', 'c')",
)

READ_OTHERWISE = (
    "pd.read_csv({secret!r})",
    "pd.read_pickle({secret!r})",
    "pl.read_csv({secret!r})",
    "pl.scan_csv({secret!r}).collect()",
    "pyarrow.memory_map({secret!r})",
    "pyarrow.OSFile({secret!r})",
    "import pyarrow.csv; pyarrow.csv.read_csv({secret!r})",
    "import pyarrow.dataset; pyarrow.dataset.dataset({secret!r}, format='csv').to_table()",
    "np.fromfile({secret!r}, 'u1')",
    "np.memmap({secret!r}, 'u1', 'r')",
    "np.load({secret!r}, allow_pickle=True)",
    "ctypes.CDLL({secret!r})",
    "import linecache; assert linecache.getlines({secret!r})",
    "import zipfile; zipfile.ZipFile({secret!r})",
    "import runpy; runpy.run_path({secret!r})",
    "import importlib.util; s = importlib.util.spec_from_file_location('n', {project!r} + '/noise_ops/__init__.py'); "
    "s.loader.exec_module(importlib.util.module_from_spec(s))",
    "os.open({secret!r}, os.O_PATH); os.open('/proc/self/fd/5', os.O_RDONLY)",
    "os.readlink('/proc/{gym}/exe')",
    "os.readlink('/proc/{gym}/cwd')",
    "os.chroot('/')",
    "assert 'noise_ops' in os.listdir({project!r})",
    "assert any(name.startswith('robustgym') for name in sys.modules)",
    "assert any('SECRET' in name or 'never told' in value for name, value in os.environ.items())",
    "f = ctypes.CDLL(None).getenv; f.restype = ctypes.c_char_p; assert f(b'SANDBOX_SECRET')",
)

IMPORT = ("robustgym", "noise_ops", "assets", "schemas", "duckdb", "openai", "pip", "dagster", "pytest", "requests")
"""What must not be there to import."""

PROCESSES = (
    "assert os.fork() > 0 or os._exit(0)",
    "assert os.forkpty()[0] > 0 or os._exit(0)",
    "os.posix_spawn('/bin/true', ['true'], {{}})",
    "os.execv('/bin/true', ['true'])",
    "os.execv(sys.executable, ['python', '-c', ''])",
    "import subprocess; subprocess.run(['/bin/true'])",
    "import subprocess; subprocess.run([sys.executable, '-c', ''])",
    "assert os.system('true') == 0",
    "assert os.popen('echo out').read()",
    "import multiprocessing; multiprocessing.get_context('fork').Process(target=print).start()",
    "import multiprocessing; multiprocessing.get_context('spawn').Process(target=print).start()",
    "import concurrent.futures as f; f.ProcessPoolExecutor(1).submit(print).result(1)",
    "assert ctypes.CDLL(None).system(b'true') == 0",
    "import pickle; assert pickle.loads(b'cposix\\nsystem\\n(Vtrue\\ntR.') == 0",
    "import io; assert pd.read_pickle(io.BytesIO(b'cposix\\nsystem\\n(Vtrue\\ntR.')) == 0",
    "os.kill(os.getppid(), 0)",
    "os.kill({gym}, 0)",
    "os.kill(1, 0)",
    "os.kill(-1, 0)",
    "os.killpg(0, 0)",
    "os.pidfd_open({gym})",
    "import signal; signal.pthread_kill(__import__('threading').get_ident(), 0)",
    "import resource; resource.prlimit({gym}, resource.RLIMIT_NOFILE)",
    "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)",
    "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))",
    "os.sched_setaffinity({gym}, os.sched_getaffinity(0))",
    "os.setpriority(os.PRIO_PROCESS, {gym}, os.getpriority(os.PRIO_PROCESS, 0))",
    "os.setuid(0); assert os.getuid() == 0 and open('/etc/shadow')",
    "os.setgroups([0])",
    "import fcntl; fcntl.fcntl(3, fcntl.F_SETOWN, {gym})",
    "import fcntl; fcntl.fcntl(3, fcntl.F_SETSIG, 9)",
    "import fcntl; fcntl.ioctl(0, 0x5412, b'x')",
    "import fcntl; fcntl.ioctl(3, 0x8901, b'\\0\\0\\0\\0')",
)

NETWORK = (
    "socket.socket(socket.AF_INET)",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "socket.socket(socket.AF_INET6)",
    "socket.socket(socket.AF_UNIX)",
    "socket.socket(socket.AF_VSOCK)",
    "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
    "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)",
    "socket.socketpair()",
    "socket.create_connection(('127.0.0.1', 9), 1)",
    "socket.getaddrinfo('localhost', 80)[0]; socket.create_server(('127.0.0.1', 0))",
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9', timeout=1)",
    "import asyncio; asyncio.run(asyncio.open_connection('127.0.0.1', 9))",
    "pd.read_csv('http://127.0.0.1:9/x.csv')",
)

CALLS = (
    # Number, arguments: by their arguments refused.
    "call(56, 0)",
    "call(56, 0x10000 | 0x10000000)",
    "call(157, 1, 0, 0, 0, 0)",
    "call(435, 0, 0)",
    "call(302, {gym}, 7, 0, 0)",
    "call(302, 1 << 32, 7, 0, 0)",
    "call(462, 0, 0, 0)",
    "call(467, -1, 0, 0, 0, 0)",
    "call(16, 0, 0x5412, 0)",
    "call(72, 3, 8, {gym})",
)
"""System calls of x86_64 that are looked at by their arguments, or newer than the list."""

NOT_TRIED = ("fork", "vfork", "vhangup", "sync")
"""Refused calls that take no argument which would make them harmless, if they were let through."""

REFUSED = tuple(
    f"call({number}, -1, -1, -1, -1, -1, -1)" for name, (number, _) in _REFUSED.items() if name not in NOT_TRIED
)
"""Every refused call of x86_64 with impossible arguments: it must be the filter that says no, not the arguments."""

PRELUDE = """
import ctypes, os, socket, sys
import pyarrow
sys.unraisablehook = lambda *_: None
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *arguments):
    if libc.syscall(number, *(ctypes.c_long(argument) for argument in arguments)) >= 0:
        return
    error = ctypes.get_errno()
    # Any other error says that the kernel looked at the arguments.
    if error in (1, 25, 38):
        raise OSError(error, "refused")

def attempts(codes):
    escaped = []
    for code in codes:
        try:
            exec(code, dict(globals()))
        except BaseException:
            continue
        escaped.append(code)
    return escaped
"""

ENDS: dict[str, str] = {
    "x32 call": "import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 39)",
    "crash": "import ctypes; ctypes.string_at(0)",
    "deep recursion": "import sys; sys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "busy beyond Python": "9**9**9",
    "endless queries": "while True:\n    try: query('SELECT 1')\n    except Exception: pass",
}
"""Cells that end their interpreter, or are ended with it. Nothing of the gym's may end."""

BOMBS: dict[str, str] = {
    "threads": "import threading, time\nthreading.stack_size(1 << 16)\n"
    "for _ in range(3000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\ntime.sleep(60)",
    "memory": "import ctypes\nlibc = ctypes.CDLL(None); libc.malloc.restype = ctypes.c_void_p\n"
    "for _ in range(8): ctypes.memset(libc.malloc(1 << 29), 1, 1 << 29)",
}
"""The same, where one kind of isolation stops them in another way than the next."""

WAY = """import os
def say(text):
    for end in range(3, 64):
        try: os.write(end, text)
        except OSError: pass
"""
"""Says something in the interpreter's name: a cell can find the pipe it speaks through."""

FORGED: dict[str, str] = {
    "no JSON": "say(b'hello\\n')",
    "no object": "say(b'[1, 2]\\n')",
    "too long": "while True: say(b'x' * 65536)",
    "too deep": "say(b'[' * 200000 + b'\\n')",
    "long number": "say(b'{\"cell\": ' + b'9' * 5000 + b'}\\n')",
    "not text": "say(b'\\xff\\xfe\\x00\\n')",
    "another cell": 'say(b\'{"cell": 7, "done": {"output": "x", "dropped": 0, "error": null}}\\n\')',
    "no output": 'say(b\'{"cell": 1, "done": {"output": 5, "dropped": 0, "error": null}}\\n\')',
    "no count": 'say(b\'{"cell": 1, "done": {"output": "x", "dropped": "a", "error": null}}\\n\')',
    "no error": 'say(b\'{"cell": 1, "done": {"output": "x", "dropped": 0, "error": []}}\\n\')',
    "no statement": 'say(b\'{"cell": 1, "query": {"a": 1}}\\n\')',
    "ready again": "say(b'{\"ready\": true}\\n')",
    "asks and does not read": 'say(b\'{"cell": 1, "query": "large"}\\n\'); import time; time.sleep(60)',
    "says nothing": "import time; time.sleep(60)",
    "gone": "import os; os._exit(0)",
    "gone with its pipes": "import os, time; os.closerange(0, 64); time.sleep(60)",
}
"""What an interpreter may say when its cell has taken it over."""
