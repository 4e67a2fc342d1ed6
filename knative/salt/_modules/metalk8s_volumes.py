"""
Storage of MetalK8s Volumes on the node: prepares it, takes it back, and says where it is

:depends: blkid, losetup, partx (util-linux); mkfs.ext4, e2fsck; mkfs.xfs, xfs_repair; sgdisk; lvcreate, lvs

A Volume's definition is the Volume object itself, in pillar ``metalk8s:volumes:<name>``, with the StorageClass object
in ``spec.storageClass``: from an external pillar, or in the pillar of the call. What has been begun on this node is
recorded in ``/var/lib/metalk8s/storage/volumes/<uid>.json``, so that a Volume can be looked up and taken back without
its definition.

Nothing is written to a device unless it is blank, unused and no other Volume's. A device is this Volume's when it
carries the Volume's UID, and only then. Each function that writes holds a lock of its Volume (and of the device),
which the programs that it starts inherit: a job that is killed does not release the lock while its mkfs still writes.

Configuration of the minion:

.. code-block:: yaml

    metalk8s_volumes:
      directory: /var/lib/metalk8s/storage
      lock_seconds: 60
"""

import contextlib
import fcntl
import json
import math
import os
import re
import subprocess
import threading
import time
from decimal import Decimal

from salt.exceptions import CommandExecutionError

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
_MAKE = {"ext4": ("mkfs.ext4", "-q", "-F", "-U", "{uid}"), "xfs": ("mkfs.xfs", "-q", "-m", "uuid={uid}")}
_CHECK = {"ext4": ("e2fsck", "-f", "-n"), "xfs": ("xfs_repair", "-n")}
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


def _in_pillar(name):
    """
    The Volume object, or None when the pillar knows no Volume of this name. An unreadable pillar is an error: it must
    not look like an absent Volume.
    """
    volumes = (__pillar__.get("metalk8s") or {}).get("volumes") or {}
    if volumes.get("_errors"):
        raise CommandExecutionError(f"the pillar cannot say what volume {name} is: {volumes['_errors']}")
    volume = volumes.get(name)
    if volume is not None and not isinstance(volume, dict):
        raise CommandExecutionError(f"the pillar has no Volume object for volume {name}, but {volume!r}")
    return volume


def _parsed(name, volume):
    """
    What this module needs of a Volume object, checked
    """
    metadata, spec = volume.get("metadata") or {}, volume.get("spec") or {}
    uid = str(metadata.get("uid", "")).lower()
    if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", uid):
        raise CommandExecutionError(f"volume {name} has no usable metadata.uid in the pillar: {uid!r}")
    if spec.get("nodeName") != __opts__["id"]:
        raise CommandExecutionError(f"volume {name} belongs to node {spec.get('nodeName')}, not to {__opts__['id']}")
    kinds = [kind for kind in _KINDS if spec.get(kind) is not None]
    if len(kinds) != 1:
        raise CommandExecutionError(f"volume {name} must have exactly one of {', '.join(_KINDS)}, and has {len(kinds)}")
    kind = kinds[0]
    # Without one of its fields it is refused below.
    source = spec[kind] if isinstance(spec[kind], dict) else {}
    mode = spec.get("mode") or "Filesystem"
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


def _filesystem(name, volume):
    """
    Type and options of mkfs from the Volume's StorageClass
    """
    spec = volume.get("spec") or {}
    storage_class = spec.get("storageClass")
    if not isinstance(storage_class, dict):
        raise CommandExecutionError(f"StorageClass {spec.get('storageClassName')} of volume {name} not found in pillar")
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
    for option in options:
        # mkfs would write to another device that is named (an external log), and copy files.
        if re.search(r"/|dev|uuid|label=|^-U", option, re.IGNORECASE):
            raise CommandExecutionError(
                f"mkfsOptions of StorageClass {spec.get('storageClassName')} must name no path, "
                f"device or UUID: {option}"
            )
    return kind, options


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
    return [_record(name[: -len(".json")]) for name in names if name.endswith(".json")]


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
    return record


def _forget(uid):
    for path in (f"{_record_file(uid)}.new", _record_file(uid)):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


@contextlib.contextmanager
def _explained(what):
    try:
        yield
    except OSError as error:
        raise CommandExecutionError(f"{what}: {error.strerror}") from error


