"""
Raw volumes on real loop devices: whole disks and partitions
"""

import hashlib
import json
import os
import pathlib
import signal
import struct
import subprocess

import pytest
from conftest import in_another_process
from node import raw, run, sparse
from salt.exceptions import CommandExecutionError


def digest(path):
    with open(path, "rb") as device:
        return hashlib.file_digest(device, "sha256").hexdigest()


def partitioned(device, *more, table="gpt"):
    """
    Gives a disk a table with one partition, and returns the partition
    """
    if table == "gpt":
        run("sgdisk", "--largest-new=1", *more, device)
    else:
        with open(device, "r+b") as block:
            block.seek(446)
            # One primary partition of type 0x83 from sector 2048 on, and the mark of a table.
            block.write(bytes(4) + b"\x83" + bytes(3) + struct.pack("<II", 2048, 65536) + bytes(48) + b"\x55\xaa")
    run("partx", "--update", device)
    return f"{device}p1"


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", None])
def test_a_disk_is_prepared_found_and_left_with_its_data(node, disk, filesystem):
    device = disk("320M" if filesystem == "xfs" else "64M")
    volume = raw(device, filesystem=filesystem)
    uid = volume["metadata"]["uid"]
    names, tag, holder = ("by-uuid", "UUID", device) if filesystem else ("by-partuuid", "PARTUUID", f"{device}p1")
    done = node(volume).prepare("v1")
    assert done == {"changed": True, "path": f"/dev/disk/{names}/{uid}", "device": holder}
    assert run("blkid", "-c", "/dev/null", "-t", f"{tag}={uid}", "-o", "device") == holder
    info = node().device_info("v1")
    assert info == {"size": run("blockdev", "--getsize64", holder), "path": done["path"]}
    assert node().device_name(done["path"]) == {"success": True, "result": os.path.basename(holder)}
    before = digest(device)
    assert node(volume).prepare("v1")["changed"] is False
    assert node(volume).unprepare("v1")["changed"] is True
    assert node(volume).unprepare("v1")["changed"] is False
    assert digest(device) == before
    assert not node.record(volume).exists()
    again = raw(device, name="v2", filesystem=filesystem)
    with pytest.raises(CommandExecutionError, match="already holds .*: nothing was written to it"):
        node(again).prepare("v2")


def test_a_partition_gets_the_guid_and_keeps_its_place(node, disk):
    device = disk()
    partition = partitioned(device)
    size = run("blockdev", "--getsize64", partition)
    volume = raw(partition, filesystem=None)
    uid = volume["metadata"]["uid"]
    done = node(volume).prepare("v1")
    assert done == {"changed": True, "path": f"/dev/disk/by-partuuid/{uid}", "device": partition}
    assert node().device_info("v1") == {"size": size, "path": done["path"]}
    assert node().device_name(done["path"]) == {"success": True, "result": os.path.basename(partition)}
    with open(partition, "r+b") as block:
        block.write(b"precious")
    assert node(volume).prepare("v1")["changed"] is False
    node(volume).unprepare("v1")
    assert pathlib.Path(partition).read_bytes()[:8] == b"precious"


def test_a_partition_can_have_a_file_system(node, disk):
    partition = partitioned(disk())
    assert node(raw(partition)).prepare("v1")["device"] == partition


def test_the_neighbour_of_a_mounted_partition_gets_its_guid(node, disk, mounted):
    device = disk()
    first = partitioned(device, "--delete=1", "--new=1:0:+20M", "--new=2:0:+20M")
    run("mkfs.ext4", "-q", first)
    with mounted(first) as path:
        (path / "file").write_text("precious")
        assert node(raw(f"{device}p2", filesystem=None)).prepare("v1")["device"] == f"{device}p2"
        assert (path / "file").read_text() == "precious"


def ext4(device):
    run("mkfs.ext4", "-q", device)


def xfs(device):
    run("mkfs.xfs", "-q", device)


def swap(device):
    run("mkswap", device)


def table(device):
    run("sgdisk", "--largest-new=1", device)


def empty_table(device):
    run("sgdisk", "--clear", device)


def dos_table(device):
    partitioned(device, table="dos")


def lvm(device):
    # The label of a physical volume, as pvcreate writes it; enough for blkid.
    with open(device, "r+b") as block:
        block.seek(512)
        block.write(
            b"LABELONE" + (1).to_bytes(8, "little") + bytes(4) + (32).to_bytes(4, "little") + b"LVM2 001" + b"A" * 32
        )


def head(device):
    with open(device, "r+b") as block:
        block.seek(65536)
        block.write(b"rows of a database that needs no file system")


def tail(device):
    with open(device, "r+b") as block:
        block.seek(-100, os.SEEK_END)
        block.write(b"a log that is written from the end")


def wiped(device):
    # Only the signature is gone: wipefs leaves the data.
    ext4(device)
    run("wipefs", "--all", device)


