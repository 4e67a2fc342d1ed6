"""
Block devices as MetalK8s Volumes need them: what lies on a device, who uses it, loop devices, partitions, and
persistent names under ``/dev/disk``

:depends: blkid, losetup, partx (util-linux)

A link under ``/dev/disk`` is never believed: udev may not run, and leaves stale links behind when it ends. What
counts is what ``blkid --probe`` reads from the device itself.
"""

import contextlib
import errno
import fcntl
import glob
import os
import shutil
import stat
import struct
import subprocess
import time

from salt.exceptions import CommandExecutionError

__virtualname__ = "metalk8s_devices"

# How a device is looked at that should be blank, in bytes: what may hold data of one that has no more than this is read
# whole. Of a larger one both ends are read, and so many pieces in between, at equal distances.
_WHOLE = 2**30
_EDGE = 2**20
_PIECES, _PIECE = 4096, 2**16
# ioctl and struct loop_info64 of <linux/loop.h>: only the first three members are read.
_LOOP_GET_STATUS64 = 0x4C05
_LOOP_INFO64_SIZE = 232


def __virtual__():
    if __grains__.get("kernel") != "Linux":
        return False, "metalk8s_devices works on Linux only"
    return __virtualname__


def _run(*args):
    """
    Runs a command and returns (exit code, output, error text). ``cmd.run_all`` is not used, because an exit code that
    is an answer (blkid's 2) would mark the whole job as failed.
    """
    try:
        done = subprocess.run(
            args,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise CommandExecutionError(f"{args[0]} is not installed on this node: install it and try again") from error
    return done.returncode, done.stdout, done.stderr.strip()


def _checked(*args):
    code, output, error = _run(*args)
    if code:
        raise CommandExecutionError(f"`{' '.join(args)}` failed with exit code {code}: {error or output.strip()}")
    return output


def _read(path, default=""):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return default


def _sysfs(device):
    return f"/sys/class/block/{os.path.basename(os.path.realpath(device))}"


def _number(device):
    """
    The device number of a block device, or an error that says why there is none.
    """
    try:
        status = os.stat(device)
    except OSError as error:
        raise CommandExecutionError(f"block device {device} cannot be found: {error.strerror}") from error
    if not stat.S_ISBLK(status.st_mode):
        raise CommandExecutionError(f"{device} is not a block device")
    return status.st_rdev


def _readable(path):
    # blkid answers "nothing found" for a device that it cannot open: that would be taken for a blank one.
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError as error:
        raise CommandExecutionError(f"{path} cannot be read: {error.strerror}") from error


def is_device(path):
    """
    Whether a path leads to a block device

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.is_device /dev/sdb
    """
    try:
        return stat.S_ISBLK(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


def size(device):
    """
    The size of a block device in bytes

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.size /dev/sdb
    """
    _number(device)
    sectors = _read(f"{_sysfs(device)}/size")
    if not sectors.isdigit():
        raise CommandExecutionError(f"the size of {device} cannot be read from {_sysfs(device)}")
    # Always units of 512 bytes here, also if the device's own sectors are larger.
    return int(sectors) * 512


def contents(path):
    """
    What lies on a device or in a file, as ``blkid --probe`` reads it: a map with keys such as ``UUID``, ``TYPE``,
    ``PTTYPE`` and, for a partition, ``PART_ENTRY_UUID``. Empty when nothing is recognised. Contradicting signatures
    give ``{"TYPE": "ambivalent"}``.

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.contents /dev/sdb
    """
    _readable(path)
    code, output, error = _run("blkid", "--probe", "--output", "export", path)
    if code == 8:
        return {"TYPE": "ambivalent"}
    if code not in (0, 2):
        raise CommandExecutionError(f"blkid cannot tell what is on {path} (exit code {code}): {error}")
    found = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
    found.pop("DEVNAME", None)
    return found


def data(path, thoroughly=False):
    """
    A few words on the data that a device holds, empty when it is blank: no signature that blkid knows, no partition
    that the kernel knows, and only zeros where it is looked at. Holes of a file, also of a loop device's, are known to
    be zeros. What else there is up to 1 GiB is read whole; of more than that both ends (1 MiB each) and 4096 pieces of
    64 KiB at equal distances, so that data in one piece of more than 1/4096 of it is found for certain, and less by
    chance.

    thoroughly
        Read all of it, which takes hours on a large disk

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.data /dev/sdb
    """
    found = contents(path)
    if "PTTYPE" in found:
        return f"a partition table ({found['PTTYPE']})"
    if "TYPE" in found:
        uuid = f" with the UUID {found['UUID']}" if "UUID" in found else ""
        return f"{found['TYPE']}{uuid}"
    signatures = sorted(key for key in found if not key.startswith("PART_ENTRY_"))
    if signatures:
        return f"a signature ({', '.join(signatures)})"
    if stat.S_ISBLK(os.stat(path).st_mode) and partitions(path):
        return "partitions"
    with open(path, "rb", buffering=0) as device:
        # Of a loop device, what is still in memory only would look like a hole.
        os.fsync(device.fileno())
        regions = _regions(path, device.seek(0, os.SEEK_END))
        for start, end in regions if thoroughly else _sampled(regions):
            if not _zeros(device, start, end):
                return "data of an unknown kind"
    return ""


def _zeros(device, start, end):
    """
    Whether there are only zeros from one byte of an open device to another. They are not left in the page cache
    """
    zeros = bytes(_EDGE)
    device.seek(start)
    for position in range(start, end, _EDGE):
        piece = device.read(min(_EDGE, end - position))
        os.posix_fadvise(device.fileno(), position, len(piece), os.POSIX_FADV_DONTNEED)
        if piece != zeros[: min(_EDGE, end - position)]:
            return False
    return True


def _regions(path, length):
    """
    The parts of a device that may hold data, as (start, end): all of it, without the holes of the file behind it
    """
    disk, start = os.path.realpath(path), 0
    partition = partition_of(path)
    if partition:
        disk, start = partition["disk"], int(_read(f"{_sysfs(path)}/start", "0")) * 512
    backing = next((backing for loop, backing, _ in _loops() if loop == disk), None)
    file = _read(f"/sys/block/{os.path.basename(disk)}/loop/backing_file")
    start += int(_read(f"/sys/block/{os.path.basename(disk)}/loop/offset", "0"))
    try:
        status = os.stat(file)
        if backing != (status.st_dev, status.st_ino):
            return [(0, length)]
        with open(file, "rb") as holes:
            return [(low - start, high - start) for low, high in _stretches(holes.fileno(), start, start + length)]
    except OSError:
        return [(0, length)]


def _stretches(handle, position, end):
    """
    The stretches of an open file that are no holes
    """
    while position < end:
        try:
            position = os.lseek(handle, position, os.SEEK_DATA)
        except OSError as error:
            # There is no more data.
            if error.errno == errno.ENXIO:
                return
            raise
        hole = os.lseek(handle, position, os.SEEK_HOLE)
        if position < end:
            yield position, min(hole, end)
        position = hole


def _sampled(regions):
    """
    Of large regions, their parts that are looked at
    """
    total = sum(end - start for start, end in regions)
    if total <= _WHOLE:
        return regions
    step = total // _PIECES
    sampled, ahead = [], 0
    for start, end in regions:
        sampled += [(start, min(end, start + _EDGE)), (max(start, end - _EDGE), end)]
        while start + ahead < end:
            sampled.append((start + ahead, min(end, start + ahead + _PIECE)))
            ahead += step
        ahead -= end - start
    return sampled


def partitions(device):
    """
    The partitions of a disk that the kernel knows, as paths under ``/dev``

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.partitions /dev/sdb
    """
    return sorted(
        f"/dev/{os.path.basename(os.path.dirname(path))}" for path in glob.glob(f"{_sysfs(device)}/*/partition")
    )


def partition_of(device):
    """
    The disk and the number of a partition, or None when the device is no partition

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.partition_of /dev/sdb1
    """
    number = _read(f"{_sysfs(device)}/partition")
    if not number:
        return None
    disk = os.path.basename(os.path.dirname(os.path.realpath(_sysfs(device))))
    return {"disk": f"/dev/{disk}", "number": int(number)}


def partition_uuids(path):
    """
    The partitions that the table on a disk or in a file names: a map from their number to their UUID

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.partition_uuids /dev/sdb
    """
    _readable(path)
    code, output, _ = _run("partx", "--show", "--noheadings", "--output", "NR,UUID", path)
    # partx fails where it finds no table.
    rows = [line.split() for line in output.splitlines()] if code == 0 else []
    return {int(row[0]): row[1].lower() for row in rows if len(row) == 2}


def read_partitions(disk):
    """
    Has the kernel know the partitions that the table on a disk names. Does nothing when it does already.

    A kernel without a parser for GPT finds no partition on its own, and forgets those that it was told of whenever the
    table is written.

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.read_partitions /dev/loop0
    """
    numbers = {partition_of(path)["number"] for path in partitions(disk)}
    if not set(partition_uuids(disk)) <= numbers:
        _checked("partx", "--update", disk)
    for path in partitions(disk):
        _appear(path)


def forget_partitions(disk):
    """
    Has the kernel forget the partitions of a disk. The table on the disk stays.

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.forget_partitions /dev/loop0
    """
    if partitions(disk):
        _checked("partx", "--delete", disk)


def _appear(path):
    # devtmpfs makes the node at once; in a container with a /dev of its own, nothing does.
    for _ in range(20):
        if os.path.exists(path):
            return
        time.sleep(0.1)
    raise CommandExecutionError(
        f"{path} does not exist although the kernel knows the device: does /dev belong to this node?"
    )


def lvm_uuid(device):
    """
    The device mapper's UUID of an LVM logical volume (``LVM-...``), or None when the device is none

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.lvm_uuid /dev/vg0/data
    """
    uuid = _read(f"{_sysfs(device)}/dm/uuid")
    return uuid if uuid.startswith("LVM-") else None


def identity(device):
    """
    Words by which a device is recognised under any later name: what its maker or LVM wrote into it; of a loop
    device its file; else the place where it is plugged in. None where the kernel knows nothing of the kind. Nothing of
    it is read from the device's data, which anyone who uses it could write.

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.identity /dev/sdb
    """
    partition = partition_of(device)
    disk = _sysfs(partition["disk"] if partition else device)
    backing = _read(f"{disk}/loop/backing_file")
    names = [
        _read(f"{disk}/{name}") for name in ("dm/uuid", "md/uuid", "wwid", "device/wwid", "serial", "device/serial")
    ]
    place = os.path.realpath(f"{disk}/device") if os.path.exists(f"{disk}/device") else ""
    words = next(filter(None, [f"file {backing}" if backing else "", *names, place]), None)
    return f"{words} partition {partition['number']}" if words and partition else words


def find(identity_):
    """
    The devices that are known by these words of :py:func:`identity`

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.find 'naa.5000c500a1b2c3d4'
    """
    names = sorted(os.listdir("/sys/class/block"))
    return [f"/dev/{name.replace('!', '/')}" for name in names if identity(f"/dev/{name}") == identity_]


def users(device):
    """
    Who uses a device or one of its partitions: a list of phrases, empty when no one does. Sees mounts (those of other
    mount namespaces, too), swap, RAID and the device mapper, loop devices on top of it, and processes that have it
    open.

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.users /dev/sdb
    """
    device = os.path.realpath(device)
    paths = [device, *partitions(device)]
    numbers = {_number(path) for path in paths}
    found = []
    for line in _read("/proc/self/mountinfo").splitlines():
        fields = line.split()
        major, minor = fields[2].split(":")
        if os.makedev(int(major), int(minor)) in numbers:
            found.append(f"mounted at {fields[4]}")
    for path in paths:
        found += [f"used by {holder}" for holder in sorted(_listed(f"{_sysfs(path)}/holders"))]
    found += [f"used by {loop}" for loop, _, number in _loops() if number in numbers]
    found += _processes(numbers)
    if not found and _claimed(device):
        found.append("claimed in the kernel (mounted in another namespace, swap, RAID or device mapper)")
    return found


def _listed(folder):
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _processes(numbers):
    """
    Processes with one of the devices open. What the kubelet maps into a container has a loop device on top, too.
    """
    found = set()
    for path in glob.glob("/proc/[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            # Nothing but what is called a device is asked: a file on a network file system might never answer.
            if not os.readlink(path).startswith("/dev/"):
                continue
            status = os.stat(path)
            process = path.split("/")[2]
            if stat.S_ISBLK(status.st_mode) and status.st_rdev in numbers and int(process) != os.getpid():
                found.add(f"open in process {process} ({_read(f'/proc/{process}/comm')})")
    return sorted(found)


def _claimed(device):
    # The kernel gives a block device to one exclusive user at a time: a mount is one, in any namespace.
    try:
        os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
    except OSError as error:
        if error.errno == errno.EBUSY:
            return True
        raise CommandExecutionError(f"{device} cannot be opened: {error.strerror}") from error
    return False


def _loops():
    """
    All attached loop devices: (path, (device, inode) of the backing file, device number of a backing device or 0)
    """
    for entry in sorted(glob.glob("/sys/block/loop*/loop/backing_file")):
        path = f"/dev/{entry.split('/')[3]}"
        try:
            handle = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            info = fcntl.ioctl(handle, _LOOP_GET_STATUS64, bytes(_LOOP_INFO64_SIZE))
        except OSError as error:
            # It was detached just now.
            if error.errno == errno.ENXIO:
                continue
            raise CommandExecutionError(f"the loop device {path} does not say what it is attached to") from error
        finally:
            os.close(handle)
        file_device, inode, number = struct.unpack_from("=QQQ", info)
        yield path, (_decoded(file_device), inode), _decoded(number)


def _decoded(number):
    # The kernel's huge_encode_dev.
    return os.makedev((number & 0xFFF00) >> 8, (number & 0xFF) | ((number >> 12) & 0xFFF00)) if number else 0


def loops_of(path):
    """
    The loop devices that are attached to a file, also when the file has been deleted since

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.loops_of /var/lib/metalk8s/storage/sparse/6ba7b810-9dad-11d1-80b4-00c04fd430c8
    """
    path = os.path.realpath(path)
    try:
        status = os.stat(path)
        file = (status.st_dev, status.st_ino)
    except FileNotFoundError:
        file = None
    found = []
    for loop, backing, _ in _loops():
        name = _read(f"/sys/block/{os.path.basename(loop)}/loop/backing_file")
        if backing == file or name == f"{path} (deleted)":
            found.append(loop)
    return found


def attach(path):
    """
    The loop device of a file, attached if it was not

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.attach /var/lib/metalk8s/storage/sparse/6ba7b810-9dad-11d1-80b4-00c04fd430c8
    """
    with open(path, "rb") as file:
        # Two at once would attach it twice. The script that does it at boot takes the same lock.
        fcntl.flock(file, fcntl.LOCK_EX)
        attached = loops_of(path)
        if not attached:
            attached = [_checked("losetup", "--find", "--show", path).strip()]
            _appear(attached[0])
        return attached[0]


def detach(loop):
    """
    Detaches a loop device and waits until it is. Fails while a process has it open: the kernel would detach it
    later, at a time that is not known.

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.detach /dev/loop0
    """
    forget_partitions(loop)
    _checked("losetup", "--detach", loop)
    backing = f"/sys/block/{os.path.basename(loop)}/loop/backing_file"
    for _ in range(50):
        if not os.path.exists(backing):
            return
        time.sleep(0.1)
    raise CommandExecutionError(f"{loop} is not detached after 5 s: something still has it open")


def _udev_runs():
    if not os.path.exists("/run/udev/control") or not shutil.which("udevadm"):
        return False
    return _run("udevadm", "control", "--ping", "--timeout=5")[0] == 0


def settle():
    """
    Waits until udev, if it runs, has done its work: it opens devices for a moment when they change

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.settle
    """
    if _udev_runs():
        _run("udevadm", "settle", "--timeout=10")


def link(path, device):
    """
    Sees to it that a persistent name leads to a device: asks udev where it runs, and makes the link itself where it
    does not. Returns whether anything had to be done.

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.link /dev/disk/by-uuid/6ba7b810-9dad-11d1-80b4-00c04fd430c8 /dev/loop0
    """
    if os.path.realpath(path) == device:
        return False
    if _udev_runs():
        _run("udevadm", "trigger", "--action=change", "--settle", _sysfs(device))
        for _ in range(20):
            if os.path.realpath(path) == device:
                return True
            time.sleep(0.1)
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o755, exist_ok=True)
    draft = f"{path}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(draft)
    os.symlink(os.path.relpath(device, folder), draft)
    os.replace(draft, path)
    return True


def unlink(path):
    """
    Removes a persistent name that no longer leads anywhere. Where udev runs, this is left to udev, which removes the
    link when what it stands for has gone.

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_devices.unlink /dev/disk/by-uuid/6ba7b810-9dad-11d1-80b4-00c04fd430c8
    """
    if _udev_runs():
        settle()
    elif os.path.islink(path):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
