"""
Raw volumes on real loop devices: whole disks and partitions
"""

import hashlib
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import uuid

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
    done = node.prepare(volume)
    size = run("blockdev", "--getsize64", holder)
    assert done == {"changed": True, "path": f"/dev/disk/{names}/{uid}", "device": holder, "size": size}
    assert run("blkid", "-c", "/dev/null", "-t", f"{tag}={uid}", "-o", "device") == holder
    assert node.device_name(done["path"]) == {"success": True, "result": os.path.basename(holder)}
    before = digest(device)
    assert node.prepare(volume)["changed"] is False
    assert node.unprepare(volume)["changed"] is True
    assert node.unprepare(volume)["changed"] is False
    assert digest(device) == before
    assert not node.record(volume).exists()
    again = raw(device, name="v2", filesystem=filesystem)
    with pytest.raises(CommandExecutionError, match="already holds .*: nothing was written to it"):
        node.prepare(again)


def test_a_partition_gets_the_guid_and_keeps_its_place(node, disk):
    device = disk()
    partition = partitioned(device)
    size = run("blockdev", "--getsize64", partition)
    volume = raw(partition, filesystem=None)
    uid = volume["metadata"]["uid"]
    done = node.prepare(volume)
    assert done == {"changed": True, "path": f"/dev/disk/by-partuuid/{uid}", "device": partition, "size": size}
    assert node.device_name(done["path"]) == {"success": True, "result": os.path.basename(partition)}
    with open(partition, "r+b") as block:
        block.write(b"precious")
    assert node.prepare(volume)["changed"] is False
    node.unprepare(volume)
    assert pathlib.Path(partition).read_bytes()[:8] == b"precious"


def test_a_partition_can_have_a_file_system(node, disk):
    partition = partitioned(disk())
    assert node.prepare(raw(partition))["device"] == partition


def test_the_neighbour_of_a_mounted_partition_gets_its_guid(node, disk, mounted):
    device = disk()
    first = partitioned(device, "--delete=1", "--new=1:0:+20M", "--new=2:0:+20M")
    run("mkfs.ext4", "-q", first)
    with mounted(first) as path:
        (path / "file").write_text("precious")
        assert node.prepare(raw(f"{device}p2", filesystem=None))["device"] == f"{device}p2"
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


def middle(device):
    # Rows that start where no signature is looked for.
    with open(device, "r+b") as block:
        block.seek(5 * 2**20)
        block.write(os.urandom(4 * 2**20))


def wiped(device):
    # Only the signature is gone: wipefs leaves the data.
    ext4(device)
    run("wipefs", "--all", device)


@pytest.mark.parametrize("mode", ["ext4", None])
@pytest.mark.parametrize("data", [ext4, xfs, swap, table, empty_table, dos_table, lvm, head, middle, tail, wiped])
def test_a_disk_that_holds_data_is_refused_and_not_written_to(node, disk, data, mode):
    device = disk("320M" if data is xfs else "64M")
    data(device)
    before = digest(device)
    with pytest.raises(CommandExecutionError, match=f"{device} already holds .*: nothing was written to it"):
        node.prepare(raw(device, filesystem=mode))
    assert digest(device) == before


@pytest.mark.parametrize("data", [ext4, swap, head, middle])
def test_a_partition_that_holds_data_keeps_its_guid(node, disk, data):
    device = disk()
    partition = partitioned(device)
    data(partition)
    before = digest(device)
    with pytest.raises(CommandExecutionError, match="already holds"):
        node.prepare(raw(partition, filesystem=None))
    assert digest(device) == before


def test_a_partition_without_a_guid_is_refused(node, disk):
    device = disk()
    partition = partitioned(device, table="dos")
    before = digest(device)
    with pytest.raises(CommandExecutionError, match="is not a partition of a GUID Partition Table"):
        node.prepare(raw(partition, filesystem=None))
    assert digest(device) == before


def test_a_disk_with_a_used_partition_that_no_table_names_is_refused(node, disk):
    device = disk()
    partitioned(device)
    run("dd", "if=/dev/zero", f"of={device}", "bs=1M", "count=1")
    run("dd", "if=/dev/zero", f"of={device}", "bs=1M", "seek=63", "count=1")
    with pytest.raises(CommandExecutionError, match="already holds partitions"):
        node.prepare(raw(device))


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
        node.prepare(raw(device))
    if how == "open":
        process.communicate()
    if how == "loop":
        run("losetup", "--detach", loop)


def test_a_prepared_disk_is_not_taken_back_while_mounted(node, disk, mounted):
    volume = raw(disk())
    with mounted(node.prepare(volume)["device"]) as path:
        with pytest.raises(CommandExecutionError, match=f"it is mounted at {path}"):
            node.unprepare(volume)
        assert node.prepare(volume)["changed"] is False, "a pod that uses it is no reason to fail"