@pytest.mark.parametrize("mode", ["ext4", None])
@pytest.mark.parametrize("data", [ext4, xfs, swap, table, empty_table, dos_table, lvm, head, tail, wiped])
def test_a_disk_that_holds_data_is_refused_and_not_written_to(node, disk, data, mode):
    device = disk("320M" if data is xfs else "64M")
    data(device)
    before = digest(device)
    with pytest.raises(CommandExecutionError, match=f"{device} already holds .*: nothing was written to it"):
        node(raw(device, filesystem=mode)).prepare("v1")
    assert digest(device) == before


@pytest.mark.parametrize("data", [ext4, swap, head])
def test_a_partition_that_holds_data_keeps_its_guid(node, disk, data):
    device = disk()
    partition = partitioned(device)
    data(partition)
    before = digest(device)
    with pytest.raises(CommandExecutionError, match="already holds"):
        node(raw(partition, filesystem=None)).prepare("v1")
    assert digest(device) == before


def test_a_partition_without_a_guid_is_refused(node, disk):
    device = disk()
    partition = partitioned(device, table="dos")
    before = digest(device)
    with pytest.raises(CommandExecutionError, match="is not a partition of a GUID Partition Table"):
        node(raw(partition, filesystem=None)).prepare("v1")
    assert digest(device) == before


def test_a_disk_with_a_used_partition_that_no_table_names_is_refused(node, disk):
    device = disk()
    partitioned(device)
    run("dd", "if=/dev/zero", f"of={device}", "bs=1M", "count=1")
    run("dd", "if=/dev/zero", f"of={device}", "bs=1M", "seek=63", "count=1")
    with pytest.raises(CommandExecutionError, match="already holds partitions"):
        node(raw(device)).prepare("v1")


@pytest.mark.parametrize("how", ["mounted", "open", "loop"])
def test_a_device_in_use_is_refused(node, disk, folder, how):
    device = disk()
    if how == "mounted":
        run("mkfs.ext4", "-q", device)
        (folder / "mnt").mkdir()
        run("mount", device, folder / "mnt")
    elif how == "loop":
        loop = run("losetup", "--find", "--show", device)
    else:
        process = subprocess.Popen(["sh", "-c", f"exec 3<{device}; echo; exec cat"], stdin=-1, stdout=-1)
        process.stdout.readline()
    with pytest.raises(CommandExecutionError, match=f"{device} is in use: it is .*Nothing was written"):
        node(raw(device)).prepare("v1")
    if how == "open":
        process.communicate()
    if how == "loop":
        run("losetup", "--detach", loop)


def test_a_prepared_disk_is_not_taken_back_while_mounted(node, disk, mounted):
    volume = raw(disk())
    with mounted(node(volume).prepare("v1")["device"]) as path:
        with pytest.raises(CommandExecutionError, match=f"it is mounted at {path}"):
            node(volume).unprepare("v1")
        assert node(volume).prepare("v1")["changed"] is False, "a pod that uses it is no reason to fail"


def test_a_device_that_is_none_is_refused(node, folder):
    with pytest.raises(CommandExecutionError, match="block device /dev/no-such cannot be found"):
        node(raw("/dev/no-such")).prepare("v1")
    with pytest.raises(CommandExecutionError, match="/dev/null is not a block device"):
        node(raw("/dev/null")).prepare("v1")
    for path in (folder, "/dev/../etc/passwd", "sdb", "/dev/sdb; reboot", ""):
        with pytest.raises(CommandExecutionError, match="which is not a path under /dev"):
            node(raw(path)).prepare("v1")


@pytest.mark.parametrize("filesystem", ["ext4", None])
def test_a_device_of_another_volume_is_refused(node, disk, filesystem):
    device = disk()
    partition = partitioned(device)
    node(raw(partition, filesystem=None)).prepare("v1")
    before = digest(device)
    with pytest.raises(CommandExecutionError, match=f"{partition} belongs to volume v1: nothing was written to it"):
        node(raw(partition, name="v2", filesystem=filesystem)).prepare("v2")
    with pytest.raises(CommandExecutionError, match="already holds a partition table"):
        node(raw(device, name="v3", filesystem=filesystem)).prepare("v3")
    assert digest(device) == before


def test_the_loop_device_of_a_sparse_volume_is_refused(node):
    device = node(sparse(filesystem=None)).prepare("v1")["device"]
    with pytest.raises(CommandExecutionError, match=f"{device} belongs to volume v1"):
        node(raw(device, name="v2")).prepare("v2")


def test_a_disk_that_has_moved_is_found_and_the_one_in_its_place_is_left_alone(node, disk):
    first = disk(name="first")
    volume = raw(first)
    path = node(volume).prepare("v1")["path"]
    run("losetup", "--detach", first)
    # After a restart the other disk comes first.
    assert disk(name="other") == first
    moved = disk(name="first")
    blank = digest(first)
    done = node(volume).prepare("v1")
    assert done == {"changed": True, "path": path, "device": moved}
    assert digest(first) == blank
    assert node().device_name(path)["result"] == os.path.basename(moved)


