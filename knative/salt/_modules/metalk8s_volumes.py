"""
Storage of MetalK8s Volumes on the node: prepares it, takes it back, and says where it is

:depends: blkid, losetup, partx (util-linux); mkfs.ext4, e2fsck; mkfs.xfs, xfs_repair; sgdisk; lvcreate, lvs

``prepare`` and ``unprepare`` take the Volume object, with its StorageClass object in ``spec.storageClass``, and nothing
else. No pillar is read: what an account may call is all that it can do. What has been begun on this node is recorded in
``/var/lib/metalk8s/storage/volumes/<uid>.json``.

Nothing is written to a device unless it is blank, unused and no other Volume's. A device is a Volume's own when it is
the one at the Volume's path (or, once it was prepared, the very disk that was written down then) and carries the
Volume's UID. A UID alone proves nothing: anyone who can write to a device can put any UID on it. Each function that
writes holds a lock of its Volume (and of the device), which the programs that it starts inherit: a job that is killed
does not release the lock while its mkfs still writes.

Configuration of the minion:

.. code-block:: yaml

    metalk8s_volumes:
      directory: /var/lib/metalk8s/storage
      lock_seconds: 60
"""

import contextlib
import fcntl
import json
import logging
import math
import os
import re
import subprocess
import threading
import time
from decimal import Decimal

from salt.exceptions import CommandExecutionError

log = logging.getLogger(__name__)

__virtualname__ = "metalk8s_volumes"

_KINDS = ("sparseLoopDevice", "rawBlockDevice", "lvmLogicalVolume")
# Not /run/lock, in which everybody may make folders.
_LOCKS = "/run/metalk8s-volumes"
_UNITS = {
    "": 1,
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "P": 10**15,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "Pi": 2**50,
}
_SECTOR = 512
_WEEK = 7 * 24 * 3600
_NUMBER = r"\d+(\.\d+)?[A-Za-z]?"


def _keys(*names):
    key = rf"(?:{'|'.join(names)})(?:=[\w.]+)?"
    return rf"{key}(?:,{key})*"


# What mkfsOptions may say: each option with what its value must look like. All else is refused, for mkfs has
# options that name another device or a folder to copy, that write a UUID, or that write nothing at all.
_OPTIONS = {
    "ext4": {
        **dict.fromkeys("bCgGiImN", _NUMBER),
        "E": _keys(
            "stride",
            "stripe[-_]width",
            "resize",
            "lazy_itable_init",
            "lazy_journal_init",
            "packed_meta_blocks",
            "discard",
            "nodiscard",
            "num_backup_sb",
        ),
        "J": _keys("size", "fast_commit_size"),
        "K": "",
        "L": r"[\w.-]{1,16}",
        "O": r"(?!.*journal_dev)[\w^,]+",
        "T": r"[\w,]+",
        "e": "continue|remount-ro",
        "j": "",
    },
    "xfs": {
        "K": "",
        "L": r"[\w.-]{1,12}",
        "b": _keys("size"),
        "d": _keys("agcount", "agsize", "su", "sw", "sunit", "swidth", "noalign"),
        "i": _keys("size", "perblock", "maxpct", "align", "attr", "sparse", "nrext64"),
        "l": _keys("size", "version", "su", "sunit", "lazy-count"),
        "m": _keys("crc", "finobt", "inobtcount", "bigtime", "reflink", "rmapbt"),
        "n": _keys("size", "version", "ftype"),
        "s": _keys("size"),
    },
}
# The least that mkfs makes something usable of, in bytes.
_LEAST = {"ext4": ("1Mi", 2**20), "xfs": ("300Mi", 300 * 2**20)}
_MAKE = {"ext4": ("mkfs.ext4", "-q", "-F", "-U", "{uid}"), "xfs": ("mkfs.xfs", "-q", "-m", "uuid={uid}")}
_CHECK = {"ext4": ("e2fsck", "-f", "-n"), "xfs": ("xfs_repair", "-n")}
# There where systemd runs.
_SYSTEMD = "/run/systemd/system"
_BOOT_UNIT = "/etc/systemd/system/multi-user.target.wants/metalk8s-sparse-volumes.service"
_FORCE_LVCREATE = "metalk8s.scality.com/force-lvcreate"

# Descriptors of the locks that this thread holds.
_held = threading.local()