def test_a_device_that_is_none_is_refused(node, folder):
    with pytest.raises(CommandExecutionError, match="block device /dev/no-such cannot be found"):
        node.prepare(raw("/dev/no-such"))
    with pytest.raises(CommandExecutionError, match="/dev/null is not a block device"):
        node.prepare(raw("/dev/null"))
    for path in (folder, "/dev/../etc/passwd", "sdb", "/dev/sdb; reboot", ""):
        with pytest.raises(CommandExecutionError, match="which is not a path under /dev"):
            node.prepare(raw(path))


@pytest.mark.parametrize("filesystem", ["ext4", None])
def test_a_device_of_another_volume_is_refused(node, disk, filesystem):
    device = disk()
    partition = partitioned(device)
    node.prepare(raw(partition, filesystem=None))
    before = digest(device)
    with pytest.raises(CommandExecutionError, match=f"{partition} belongs to volume v1: nothing was written to it"):
        node.prepare(raw(partition, name="v2", filesystem=filesystem))
    with pytest.raises(CommandExecutionError, match="already holds a partition table"):
        node.prepare(raw(device, name="v3", filesystem=filesystem))
    assert digest(device) == before


def test_the_record_of_another_volume_may_go_while_all_are_read(node, disk, monkeypatch):
    gone = sparse(name="gone")
    node.prepare(gone)
    listed = os.listdir

    def listed_just_before(path):
        names = listed(path)
        if str(path) == str(node.record(gone).parent):
            node.record(gone).unlink(missing_ok=True)
        return names

    monkeypatch.setattr(os, "listdir", listed_just_before)
    assert node.prepare(raw(disk()))["changed"]
    assert not node.record(gone).exists()


def test_the_loop_device_of_a_sparse_volume_is_refused(node):
    device = node.prepare(sparse(filesystem=None))["device"]
    with pytest.raises(CommandExecutionError, match=f"{device} belongs to volume v1"):
        node.prepare(raw(device, name="v2"))


def test_a_disk_that_has_moved_is_found_and_the_one_in_its_place_is_left_alone(node, disk):
    first = disk(name="first")
    volume = raw(first)
    path = node.prepare(volume)["path"]
    run("losetup", "--detach", first)
    # After a restart the other disk comes first.
    assert disk(name="other") == first
    moved = disk(name="first")
    blank = digest(first)
    done = node.prepare(volume)
    assert (done["changed"], done["path"], done["device"]) == (True, path, moved)
    assert digest(first) == blank
    assert node.device_name(path)["result"] == os.path.basename(moved)


def test_a_lost_disk_is_not_replaced_by_a_blank_one(node, disk):
    first = disk(name="first")
    volume = raw(first)
    node.prepare(volume)
    run("losetup", "--detach", first)
    assert disk(name="other") == first
    blank = digest(first)
    with pytest.raises(CommandExecutionError, match=r"its disk \(file .*/first\) is missing, or no longer carries"):
        node.prepare(volume)
    assert digest(first) == blank
    assert node.unprepare(volume) == {"changed": True, "uid": volume["metadata"]["uid"]}
    assert not os.path.lexists(f"/dev/disk/by-uuid/{volume['metadata']['uid']}")


def test_a_device_that_carries_the_uid_of_another_tenants_volume_changes_nothing_for_it(node, disk, folder):
    first = disk(name="first")
    volume = raw(first)
    uid = volume["metadata"]["uid"]
    forged = disk(name="forged")
    run("mkfs.ext4", "-q", "-U", uid, forged)
    table_of = disk(name="table")
    run("sgdisk", "--clear", "--largest-new=1", f"--partition-guid=1:{uid}", table_of)
    run("partx", "--update", table_of)
    done = node.prepare(volume)
    assert done["device"] == first
    assert node.prepare(volume)["changed"] is False
    os.unlink(done["path"])
    os.symlink(forged, done["path"])
    assert node.device_name(done["path"]) == {"success": True, "result": os.path.basename(first)}
    assert os.path.realpath(done["path"]) == first
    # With its own disk gone, none of the others is taken for it.
    run("losetup", "--detach", first)
    with pytest.raises(CommandExecutionError, match="its disk .* is missing"):
        node.prepare(volume)
    assert node.device_name(done["path"])["success"] is False
    assert node.unprepare(volume)["changed"]


def test_a_block_volume_is_prepared_beside_a_forged_partition_table(node, disk):
    first = disk(name="first")
    volume = raw(first, filesystem=None)
    forged = disk(name="forged")
    run("sgdisk", "--clear", "--largest-new=1", f"--partition-guid=1:{volume['metadata']['uid']}", forged)
    run("partx", "--update", forged)
    assert node.prepare(volume)["device"] == f"{first}p1"
    assert node.prepare(volume)["changed"] is False
    assert node.unprepare(volume)["changed"]


