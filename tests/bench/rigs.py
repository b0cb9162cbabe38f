# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of devices that a benchmark may overwrite: made here, gone afterwards.

Loop devices are handed to the kernel to detach when the last descriptor is
closed, so they go even when this program is killed.
"""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20


# Programs under test and the servers of modelled disks, which sleep most of the time, go before
# everything else on the machine: both sides of a comparison alike.
FIRST = ["chrt", "--rr", "20"]


def quiet(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def random_file(path, size):
    """Data that neither compresses nor repeats."""
    with open(path, "wb") as file:
        for _ in range(size // MIB):
            file.write(os.urandom(MIB))
        file.flush()
        os.fsync(file.fileno())


def written_file(path, size):
    """Every block allocated: a hole would be filled at the first write only."""
    with open(path, "wb") as file:
        block = b"\xa5" * MIB
        for _ in range(size // MIB):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


class Pair:
    """Source and destination node, their size, and how to forget what is cached of them."""

    def __init__(self, name, source, destination, size, files=()):
        self.name, self.source, self.destination = name, source, destination
        self.size, self.files = size, files
        self.depth = None  # requests in flight, where the device itself does not tell
        self.sector = int(output("blockdev", "--getss", source))

    def forget(self):
        for node in (self.source, self.destination):
            quiet("blockdev", "--flushbufs", node)
        for path in self.files:
            with open(path, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def same(self):
        return subprocess.run(["cmp", "-s", self.source, self.destination]).returncode == 0

    def scribble(self):
        """So that a tool that writes nothing is found out."""
        with open(self.destination, "r+b", buffering=0) as node:
            for offset in range(0, self.size, 64 * MIB):
                node.seek(offset)
                node.write(b"\x5a" * 4096)
            os.fsync(node.fileno())


@contextlib.contextmanager
def loop(path):
    node = output("losetup", "--direct-io=on", "-f", "--show", path)
    keeper = os.open(node, os.O_RDONLY | os.O_CLOEXEC)
    try:
        quiet("losetup", "-d", node)  # takes effect when the last descriptor is closed
        yield node
    finally:
        os.close(keeper)


@contextlib.contextmanager
def folder(parent):
    path = tempfile.mkdtemp(prefix="clonedeck-bench.", dir=parent)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def loop_pair(name, parent, size):
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(folder(parent))
        files = [os.path.join(path, "source"), os.path.join(path, "destination")]
        random_file(files[0], size)
        written_file(files[1], size)
        nodes = [stack.enter_context(loop(file)) for file in files]
        yield Pair(name, nodes[0], nodes[1], size, files)


@contextlib.contextmanager
def zram(size):
    with open("/sys/class/zram-control/hot_add", encoding="ascii") as control:
        number = control.read().strip()
    try:
        with open(f"/sys/block/zram{number}/disksize", "w", encoding="ascii") as file:
            file.write(str(size))
        yield f"/dev/zram{number}"
    finally:
        remove_zram(number)


def remove_zram(number):
    """Whoever looks at all disks just now keeps it busy for a moment."""
    for _ in range(100):
        try:
            with open("/sys/class/zram-control/hot_remove", "w", encoding="ascii") as control:
                control.write(number)
            return
        except OSError:
            time.sleep(0.05)
    print(f"/dev/zram{number} is in use and stays", file=sys.stderr)


@contextlib.contextmanager
def zram_pair(name, size):
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(zram(size)) for _ in range(2)]
        random_file(nodes[0], size)
        written_file(nodes[1], size)
        yield Pair(name, nodes[0], nodes[1], size)


def have_zram():
    return os.access("/sys/class/zram-control/hot_add", os.R_OK)


def tell_heads(node):
    """A loop device over FUSE is taken for one without, and would be read back while it is written."""
    with open(f"/sys/block/{os.path.basename(node)}/queue/rotational", "w", encoding="ascii") as told:
        told.write("1")


@contextlib.contextmanager
def modelled_disk(path, plugin, file, model):
    """nbdkit with the disk model, nbdfuse above it, a loop device above that."""
    socket, mount = os.path.join(path, "socket"), os.path.join(path, "mount")
    os.mkdir(mount)
    node = os.path.join(mount, "disk")
    options = [f"{key}={value}" for key, value in model.items()]
    with contextlib.ExitStack() as stack:
        server = subprocess.Popen(
            [*FIRST, "nbdkit", "-f", "--exit-with-parent", "-t", "16", "-U", socket, plugin]
            + [f"file={file}", *options],
            start_new_session=True,  # a Ctrl-C is for us: devices above go first
        )
        stack.callback(server.wait)
        stack.callback(server.terminate)
        wait_for(lambda: os.path.exists(socket), server)
        # It tells of every read that fails.
        fuse = subprocess.Popen([*FIRST, "nbdfuse", node, "--unix", socket], start_new_session=True,
                                stderr=subprocess.DEVNULL)
        stack.callback(fuse.wait)
        stack.callback(unmount, mount)
        wait_for(lambda: os.path.exists(node), fuse)
        yield stack.enter_context(loop(node))


def unmount(mount):
    """The kernel lets go of a detached loop device's file a moment later."""
    for _ in range(100):
        subprocess.run(["fusermount3", "-u", mount], stderr=subprocess.DEVNULL)
        if not os.path.ismount(mount):
            return
        time.sleep(0.05)
    subprocess.run(["fusermount3", "-uz", mount])