def test_a_lost_disk_is_not_replaced_by_a_blank_one(node, disk):
    first = disk(name="first")
    volume = raw(first)
    node(volume).prepare("v1")
    run("losetup", "--detach", first)
    assert disk(name="other") == first
    blank = digest(first)
    with pytest.raises(CommandExecutionError, match="no device of this node carries its UID .* any more"):
        node(volume).prepare("v1")
    with pytest.raises(CommandExecutionError, match="no device of this node holds volume v1"):
        node(volume).device_info("v1")
    assert digest(first) == blank
    assert node(volume).unprepare("v1") == {"changed": True}
    assert not os.path.lexists(f"/dev/disk/by-uuid/{volume['metadata']['uid']}")


def test_a_copied_disk_is_not_guessed_at(node, disk, folder):
    volume = raw(disk(name="first"))
    node(volume).prepare("v1")
    run("cp", folder / "first", folder / "copy")
    disk(name="copy")
    for function in ("prepare", "unprepare", "device_info"):
        with pytest.raises(CommandExecutionError, match="several devices carry the UUID"):
            getattr(node(volume), function)("v1")


def interrupted(folder, filesystem, signature=False):
    """
    A prepare whose mkfs writes a part, and which is killed then, with mkfs
    """
    program = folder / "bin" / f"mkfs.{filesystem}"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\nfor device; do :; done\n"
        "head -c 300000 /dev/urandom | dd of=$device bs=4k seek=20 conv=notrunc 2>/dev/null\n"
        + (
            f'/usr/sbin/mkfs.{filesystem} "$@"; dd if=/dev/urandom of=$device bs=4k seek=2 count=30 conv=notrunc\n'
            if signature
            else ""
        )
        + f": > {folder}/half\nexec sleep 60\n"
    )
    program.chmod(0o755)
    code = (
        "import json, os, sys; from node import Node; os.setsid(); "
        "Node(sys.argv[1])(json.load(open(sys.argv[1] + '/volume.json'))).prepare('v1')"
    )
    process = in_another_process(code, str(folder), PATH=f"{program.parent}:{os.environ['PATH']}")
    while not (folder / "half").exists():
        assert process.poll() is None, process.communicate()[0]
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.mark.parametrize("filesystem", ["ext4", "xfs"])
@pytest.mark.parametrize("signature", [False, True])
def test_a_killed_run_is_taken_up_again(node, disk, folder, filesystem, signature):
    volume = raw(disk("320M"), filesystem=filesystem)
    (folder / "volume.json").write_text(json.dumps(volume))
    interrupted(folder, filesystem, signature)
    assert node(volume).prepare("v1")["changed"]
    check = {"ext4": ["e2fsck", "-fn"], "xfs": ["xfs_repair", "-n"]}[filesystem]
    run(*check, volume["spec"]["rawBlockDevice"]["devicePath"])
    assert node(volume).prepare("v1")["changed"] is False


def test_a_complete_file_system_of_a_killed_run_is_kept(node, disk, mounted):
    device = disk()
    volume = raw(device)
    node(volume).prepare("v1")
    with mounted(device) as path:
        (path / "file").write_text("precious")
    # The record of the last step was never written.
    record = json.loads(node.record(volume).read_text())
    identity = node.functions()["metalk8s_devices.identity"](device)
    node.record(volume).write_text(json.dumps({**record, "step": "formatting", "identity": identity}))
    node(volume).prepare("v1")
    with mounted(device) as path:
        assert (path / "file").read_text() == "precious"


def test_what_a_killed_run_left_is_refused_once_it_may_be_another_disk(node, disk, folder):
    device = disk(name="first")
    volume = raw(device)
    (folder / "volume.json").write_text(json.dumps(volume))
    interrupted(folder, "ext4")
    run("losetup", "--detach", device)
    assert disk(name="other") == device
    head(device)
    before = digest(device)
    with pytest.raises(CommandExecutionError, match="already holds data of an unknown kind"):
        node(volume).prepare("v1")
    assert digest(device) == before


def test_foreign_data_is_refused_although_a_killed_run_left_its_record(node, disk, folder):
    device = disk()
    volume = raw(device)
    (folder / "volume.json").write_text(json.dumps(volume))
    interrupted(folder, "ext4")
    run("wipefs", "--all", device)
    run("mkfs.ext4", "-q", "-F", device)
    before = digest(device)
    with pytest.raises(CommandExecutionError, match="already holds ext4 with the UUID"):
        node(volume).prepare("v1")
    assert digest(device) == before


def test_two_volumes_at_once_on_one_disk(node, disk, folder):
    device = disk()
    code = (
        "import json, sys; from node import Node; from salt.exceptions import CommandExecutionError\n"
        "volume = json.loads(sys.argv[2])\n"
        "try: print('prepared', Node(sys.argv[1], 30)(volume).prepare(volume['metadata']['name'])['path'])\n"
        "except CommandExecutionError as error: print('refused', error)"
    )
    volumes = [raw(device, name=f"v{number}") for number in (1, 2)]
    runs = [in_another_process(code, str(folder), json.dumps(volume)) for volume in volumes]
    answers = sorted(each.communicate()[0].splitlines()[-1] for each in runs)
    assert answers[0].startswith("prepared /dev/disk/by-uuid/")
    assert answers[1].startswith(f"refused {device} ")