def __virtual__():
    if __grains__.get("kernel") != "Linux":
        return False, "metalk8s_volumes works on Linux only"
    return __virtualname__


# --- the definition ---


def size_in_bytes(quantity):
    """
    A quantity of Kubernetes in bytes, rounded up to whole sectors: plain bytes, k, M, G, T, P, Ki, Mi, Gi, Ti or Pi,
    also with decimals

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_volumes.size_in_bytes 1.5Gi
    """
    match = re.fullmatch(r"(\d{1,18}(?:\.\d{1,18})?)([kMGTP]|[KMGTP]i)?", str(quantity), re.ASCII)
    if isinstance(quantity, bool) or not match:
        raise CommandExecutionError(
            f"the size {quantity!r} is not understood: write bytes, or a number with "
            f"k, M, G, T, P, Ki, Mi, Gi, Ti or Pi"
        )
    size = Decimal(match[1]) * _UNITS[match[2] or ""]
    if not size:
        raise CommandExecutionError(f"the size {quantity!r} must be greater than 0")
    return math.ceil(size / _SECTOR) * _SECTOR


def _setting(key, default):
    # Not config.get, which would take it from the pillar of the call, too.
    return (__opts__.get(__virtualname__) or {}).get(key, default)


def _directory(*parts):
    return os.path.join(_setting("directory", "/var/lib/metalk8s/storage"), *parts)


def _checked_name(name):
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", name, re.ASCII):
        raise CommandExecutionError(f"{name!r} is not a Volume's name")
    return name


def _identified(volume):
    """
    Name and UID of a Volume object, its spec, and how it is to be used. Enough to reclaim it, if the rest is wrong
    """
    metadata, spec = (volume.get(key) for key in ("metadata", "spec")) if isinstance(volume, dict) else (None, None)
    if not isinstance(metadata, dict) or not isinstance(spec, dict):
        raise CommandExecutionError("a Volume object with metadata and spec is expected")
    name, uid = _checked_name(metadata.get("name")), str(metadata.get("uid", "")).lower()
    if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", uid):
        raise CommandExecutionError(f"volume {name} has no usable metadata.uid: {uid!r}")
    if spec.get("nodeName") != __opts__["id"]:
        raise CommandExecutionError(f"volume {name} belongs to node {spec.get('nodeName')}, not to {__opts__['id']}")
    return name, uid, spec, spec.get("mode") or "Filesystem"


def _parsed(volume):
    """
    What this module needs of a Volume object, checked
    """
    name, uid, spec, mode = _identified(volume)
    kinds = [kind for kind in _KINDS if spec.get(kind) is not None]
    if len(kinds) != 1:
        raise CommandExecutionError(f"volume {name} must have exactly one of {', '.join(_KINDS)}, and has {len(kinds)}")
    kind = kinds[0]
    # Without one of its fields it is refused below.
    source = spec[kind] if isinstance(spec[kind], dict) else {}
    if mode not in ("Filesystem", "Block"):
        raise CommandExecutionError(f"volume {name} has the unknown mode {mode}")
    parsed = {"name": name, "uid": uid, "kind": kind, "mode": mode}
    if kind != "rawBlockDevice":
        parsed["size"] = size_in_bytes(source.get("size"))
    if kind == "rawBlockDevice":
        parsed["device"] = _device_path(name, source.get("devicePath"))
    if kind == "lvmLogicalVolume":
        parsed["group"] = _group(name, source.get("vgName"))
    return parsed


def _device_path(name, path):
    if not re.fullmatch(r"/dev/[\w.:+@=/-]+", str(path), re.ASCII) or ".." in path:
        raise CommandExecutionError(f"volume {name} has the devicePath {path!r}, which is not a path under /dev")
    return path


def _group(name, group):
    if not re.fullmatch(r"[A-Za-z0-9_+.][A-Za-z0-9_+.-]*", str(group), re.ASCII) or group in (".", ".."):
        raise CommandExecutionError(f"volume {name} has the vgName {group!r}, which is not a volume group's name")
    return group


def _must_look_at_all(volume):
    """
    Whether the whole of a raw device must be read before it counts as blank (``requireBlank: full``)
    """
    wanted = (volume["spec"].get("rawBlockDevice") or {}).get("requireBlank") or "sample"
    if wanted not in ("sample", "full"):
        raise CommandExecutionError(f"requireBlank must be sample or full, and is {wanted!r}")
    return wanted == "full"