def wait_for(condition, process):
    for _ in range(200):
        if condition():
            return
        if process.poll() is not None:
            break
        time.sleep(0.02)
    raise RuntimeError(f"{process.args[0]} did not start")


@contextlib.contextmanager
def modelled_pair(name, plugin, size, source, destination):
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(folder("/dev/shm"))
        nodes = []
        for kind, model in (("source", source), ("destination", destination)):
            place = os.path.join(path, kind)
            os.mkdir(place)
            file = os.path.join(place, "data")
            (random_file if kind == "source" else written_file)(file, size)
            nodes.append(stack.enter_context(modelled_disk(place, plugin, file, model)))
            if model.get("move"):
                tell_heads(nodes[-1])
        yield Pair(name, nodes[0], nodes[1], size)


@contextlib.contextmanager
def modelled_one(name, plugin, size, model):
    """One disk whose first half is to be copied to its second."""
    with folder("/dev/shm") as path:
        file = os.path.join(path, "data")
        random_file(file, 2 * size)
        with modelled_disk(path, plugin, file, model) as node:
            tell_heads(node)
            yield Pair(name, node, node, size)


@contextlib.contextmanager
def huge_pair(name, parent, size):
    """Sparse, as large as the file system allows: only its size counts."""
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(folder(parent))
        nodes = []
        for kind in ("source", "destination"):
            file = os.path.join(path, kind)
            with open(file, "wb") as made:
                made.truncate(size)
            nodes.append(stack.enter_context(loop(file)))
        yield Pair(name, nodes[0], nodes[1], size)


@contextlib.contextmanager
def control_group(purpose, hierarchies):
    """The path of a new group in the first of these that there is and whose function sets it up, of
    version 2 or 1; None where there is none."""
    for root, set_up in hierarchies:
        path = os.path.join(root, f"clonedeck-bench-{purpose}-{os.getpid()}")
        try:
            os.mkdir(path)
        except OSError:
            continue
        try:
            try:
                set_up(path)
            except OSError:
                continue
            yield path
            return
        finally:
            remove_group(path)
    yield None


def memory_group(limit):
    """A control group that holds `limit` bytes; None where there is none."""
    return control_group("memory", [
        ("/sys/fs/cgroup", lambda path: write(os.path.join(path, "memory.max"), limit)),
        ("/sys/fs/cgroup/memory",
         lambda path: write(os.path.join(path, "memory.limit_in_bytes"), limit)),
    ])


@contextlib.contextmanager
def held_to(pair, rate):
    """Both nodes of a pair held by the kernel to `rate` bytes a second each way, for this process
    and its children: a disk whose speed does not depend on what is below. False where the kernel
    cannot."""
    with control_group("rate", [
        ("/sys/fs/cgroup", lambda path: hold(path, "io", pair, rate)),
        ("/sys/fs/cgroup/blkio", lambda path: hold(path, "blkio", pair, rate)),
    ]) as path:
        if not path:
            yield False
            return
        write(os.path.join(path, "cgroup.procs"), os.getpid())
        try:
            yield True
        finally:
            write(os.path.join(os.path.dirname(path), "cgroup.procs"), os.getpid())


def hold(path, name, pair, rate):
    for node in (pair.source, pair.destination):
        number = os.stat(node).st_rdev
        device = f"{os.major(number)}:{os.minor(number)}"
        if name == "io":
            write(os.path.join(path, "io.max"), f"{device} rbps={rate} wbps={rate}")
            continue
        for way in ("read", "write"):
            write(os.path.join(path, f"blkio.throttle.{way}_bps_device"), f"{device} {rate}")


def write(path, value):
    """To a file of the kernel: one that is not there is not made."""
    with open(path, "r+", encoding="ascii") as file:
        file.write(str(value))


def remove_group(path):
    for _ in range(50):
        try:
            os.rmdir(path)
            return
        except OSError:
            time.sleep(0.02)