def test_a_disk_with_the_name_of_a_prepared_one_and_its_uid_is_not_taken_for_it(node, disk):
    first = disk(name="first")
    volume = raw(first)
    node.prepare(volume)
    run("losetup", "--detach", first)
    assert disk(name="forged") == first
    run("mkfs.ext4", "-q", "-U", volume["metadata"]["uid"], first)
    with pytest.raises(CommandExecutionError, match="its disk .* is missing"):
        node.prepare(volume)


@pytest.mark.parametrize("path", ["a-file-that-is-no-device", "shm"])
def test_nothing_of_ours_on_a_path_that_is_no_device_is_taken_back(node, path):
    file = pathlib.Path("/dev", path)
    created = not file.exists()
    if created:
        file.write_text("precious")
    try:
        volume = raw(file)
        with pytest.raises(CommandExecutionError, match="is not a block device"):
            node.prepare(volume)
        assert node.unprepare(volume) == {"changed": False, "uid": volume["metadata"]["uid"]}
        assert node.unprepare(raw("/etc/passwd"))["changed"] is False
        assert node.unprepare(raw("/dev/no-such"))["changed"] is False
    finally:
        if created:
            file.unlink()


def sparse_disk(folder, size, *places):
    """
    A large disk with holes, and a few bytes at some places
    """
    path = folder / "large"
    run("truncate", f"--size={size}", path)
    with path.open("r+b") as file:
        for place in places:
            file.seek(place)
            file.write(b"precious")
    return run("losetup", "--find", "--show", path)


@pytest.mark.parametrize("place", [2**20 + 7, 3 * 2**30 + 12345, 9 * 2**40])
def test_holes_are_skipped_and_so_a_few_bytes_are_found_anywhere(node, folder, place):
    device = sparse_disk(folder, "10T", place)
    with pytest.raises(CommandExecutionError, match="already holds data of an unknown kind"):
        node.prepare(raw(device))


def test_of_more_than_a_gibibyte_samples_are_looked_at_and_all_where_that_is_asked_for(node, folder, monkeypatch):
    functions = node.functions()
    data = functions["metalk8s_devices.data"]
    module = sys.modules[data.__module__]
    # As on a device without holes.
    monkeypatch.setattr(module, "_regions", lambda path, length: [(0, length)])
    monkeypatch.setattr(module, "_WHOLE", 2**26)
    size = 2**27
    step = size // 4096
    monkeypatch.setattr(module, "_PIECE", 4096)
    between = sparse_disk(folder, size, 8 * 2**20 + 5000)
    assert data(between) == "", "a few bytes between two samples are not seen"
    assert data(between, True) == "data of an unknown kind"
    with open(between, "r+b") as block:
        block.seek(8 * 2**20 + 5000)
        block.write(b"x" * step)
    assert data(between) == "data of an unknown kind", "as much as the distance between two samples is"


def test_all_of_a_device_is_looked_at_where_the_volume_asks_for_it(node, disk, monkeypatch):
    prepare = node.functions()["metalk8s_volumes.prepare"]
    looked = []
    module = sys.modules[prepare.__module__]
    monkeypatch.setattr(module, "_refuse_data", lambda device, thoroughly: looked.append(thoroughly))
    for number, words in enumerate(("full", "sample", None)):
        volume = raw(disk(name=f"disk{number}"), name=f"v{number}")
        volume["spec"]["rawBlockDevice"]["requireBlank"] = words
        prepare(volume)
    assert looked == [True, False, False]
    with pytest.raises(CommandExecutionError, match="requireBlank must be sample or full, and is 'never'"):
        volume["spec"]["rawBlockDevice"]["requireBlank"] = "never"
        volume["metadata"]["uid"] = str(uuid.uuid4())
        prepare(volume)


def test_what_a_refusal_advises_makes_the_device_usable(node, disk):
    device = disk()
    middle(device)
    with pytest.raises(CommandExecutionError) as refused:
        node.prepare(raw(device))
    command = re.search(r"\((blkdiscard [^)]*)\)", str(refused.value))[1]
    run(*command.split())
    assert node.prepare(raw(device, name="again"))["changed"]


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
        "Node(sys.argv[1]).prepare(json.load(open(sys.argv[1] + '/volume.json')))"
    )
    process = in_another_process(code, str(folder), PATH=f"{program.parent}:{os.environ['PATH']}")
    while not (folder / "half").exists():
        assert process.poll() is None, process.communicate()[0]
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.mark.parametrize("filesystem", ["ext4", "xfs"])
@pytest.mark.parametrize("signature", [False, True])
def test_what_a_killed_run_has_left_is_looked_at_like_all_else(node, disk, folder, filesystem, signature):
    device = disk("320M")
    volume = raw(device, filesystem=filesystem)
    (folder / "volume.json").write_text(json.dumps(volume))
    interrupted(folder, filesystem, signature)
    before = digest(device)
    words = "holds half of a file system" if signature else "already holds data of an unknown kind"
    with pytest.raises(CommandExecutionError, match=f"{device} {words}.*nothing was written to it.*blkdiscard"):
        node.prepare(volume)
    assert digest(device) == before
    assert node.unprepare(volume)["changed"]