def _filesystem(volume, size=None):
    """
    Type and options of mkfs from the StorageClass in the Volume object. Fails when they or the size in bytes do not fit
    """
    name, spec = volume["metadata"]["name"], volume["spec"]
    storage_class = spec.get("storageClass")
    if not isinstance(storage_class, dict):
        raise CommandExecutionError(f"StorageClass {spec.get('storageClassName')} of volume {name} not found")
    parameters = storage_class.get("parameters") or {}
    kind = parameters.get("fsType")
    if kind not in _MAKE:
        raise CommandExecutionError(
            f"unsupported filesystem: {kind}. StorageClass {spec.get('storageClassName')} must have the "
            f"parameter fsType ext4 or xfs"
        )
    try:
        options = json.loads(parameters.get("mkfsOptions") or "[]")
    except ValueError as error:
        raise CommandExecutionError(
            f"mkfsOptions of StorageClass {spec.get('storageClassName')} is not JSON"
        ) from error
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise CommandExecutionError(
            f"mkfsOptions of StorageClass {spec.get('storageClassName')} is not a list of strings"
        )
    _refuse_options(spec.get("storageClassName"), kind, options)
    least, smallest = _LEAST[kind]
    if size is not None and size < smallest:
        raise CommandExecutionError(f"volume {name} has {size} bytes: it must have at least {least} for {kind}")
    return kind, options


def _refuse_options(storage_class, kind, options):
    """
    Fails when an option of mkfs is none of those that are known to do no harm
    """
    allowed, words = _OPTIONS[kind], list(options)
    while words:
        word = words.pop(0)
        match = re.fullmatch(r"-([A-Za-z])(.*)", word, re.DOTALL)
        pattern = allowed.get(match[1]) if match else None
        value = match[2] if match else ""
        if pattern and not value and words:
            value = words.pop(0)
        if pattern is None or not re.fullmatch(pattern, value, re.ASCII):
            raise CommandExecutionError(
                f"mkfsOptions of StorageClass {storage_class} may not have {word!r}{f' {value!r}' if value else ''}. "
                f"For {kind} they may have {', '.join(f'-{letter}' for letter in allowed)}, with sizes, numbers and "
                f"features: nothing that names a path, a device or a UUID"
            )


# --- the record ---


def _record_file(uid):
    return _directory("volumes", f"{uid}.json")