def _known(name, uid=None):
    """
    A Volume by its name: what was recorded when it was prepared, else what the pillar says
    """
    _checked_name(name)
    volume = _in_pillar(name)
    if volume:
        parsed = _parsed(name, volume)
        if uid and uid.lower() != parsed["uid"]:
            raise CommandExecutionError(f"volume {name} has the UID {parsed['uid']} in the pillar, not {uid}")
        return _record(parsed["uid"]) or parsed
    found = [record for record in _records() if record["name"] == name and (not uid or record["uid"] == uid.lower())]
    if not found:
        raise CommandExecutionError(f"volume {name} not found in pillar, and this node has no record of it")
    if len(found) > 1:
        raise CommandExecutionError(
            f"this node has records of several volumes called {name} ({', '.join(record['uid'] for record in found)}): "
            f"give its UID, or its definition in the pillar"
        )
    return found[0]


# --- locks and programs ---


@contextlib.contextmanager
def _locked(key, what):
    """
    Holds a lock of this node, and fails when another run does not release it in time
    """
    seconds = _setting("lock_seconds", 60)
    path = os.path.join(_LOCKS, key)
    with _explained(f"the lock {path} cannot be opened"):
        os.makedirs(_LOCKS, mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    held = _held.__dict__.setdefault("locks", [])
    try:
        end = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise CommandExecutionError(
                        f"another run has been working on {what} for {seconds} s (lock {path}): try again later"
                    ) from None
                time.sleep(0.2)
        held.append(handle)
        try:
            yield
        finally:
            held.remove(handle)
    finally:
        os.close(handle)


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
        words = " ".join((done.stderr.strip() or done.stdout.strip()).split())
        raise CommandExecutionError(f"`{' '.join(args)}` failed with exit code {done.returncode}: {words}")
    return done.stdout


# --- what is a Volume's own ---


def _sparse_file(volume):
    return _directory("sparse", volume["uid"])


def _carries(volume, path, found=None):
    """
    Whether a file or device carries the Volume's UID as the naming rules want it
    """
    found = found or __salt__["metalk8s_devices.contents"](path)
    if volume["mode"] == "Filesystem":
        return found.get("UUID", "").lower() == volume["uid"] and found.get("TYPE") in _MAKE
    return __salt__["metalk8s_devices.partition_uuids"](path).get(1) == volume["uid"]


def _by_lvm_uuid(volume, device):
    return volume["mode"] == "Block" and __salt__["metalk8s_devices.lvm_uuid"](device) is not None


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
    The device that holds the data of a Volume, or None. It carries the Volume's UID, or is the very logical volume.
    """
    if volume["kind"] == "sparseLoopDevice":
        return _located_sparse(volume)
    if volume["mode"] == "Filesystem":
        return __salt__["metalk8s_devices.find"]("UUID", volume["uid"])
    if volume.get("lvm"):
        device = os.path.realpath(f"/dev/disk/by-id/dm-uuid-{volume['lvm']}")
        for candidate in (device, os.path.realpath(_source_device(volume))):
            if os.path.exists(candidate) and __salt__["metalk8s_devices.lvm_uuid"](candidate) == volume["lvm"]:
                return candidate
        return None
    return __salt__["metalk8s_devices.find"]("PARTUUID", volume["uid"])


def _located_sparse(volume):
    for loop in __salt__["metalk8s_devices.loops_of"](_sparse_file(volume)):
        if not _carries(volume, loop):
            continue
        if volume["mode"] == "Filesystem":
            return loop
        return next(iter(__salt__["metalk8s_devices.partitions"](loop)), None)
    return None


def _source_device(volume):
    if volume["kind"] == "lvmLogicalVolume":
        return f"/dev/{volume['group']}/{volume['name']}"
    return volume["device"]


def _refuse_another_volumes(volume, device):
    """
    Fails when the record of another Volume names this device: a blank one is not free for that
    """
    found = __salt__["metalk8s_devices.contents"](device)
    for other in _records():
        if other["uid"] == volume["uid"]:
            continue
        paths = [other.get("path"), other.get("device")]
        shared = any(path and os.path.realpath(path) == device for path in paths)
        if shared or other["uid"] in (found.get("UUID", "").lower(), found.get("PART_ENTRY_UUID", "").lower()):
            raise CommandExecutionError(f"{device} belongs to volume {other['name']}: nothing was written to it")


def _refuse_used(device):
    """
    Fails when somebody uses the device. udev and its like may have it open for a moment.
    """
    __salt__["metalk8s_devices.settle"]()
    for attempt in range(6):
        if attempt:
            time.sleep(0.5)
        users = __salt__["metalk8s_devices.users"](device)
        if not users:
            return
    raise CommandExecutionError(f"{device} is in use: it is {'; it is '.join(users)}. Nothing was written to it")


def _refuse_data(device):
    data = __salt__["metalk8s_devices.data"](device)
    if data:
        raise CommandExecutionError(
            f"{device} already holds {data}: nothing was written to it. If nobody needs that any more, wipe the device "
            f"(wipefs --all, then overwrite its first and last MiB with zeros) and create the Volume again"
        )


# --- prepare ---


def _make_filesystem(volume, kind, options, path, again=False):
    command = [word.format(uid=volume["uid"]) for word in _MAKE[kind]]
    if again and kind == "xfs":
        # mkfs.xfs looks for older data itself; half a file system of our own is no reason to refuse.
        command.append("-f")
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


def _fill(volume, definition, path, again=False):
    """
    Puts onto a blank file or disk what the naming rules want, and reads back that it is there
    """
    if volume["mode"] == "Filesystem":
        _make_filesystem(volume, *_filesystem(volume["name"], definition), path, again)
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
    record = _record(volume["uid"])
    if not os.path.exists(path):
        if __salt__["metalk8s_devices.loops_of"](path):
            raise CommandExecutionError(f"{path} was deleted while it is attached: its data is still there, rescue it")
        if record and record.get("step") == "prepared":
            raise CommandExecutionError(
                f"{path} is missing although it was prepared before: its data is lost, or its "
                f"file system is not mounted. Nothing was created in its place"
            )
        _note(volume, step="creating")
        _create_sparse(volume, definition)
    elif not _carries(volume, path):
        raise CommandExecutionError(
            f"{path} exists and does not carry the UID of volume {volume['name']}: move it away"
        )
    loop = __salt__["metalk8s_devices.attach"](path)
    if volume["mode"] == "Filesystem":
        return loop
    __salt__["metalk8s_devices.read_partitions"](loop)
    return next(iter(__salt__["metalk8s_devices.partitions"](loop)))


def _prepare_device(volume, definition):
    """
    A disk, a partition or a logical volume that exists
    """
    device = os.path.realpath(_source_device(volume))
    # Fails with a sentence when it is missing or no block device.
    __salt__["metalk8s_devices.size"](device)
    partition = __salt__["metalk8s_devices.partition_of"](device)
    with _locked_device(device):
        _refuse_another_volumes(volume, device)
        _refuse_used(device)
        if volume["mode"] == "Block" and partition:
            return _claim_partition(volume, device, **partition)
        if _by_lvm_uuid(volume, device):
            _refuse_data(device)
            return device
        again = _interrupted(volume, device)
        if not again:
            _refuse_data(device)
        elif _complete(volume, device):
            return _data_device(volume, device)
        _note(volume, step="formatting", identity=__salt__["metalk8s_devices.identity"](device))
        _fill(volume, definition, device, again)
        return _data_device(volume, device)


def _interrupted(volume, device):
    """
    Whether what lies on the device is what an earlier run of this Volume has left half done: its record says that
    this very disk was blank when it began, and nothing on it is known to be another's.
    """
    record = _record(volume["uid"])
    identity = __salt__["metalk8s_devices.identity"](device)
    if not record or record.get("step") != "formatting" or not identity or record.get("identity") != identity:
        return False
    found = __salt__["metalk8s_devices.contents"](device)
    if volume["mode"] == "Filesystem":
        return "PTTYPE" not in found and ("TYPE" not in found or found.get("UUID", "").lower() == volume["uid"])
    uuids = __salt__["metalk8s_devices.partition_uuids"](device).values()
    return "TYPE" not in found and all(uuid == volume["uid"] for uuid in uuids)


def _complete(volume, device):
    found = __salt__["metalk8s_devices.contents"](device)
    if not _carries(volume, device, found):
        return False
    return volume["mode"] == "Block" or not _run(*_CHECK[found["TYPE"]], device).returncode


def _data_device(volume, device):
    if volume["mode"] == "Filesystem":
        return device
    __salt__["metalk8s_devices.read_partitions"](device)
    return next(iter(__salt__["metalk8s_devices.partitions"](device)))


def _claim_partition(volume, device, disk, number):
    if __salt__["metalk8s_devices.contents"](device).get("PART_ENTRY_SCHEME") != "gpt":
        raise CommandExecutionError(f"{device} is not a partition of a GUID Partition Table: a Volume needs its GUID")
    _refuse_data(device)
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
    Creates the logical volume when there is none. Its tag is set by the same command: it says whose it is.
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
            return
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


def is_prepared(name):
    """
    Whether the storage of a Volume is ready: its device is there, carries the Volume's UID, and its persistent path
    leads to it

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_volumes.is_prepared my-volume
    """
    volume = _known(name)
    device = _located(volume)
    return device is not None and os.path.realpath(_path(volume, device)) == device


def prepare(name):
    """
    Prepares the storage of a Volume, or what is missing of it; a second run changes nothing. Returns ``{"changed":
    bool, "path": persistent path, "device": path of the device}``. Fails with a sentence, having written nothing,
    when a device is missing, holds data, is in use or is another Volume's.

    CLI Example:

    .. code-block:: bash

        salt '*' state.sls metalk8s.volumes pillar='{volume: my-volume}'
    """
    _checked_name(name)
    definition = _in_pillar(name)
    volume = _parsed(name, definition) if definition else _known(name)
    with _locked(volume["uid"], f"volume {name}"):
        record = _record(volume["uid"])
        if record:
            wanted = {key: record.get(key) for key in volume}
            if wanted != volume:
                raise CommandExecutionError(
                    f"volume {name} was prepared as {wanted} and is now {volume}: what is prepared cannot be changed"
                )
            volume = record
        device = _located(volume)
        done = record is not None and record.get("step") == "prepared"
        changed = device is None or not done
        if device is None:
            device = _prepared_anew(volume, definition, done)
        elif not done:
            _refuse_another_volumes(volume, device)
            if record and record.get("step") == "formatting":
                # It carries the UID, and the run that was to write it did not end.
                device = _prepared_anew(volume, definition, done)
        path = _path(volume, device)
        changed = __salt__["metalk8s_devices.link"](path, device) or changed
        if changed:
            lvm = {"lvm": __salt__["metalk8s_devices.lvm_uuid"](device)} if "/dm-uuid-" in path else {}
            _note(
                {key: volume[key] for key in volume if key not in ("identity", "step")},
                step="prepared",
                path=path,
                **lvm,
            )
        return {"changed": changed, "path": path, "device": device}


def _prepared_anew(volume, definition, done):
    if definition and not done and volume["mode"] == "Filesystem":
        # Before anything is made that would be left behind.
        _filesystem(volume["name"], definition)
    if volume["kind"] == "sparseLoopDevice":
        return _prepare_sparse(volume, definition or {})
    if done:
        raise CommandExecutionError(
            f"volume {volume['name']} was prepared before, and no device of this node carries its UID {volume['uid']} "
            f"any more: its disk is missing or was overwritten. Nothing was written to {_source_device(volume)}"
        )
    if not definition:
        raise CommandExecutionError(f"volume {volume['name']} not found in pillar: it cannot be prepared without")
    if volume["kind"] == "lvmLogicalVolume":
        _create_logical(volume, definition)
    return _prepare_device(volume, definition)


# --- unprepare ---


def unprepare(name, uid=None):
    """
    Takes the storage of a Volume back; a second run changes nothing. A sparse file is detached and removed. Disks,
    partitions and logical volumes are left with all that is on them. Returns ``{"changed": bool}``. Fails with a
    sentence when the device is in use.

    CLI Example:

    .. code-block:: bash

        salt '*' state.sls metalk8s.volumes.unprepared pillar='{volume: my-volume}'
    """
    volume = _known(name, uid)
    with _locked(volume["uid"], f"volume {name}"):
        record = _record(volume["uid"])
        volume = record or volume
        removed = (_remove_sparse if volume["kind"] == "sparseLoopDevice" else _release_device)(volume)
        _forget(volume["uid"])
        return {"changed": removed or record is not None}


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


def device_info(name, uid=None):
    """
    Size in bytes, as a string, and persistent path of the device of a Volume

    CLI Example:

    .. code-block:: bash

        salt '*' metalk8s_volumes.device_info my-volume
    """
    volume = _known(name, uid)
    device = _located(volume)
    if device is None:
        raise CommandExecutionError(
            f"no device of this node holds volume {name}: it is not prepared, not attached, or missing. "
            f"Run metalk8s.volumes"
        )
    path = _path(volume, device)
    __salt__["metalk8s_devices.link"](path, device)
    return {"size": str(__salt__["metalk8s_devices.size"](device)), "path": path}


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