def test_data_that_came_after_a_killed_run_is_refused(node, disk, folder):
    device = disk()
    volume = raw(device)
    node.prepare(volume)
    record = json.loads(node.record(volume).read_text())
    node.record(volume).write_text(json.dumps({**record, "step": "formatting"}))
    run("blkdiscard", "--zeroout", device)
    middle(device)
    before = digest(device)
    with pytest.raises(CommandExecutionError, match="already holds data of an unknown kind"):
        node.prepare(volume)
    assert digest(device) == before


def test_a_complete_file_system_of_a_killed_run_is_kept(node, disk, mounted):
    device = disk()
    volume = raw(device)
    node.prepare(volume)
    with mounted(device) as path:
        (path / "file").write_text("precious")
    # The record of the last step was never written.
    record = json.loads(node.record(volume).read_text())
    node.record(volume).write_text(json.dumps({**record, "step": "formatting"}))
    node.prepare(volume)
    with mounted(device) as path:
        assert (path / "file").read_text() == "precious"


def test_foreign_data_is_refused_although_a_killed_run_left_its_record(node, disk, folder):
    device = disk()
    volume = raw(device)
    (folder / "volume.json").write_text(json.dumps(volume))
    interrupted(folder, "ext4")
    run("wipefs", "--all", device)
    run("mkfs.ext4", "-q", "-F", device)
    before = digest(device)
    with pytest.raises(CommandExecutionError, match="already holds ext4 with the UUID"):
        node.prepare(volume)
    assert digest(device) == before


def test_two_volumes_at_once_on_one_disk(node, disk, folder):
    device = disk()
    code = (
        "import json, sys; from node import Node; from salt.exceptions import CommandExecutionError\n"
        "volume = json.loads(sys.argv[2])\n"
        "try: print('prepared', Node(sys.argv[1], 30).prepare(volume)['path'])\n"
        "except CommandExecutionError as error: print('refused', error)"
    )
    volumes = [raw(device, name=f"v{number}") for number in (1, 2)]
    runs = [in_another_process(code, str(folder), json.dumps(volume)) for volume in volumes]
    answers = sorted(each.communicate()[0].splitlines()[-1] for each in runs)
    assert answers[0].startswith("prepared /dev/disk/by-uuid/")
    assert answers[1].startswith(f"refused {device} ")


def test_two_volumes_at_once_on_one_logical_volume(node, disk):
    device, lvm = disk(), f"LVM-{'0' * 60}"
    functions, refused = node.functions(), []

    def second_comes_before_the_first_is_done(*_):
        functions["metalk8s_devices.link"] = lambda *_: True
        with pytest.raises(CommandExecutionError, match=f"{device} belongs to volume v1: nothing was written to it"):
            functions["metalk8s_volumes.prepare"](raw(device, name="v2", filesystem=None))
        refused.append(True)
        return True

    functions["metalk8s_devices.lvm_uuid"] = functions["metalk8s_devices.identity"] = lambda path: lvm
    functions["metalk8s_devices.link"] = second_comes_before_the_first_is_done
    volume = raw(device, filesystem=None)
    done = functions["metalk8s_volumes.prepare"](volume)
    assert (done["path"], refused) == (f"/dev/disk/by-id/dm-uuid-{lvm}", [True])
    assert json.loads(node.record(volume).read_text())["step"] == "prepared"


def test_a_logical_volume_that_a_killed_run_has_not_handed_out_is_looked_at_again(node, disk):
    device = disk()
    functions = node.functions()

    def killed(*_):
        raise KeyboardInterrupt

    functions["metalk8s_devices.lvm_uuid"] = functions["metalk8s_devices.identity"] = lambda path: "LVM-1"
    functions["metalk8s_devices.link"] = killed
    volume = raw(device, filesystem=None)
    with pytest.raises(KeyboardInterrupt):
        functions["metalk8s_volumes.prepare"](volume)
    run("mkfs.ext4", "-q", device)
    with pytest.raises(CommandExecutionError, match="already holds"):
        functions["metalk8s_volumes.prepare"](volume)