def _record(uid):
    try:
        with open(_record_file(uid), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise CommandExecutionError(f"the record {_record_file(uid)} cannot be read: {error}") from error


def _records():
    folder = _directory("volumes")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    records = (_record(name[: -len(".json")]) for name in names if name.endswith(".json"))
    # Another Volume's may be forgotten between the list and its reading.
    return [record for record in records if record is not None]


def _mind_directory():
    """
    Fails when the directory was in use and is empty now: its file system is not mounted, and nothing is known of any
    Volume. A file beside the minion's configuration remembers that it was in use
    """
    directory = _directory()
    witness = os.path.join(os.path.dirname(__opts__["conf_file"]), "metalk8s_volumes.directory")
    seen = None
    with (
        _explained(f"the file {witness} cannot be read"),
        contextlib.suppress(FileNotFoundError),
        open(witness, encoding="utf-8", errors="replace") as file,
    ):
        seen = file.read()
    is_in_use = any(os.path.isdir(_directory(part)) for part in ("volumes", "sparse"))
    # The setting may have been changed since: the witness is of one directory only.
    if seen == directory and not is_in_use:
        raise CommandExecutionError(
            f"{directory} has neither records nor sparse files, although it was in use: mount its file system, and try "
            f"again. If all that was in it is lost for good, remove {witness} on the node"
        )
    if is_in_use and seen != directory:
        try:
            with open(witness, "w", encoding="utf-8") as file:
                file.write(directory)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            # The storage itself does not depend on it.
            log.warning("%s cannot be written, so that a lost directory would not be noticed: %s", witness, error)


def _sync(path):
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _note(volume, **more):
    """
    Records how far a Volume is. On the disk before this returns, for it is what a run after a crash decides by.
    """
    record = {**volume, **more}
    path = _record_file(volume["uid"])
    with _explained(f"the record {path} cannot be written"):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.new", path)
        _sync(os.path.dirname(path))
    _mind_directory()
    return record


def _forget(uid):
    for path in (f"{_record_file(uid)}.new", _record_file(uid)):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _mark(uid):
    return os.path.join(_LOCKS, "gone", uid)


def _mark_gone(uid):
    """
    Remembers for a week, or until the node restarts, that a Volume was reclaimed: it never comes again
    """
    folder, end = os.path.dirname(_mark(uid)), time.time() - _WEEK
    with _explained(f"the mark {_mark(uid)} cannot be written"):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for each in os.scandir(folder):
            with contextlib.suppress(FileNotFoundError):
                if each.stat().st_mtime < end:
                    os.unlink(each)
        with open(_mark(uid), "w", encoding="utf-8"):
            pass


@contextlib.contextmanager
def _explained(what):
    try:
        yield
    except OSError as error:
        raise CommandExecutionError(f"{what}: {error.strerror}") from error


# --- locks and programs ---


@contextlib.contextmanager
def _locked(key, what):
    """
    Holds a lock of this node, and fails when another run does not release it in time. Its file goes with it
    """
    seconds = _setting("lock_seconds", 60)
    path = os.path.join(_LOCKS, key)
    end = time.monotonic() + seconds
    while (handle := _lock(path)) is None:
        if time.monotonic() >= end:
            # Holdfast knows this sentence: it begins the work again later.
            raise CommandExecutionError(
                f"another run has been working on {what} for {seconds} s (lock {path}): try again later"
            )
        time.sleep(0.2)
    held = _held.__dict__.setdefault("locks", [])
    held.append(handle)
    try:
        yield
    finally:
        held.remove(handle)
        os.unlink(path)
        os.close(handle)


def _lock(path):
    """
    The descriptor of a lock, or None while another run has it
    """
    with _explained(f"the lock {path} cannot be opened"):
        os.makedirs(_LOCKS, mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with contextlib.suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Who had it before may have removed the file between the two calls.
        if os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
    os.close(handle)
    return None


def _locked_device(device):
    number = os.stat(device).st_rdev
    return _locked(f"device-{os.major(number)}-{os.minor(number)}", device)


def _run(*args):
    """
    Runs a program that writes. It inherits the locks, as ``cmd.run_all`` could not: they stay until the last of both
    ends.
    """
    try:
        return subprocess.run(
            args,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            # A folder with nothing in it that an option could mean.
            cwd=_LOCKS,
            pass_fds=_held.__dict__.get("locks", []),
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise CommandExecutionError(f"{args[0]} is not installed on this node: install it and try again") from error


def _checked(*args):
    done = _run(*args)
    if done.returncode:
        # Some programs print all their options after what is wrong.
        words = " ".join(re.split(r"\s*Usage:", done.stderr.strip() or done.stdout.strip())[0].split())
        raise CommandExecutionError(f"`{' '.join(args)}` failed with exit code {done.returncode}: {words}")
    return done.stdout


# --- what is a Volume's own ---


def _sparse_file(volume):
    return _directory("sparse", volume["uid"])


def _carries(volume, path):
    """
    Whether a file or a whole device carries the Volume's UID as the naming rules want it
    """
    if volume["mode"] == "Filesystem":
        found = __salt__["metalk8s_devices.contents"](path)
        return found.get("UUID", "").lower() == volume["uid"] and found.get("TYPE") in _MAKE
    return __salt__["metalk8s_devices.partition_uuids"](path).get(1) == volume["uid"]


def _path(volume, device):
    """
    The persistent path of the device that holds the Volume's data
    """
    if volume["mode"] == "Filesystem":
        return f"/dev/disk/by-uuid/{volume['uid']}"
    lvm = __salt__["metalk8s_devices.lvm_uuid"](device)
    return f"/dev/disk/by-id/dm-uuid-{lvm}" if lvm else f"/dev/disk/by-partuuid/{volume['uid']}"


def _located(volume):
    """
    The device that holds the data of a Volume, or None
    """
    if volume["kind"] == "sparseLoopDevice":
        devices = __salt__["metalk8s_devices.loops_of"](_sparse_file(volume))
    elif volume.get("disk"):
        devices = __salt__["metalk8s_devices.find"](volume["disk"])
        if len(devices) > 1:
            raise CommandExecutionError(
                f"several devices say that they are {volume['disk']}: {', '.join(devices)}. Take the copies away, then "
                f"try again"
            )
    else:
        devices = [os.path.realpath(_source_device(volume))]
    found = (_data_on(volume, device) for device in devices if __salt__["metalk8s_devices.is_device"](device))
    return next((device for device in found if device), None)


def _data_on(volume, device):
    """
    The device with the Volume's data, when it is this one or the partition on it; else None
    """
    lvm = __salt__["metalk8s_devices.lvm_uuid"](device)
    if volume["mode"] == "Block" and lvm:
        return device if volume.get("disk") == lvm else None
    if volume["mode"] == "Block" and __salt__["metalk8s_devices.partition_of"](device):
        found = __salt__["metalk8s_devices.contents"](device)
        return device if found.get("PART_ENTRY_UUID", "").lower() == volume["uid"] else None
    if not _carries(volume, device):
        return None
    if volume["mode"] == "Filesystem":
        return device
    __salt__["metalk8s_devices.read_partitions"](device)
    return next(iter(__salt__["metalk8s_devices.partitions"](device)))


def _source_device(volume):
    if volume["kind"] == "lvmLogicalVolume":
        return f"/dev/{volume['group']}/{volume['name']}"
    return volume["device"]


def _refuse_another_volumes(volume, device):
    """
    Fails when the record of another Volume names this device or its disk: a blank one is not free for that
    """
    partition = __salt__["metalk8s_devices.partition_of"](device)
    devices = {device, partition["disk"]} if partition else {device}
    identities = {__salt__["metalk8s_devices.identity"](each) for each in devices} - {None}
    for other in _records():
        if other["uid"] == volume["uid"]:
            continue
        if other["kind"] == "sparseLoopDevice":
            theirs = set(__salt__["metalk8s_devices.loops_of"](_sparse_file(other)))
        else:
            theirs = {os.path.realpath(_source_device(other))}
        if devices & theirs or other.get("disk") in identities:
            raise CommandExecutionError(f"{device} belongs to volume {other['name']}: nothing was written to it")


def _refuse_used(device):
    """
    Fails while the device is in use. udev and its like may have it open for a moment.
    """
    __salt__["metalk8s_devices.settle"]()
    for attempt in range(6):
        if attempt:
            time.sleep(0.5)
        users = __salt__["metalk8s_devices.users"](device)
        if not users:
            return
    raise CommandExecutionError(f"{device} is in use: it is {'; it is '.join(users)}. Nothing was written to it")


def _refuse_data(device, thoroughly=False):
    data = __salt__["metalk8s_devices.data"](device, thoroughly)
    if data:
        raise CommandExecutionError(f"{device} already holds {data}: nothing was written to it. {_advice(device)}")


def _advice(device):
    return (
        f"If that is no longer needed, overwrite the whole device with zeros (blkdiscard --zeroout {device}), and "
        f"create the Volume again"
    )


# --- prepare ---


def _make_filesystem(volume, kind, options, path):
    command = [word.format(uid=volume["uid"]) for word in _MAKE[kind]]
    _checked(*command, *options, path)


def _make_partition(volume, path):
    _checked(
        "sgdisk",
        "--clear",
        "--largest-new=1",
        f"--partition-guid=1:{volume['uid']}",
        f"--change-name=1:{volume['name']}",
        path,
    )


def _fill(volume, definition, path):
    """
    Puts onto a blank file or disk what the naming rules want, and reads back that it is there
    """
    if volume["mode"] == "Filesystem":
        _make_filesystem(volume, *_filesystem(definition), path)
    else:
        _make_partition(volume, path)
    _sync(path)
    if not _carries(volume, path):
        raise CommandExecutionError(f"{path} does not carry the UID {volume['uid']} after it was formatted")


def _create_sparse(volume, definition):
    """
    A sparse file gets its name only when it is complete: what a killed run leaves behind is known by its other name
    """
    path = _sparse_file(volume)
    draft = f"{path}.new"
    with _explained(f"the sparse file {path} cannot be created"):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.ftruncate(handle, volume["size"])
        except OverflowError as error:
            raise CommandExecutionError(
                f"the sparse file {path} cannot be that large: {volume['size']} bytes"
            ) from error
        finally:
            os.close(handle)
    try:
        _fill(volume, definition, draft)
        with _explained(f"the sparse file {path} cannot be created"):
            os.rename(draft, path)
            _sync(os.path.dirname(path))
    except CommandExecutionError:
        os.unlink(draft)
        raise


def _prepare_sparse(volume, definition):
    path = _sparse_file(volume)
    _attach_at_boot()
    if not os.path.exists(path):
        if __salt__["metalk8s_devices.loops_of"](path):
            raise CommandExecutionError(f"{path} was deleted while it is attached: its data is still there, rescue it")
        if volume.get("step") == "prepared":
            raise CommandExecutionError(
                f"{path} is missing although it was prepared before: its data is lost, or its "
                f"file system is not mounted. Nothing was created in its place"
            )
        if volume["mode"] == "Filesystem":
            # Before anything is made that would be left behind.
            _filesystem(definition, volume["size"])
        _note(volume, step="creating")
        _create_sparse(volume, definition)
    elif not _carries(volume, path):
        raise CommandExecutionError(
            f"{path} exists and does not carry the UID of volume {volume['name']}: move it away"
        )
    return _data_on(volume, __salt__["metalk8s_devices.attach"](path))


def _attach_at_boot():
    """
    Has systemd attach sparse files when the node starts: by the states in metalk8s.volumes.boot
    """
    if not os.path.isdir(_SYSTEMD) or os.path.exists(_BOOT_UNIT):
        return
    # Other states may run at the same time: what these write is theirs alone, and the lock has one run do it.
    with _locked("boot", "the unit that attaches sparse files"):
        done = __salt__["state.sls"]("metalk8s.volumes.boot", concurrent=True)
    if not isinstance(done, dict) or not all(state.get("result") for state in done.values()):
        raise CommandExecutionError(
            f"the states metalk8s.volumes.boot could not be applied: run `salt {__opts__['id']} state.apply "
            f"metalk8s.volumes` on the Salt master, and put right what it says"
        )


def _prepare_device(volume, definition, found):
    """
    A disk, a partition or a logical volume; `found` is the device that carries the Volume's UID already
    """
    thoroughly = _must_look_at_all(definition)
    if volume["mode"] == "Filesystem" and not found:
        # Before anything is made that would be left behind.
        _filesystem(definition)
    is_new = volume["kind"] == "lvmLogicalVolume" and _create_logical(volume, definition)
    device = os.path.realpath(_source_device(volume))
    # Fails with a sentence when it is missing or no block device.
    size = __salt__["metalk8s_devices.size"](device)
    with _locked_device(device):
        _refuse_another_volumes(volume, device)
        if found:
            return _whole(volume, device, found)
        _refuse_used(device)
        partition = __salt__["metalk8s_devices.partition_of"](device)
        if volume["mode"] == "Block" and partition:
            return _claim_partition(volume, device, thoroughly, **partition)
        if not is_new:
            _refuse_data(device, thoroughly)
        if volume["mode"] == "Block" and __salt__["metalk8s_devices.lvm_uuid"](device):
            # Nothing on the device says whose it is, so that the record must, before another Volume may look at it.
            # Without the disk: what a killed run has not handed out is looked at again.
            _note(volume, step="creating")
            return device
        if volume["mode"] == "Filesystem":
            _filesystem(definition, size)
        _note(volume, step="formatting")
        _fill(volume, definition, device)
        return _data_on(volume, device)


def _whole(volume, device, found):
    """
    What carries the Volume's UID, unless a run that was killed has left half of a file system
    """
    if volume.get("step") == "formatting" and volume["mode"] == "Filesystem":
        kind = __salt__["metalk8s_devices.contents"](device)["TYPE"]
        if _run(*_CHECK[kind], device).returncode:
            raise CommandExecutionError(
                f"{device} holds half of a file system, which a run for volume {volume['name']} has left that was "
                f"killed: nothing was written to it. {_advice(device)}"
            )
    return found


def _claim_partition(volume, device, thoroughly, disk, number):
    if __salt__["metalk8s_devices.contents"](device).get("PART_ENTRY_SCHEME") != "gpt":
        raise CommandExecutionError(f"{device} is not a partition of a GUID Partition Table: a Volume needs its GUID")
    _refuse_data(device, thoroughly)
    with _locked_device(disk):
        _note(volume, step="creating")
        _checked(
            "sgdisk", f"--partition-guid={number}:{volume['uid']}", f"--change-name={number}:{volume['name']}", disk
        )
        __salt__["metalk8s_devices.read_partitions"](disk)
    if __salt__["metalk8s_devices.partition_uuids"](disk).get(number) != volume["uid"]:
        raise CommandExecutionError(f"{device} does not carry the UID {volume['uid']} after it was written to {disk}")
    return device


def _create_logical(volume, definition):
    """
    Creates the logical volume when there is none, and returns whether it did. Its tag is set by the same command: it
    says whose it is.
    """
    group, name, tag = volume["group"], volume["name"], f"metalk8s.{volume['uid']}"
    listed = _checked("lvs", "--noheadings", "--options", "lv_name,lv_tags", group)
    for row in (line.split() for line in listed.splitlines()):
        if row[:1] == [name]:
            if tag not in "".join(row[1:]).split(","):
                raise CommandExecutionError(
                    f"the logical volume {group}/{name} exists and is not tagged as volume {name}'s: "
                    f"nothing was written"
                )
            return False
    force = (definition.get("metadata") or {}).get("annotations") or {}
    _note(volume, step="creating")
    try:
        _checked(
            "lvcreate",
            "--name",
            name,
            "--size",
            f"{volume['size']}b",
            "--addtag",
            tag,
            "--wipesignatures",
            "y",
            *(["--yes"] if _FORCE_LVCREATE in force else []),
            group,
        )
    except CommandExecutionError as error:
        raise CommandExecutionError(
            f"{error}. Where it speaks of an existing signature, the annotation {_FORCE_LVCREATE} has it wiped"
        ) from error
    return True


def prepare(volume):
    """
    Prepares the storage of a Volume, or what is missing of it; a second run changes nothing. Returns ``{"changed":
    bool, "path": persistent path, "device": path of the device, "size": its bytes in decimal}``. Fails with a sentence,
    having written nothing, when a device is missing, holds data, is in use or is another Volume's.

    volume
        The Volume object, with the StorageClass object in ``spec.storageClass``

    CLI Example:

    .. code-block:: bash

        salt worker-0 metalk8s_volumes.prepare "$(jq -c . volume.json)"
    """
    definition, volume = volume, _parsed(volume)
    name = volume["name"]
    with _locked(volume["uid"], f"volume {name}"):
        _mind_directory()
        # A request that came late: nothing would ever reclaim what it made.
        if os.path.exists(_mark(volume["uid"])):
            raise CommandExecutionError(
                f"volume {name} was reclaimed on this node: nothing was made. If it is to be made after all, remove "
                f"{_mark(volume['uid'])} on the node"
            )
        record = _record(volume["uid"])
        if record:
            wanted = {key: record.get(key) for key in volume}
            if wanted != volume:
                raise CommandExecutionError(
                    f"volume {name} was prepared as {wanted} and is now {volume}: what is prepared cannot be changed"
                )
            volume = record
        found, done = _located(volume), volume.get("step") == "prepared"
        changed = not found or not done
        if changed:
            found = _made(volume, definition, found, done)
        path = _path(volume, found)
        changed = __salt__["metalk8s_devices.link"](path, found) or changed
        if changed:
            more = {} if volume["kind"] == "sparseLoopDevice" or volume.get("disk") else _disk(volume)
            _note(volume, **more, step="prepared", path=path)
        size = str(__salt__["metalk8s_devices.size"](found))
        return {"changed": changed, "path": path, "device": found, "size": size}


def _made(volume, definition, found, done):
    if volume["kind"] == "sparseLoopDevice":
        return found or _prepare_sparse(volume, definition)
    if done:
        raise CommandExecutionError(
            f"volume {volume['name']} was prepared before, and its disk ({volume.get('disk') or volume.get('device')}) "
            f"is missing, or no longer carries the UID {volume['uid']}. Nothing was written to {_source_device(volume)}"
        )
    return _prepare_device(volume, definition, found)


def _disk(volume):
    """
    What is written down to know the disk again
    """
    identity = __salt__["metalk8s_devices.identity"](os.path.realpath(_source_device(volume)))
    return {"disk": identity} if identity else {}


# --- unprepare ---


def unprepare(volume):
    """
    Takes the storage of a Volume back; a second run changes nothing, and nothing to take back is no failure. A sparse
    file is detached and removed. Disks, partitions and logical volumes are left with all that is on them. Returns
    ``{"changed": bool, "uid": the Volume's}``. Fails with a sentence when the device is in use.

    volume
        The Volume object; what was never prepared may be wrong in it

    CLI Example:

    .. code-block:: bash

        salt worker-0 metalk8s_volumes.unprepare "$(jq -c . volume.json)"
    """
    name, uid, _, _ = _identified(volume)
    with _locked(uid, f"volume {name}"):
        _mind_directory()
        record = _record(uid)
        known = record or _without_record(volume)
        if known is None:
            _mark_gone(uid)
            return {"changed": False, "uid": uid}
        removed = (_remove_sparse if known["kind"] == "sparseLoopDevice" else _release_device)(known)
        _forget(uid)
        _mark_gone(uid)
        return {"changed": removed or record is not None, "uid": uid}


def _without_record(volume):
    """
    What may be on this node of a Volume that has no record here, or None: MetalK8s' own states keep none
    """
    name, uid, spec, mode = _identified(volume)
    if spec.get("sparseLoopDevice") is not None:
        # A size that nothing could be made of is no reason to leave a file behind.
        return {"name": name, "uid": uid, "kind": "sparseLoopDevice", "mode": mode}
    try:
        return _parsed(volume)
    except CommandExecutionError:
        return None


def _remove_sparse(volume):
    path = _sparse_file(volume)
    prefix = "/dev/disk/by-uuid/" if volume["mode"] == "Filesystem" else "/dev/disk/by-partuuid/"
    loops = __salt__["metalk8s_devices.loops_of"](path)
    for loop in loops:
        _refuse_used(loop)
    for loop in loops:
        __salt__["metalk8s_devices.detach"](loop)
    __salt__["metalk8s_devices.unlink"](f"{prefix}{volume['uid']}")
    removed = bool(loops)
    with _explained(f"the sparse file {path} cannot be removed"):
        for file in (f"{path}.new", path):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file)
                removed = True
        if removed:
            _sync(os.path.dirname(path))
    if os.path.lexists(path) or __salt__["metalk8s_devices.loops_of"](path):
        raise CommandExecutionError(f"{path} is still there after it was removed: try again")
    return removed


def _release_device(volume):
    """
    Lets go of a disk, a partition or a logical volume, and of nothing that is on it
    """
    device = _located(volume)
    if device is not None:
        _refuse_used(device)
    # A device that cannot be found may be anywhere, but nothing of it was to be removed.
    path = _path(volume, device) if device else volume.get("path")
    if path:
        __salt__["metalk8s_devices.unlink"](path)
    return False


# --- questions ---


def device_name(path):
    """
    The name under ``/dev`` of the device that a persistent path leads to: ``{"success": bool, "result": name or
    reason}``

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_volumes.device_name /dev/disk/by-uuid/6ba7b810-9dad-11d1-80b4-00c04fd430c8
    """
    match = re.fullmatch(r"/dev/disk/(by-uuid|by-partuuid|by-id)/([\w.-]+)", str(path), re.ASCII)
    if not match:
        return {"success": False, "result": f"`{path}` is not a persistent path of a volume"}
    record = next((each for each in _records() if each.get("path") == path), None)
    if record:
        # A device that carries the same UID may have the link: what is written down counts.
        device = _located(record)
        if device:
            __salt__["metalk8s_devices.link"](path, device)
            return {"success": True, "result": os.path.basename(device)}
        return {"success": False, "result": f"device `{path}` not found"}
    # udev makes the link a moment after the device appears.
    for attempt in range(10):
        if attempt:
            time.sleep(0.1)
        device = os.path.realpath(path)
        if device != path and __salt__["metalk8s_devices.is_device"](device) and _leads_to(device, match[1], match[2]):
            return {"success": True, "result": os.path.basename(device)}
    return {"success": False, "result": f"device `{path}` not found"}


def _leads_to(device, kind, name):
    if kind == "by-id":
        return name == f"dm-uuid-{__salt__['metalk8s_devices.lvm_uuid'](device)}"
    try:
        found = __salt__["metalk8s_devices.contents"](device)
    except CommandExecutionError:
        return False
    return found.get("UUID" if kind == "by-uuid" else "PART_ENTRY_UUID", "").lower() == name.lower()
