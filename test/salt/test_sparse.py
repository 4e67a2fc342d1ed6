"""
Sparse volumes on real loop devices
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import uuid

import pytest
from conftest import in_another_process
from node import SOURCE, loops, raw, run, sparse
from salt.exceptions import CommandExecutionError

KINDS = [("ext4", "by-uuid"), ("xfs", "by-uuid"), (None, "by-partuuid")]


def size_for(filesystem):
    # mkfs.xfs makes nothing smaller than 300 MiB.
    return "320Mi" if filesystem == "xfs" else "64Mi"


@pytest.mark.parametrize(("filesystem", "names"), KINDS)
def test_is_prepared_found_and_taken_back(node, filesystem, names):
    volume = sparse(size_for(filesystem), filesystem=filesystem)
    uid = volume["metadata"]["uid"]
    done = node.prepare(volume)
    path = f"/dev/disk/{names}/{uid}"
    size = run("blockdev", "--getsize64", os.path.realpath(path))
    assert done == {"changed": True, "path": path, "device": os.path.realpath(path), "size": size}
    tag = "UUID" if filesystem else "PARTUUID"
    assert run("blkid", "-c", "/dev/null", "-t", f"{tag}={uid}", "-o", "device") == done["device"]
    assert node.device_name(path) == {"success": True, "result": os.path.basename(done["device"])}

    assert node.prepare(volume) == {**done, "changed": False}
    assert node.unprepare(volume) == {"changed": True, "uid": volume["metadata"]["uid"]}
    assert not os.path.lexists(path)
    assert not node.sparse_file(volume).exists()
    assert not node.record(volume).exists()
    assert loops(node.directory) == []
    assert node.unprepare(volume) == {"changed": False, "uid": volume["metadata"]["uid"]}
    assert node.device_name(path) == {"success": False, "result": f"device `{path}` not found"}


@pytest.mark.parametrize(("filesystem", "_"), KINDS)
def test_keeps_its_data_over_a_second_run_and_a_restart_of_the_node(node, mounted, filesystem, _):
    volume = sparse(size_for(filesystem), filesystem=filesystem)
    device = node.prepare(volume)["device"]
    if filesystem:
        with mounted(device) as path:
            (path / "file").write_text("precious")
    else:
        with open(device, "r+b") as block:
            block.write(b"precious")
    # What a restart does: nothing is attached, /dev is new.
    run(SOURCE / "metalk8s/volumes/files/attach-sparse-volumes", node.directory / "sparse")
    assert len(loops(node.directory)) == 1, "what is attached is not attached twice"
    for loop in loops(node.directory):
        run("partx", "--delete", loop, check=False)
        run("losetup", "--detach", loop)
    run(SOURCE / "metalk8s/volumes/files/attach-sparse-volumes", node.directory / "sparse")
    done = node.prepare(volume)
    assert done["changed"] is False
    device = os.path.realpath(done["path"])
    if filesystem:
        with mounted(device) as path:
            assert (path / "file").read_text() == "precious"
    else:
        assert pathlib.Path(device).read_bytes()[:8] == b"precious"


def test_is_attached_again_by_prepare(node):
    volume = sparse()
    node.prepare(volume)
    run("losetup", "--detach", loops(node.directory)[0])
    assert node.prepare(volume)["changed"]
    assert len(loops(node.directory)) == 1


@pytest.mark.parametrize(
    ("quantity", "size"),
    [
        (1048576, 2**20),
        ("1048576", 2**20),
        ("1000", 1024),
        ("1k", 1024),
        ("1M", 1000448),
        ("1Ki", 1024),
        ("10Gi", 10 * 2**30),
        ("1.5Gi", 3 * 2**29),
        ("0.1Gi", 107374592),
        ("2Ti", 2**41),
        ("3G", 3 * 10**9),
        ("1T", 10**12),
        ("1P", 10**15),
        ("1Pi", 2**50),
    ],
)
def test_reads_quantities_rounded_up_to_sectors(node, quantity, size):
    assert node.call("size_in_bytes", quantity) == size
    assert size % 512 == 0


@pytest.mark.parametrize(
    "quantity",
    [
        "",
        "1Ei",
        "1E",
        "100m",
        "1e3",
        "-1Gi",
        "+1Gi",
        "Gi",
        "1 Gi",
        "1gi",
        "1KI",
        ".5Gi",
        "1.Gi",
        "١Gi",
        "1Gi\n",
        None,
        True,
        1.5e30,
    ],
)
def test_refuses_other_quantities(node, quantity):
    with pytest.raises(CommandExecutionError, match="is not understood: write bytes, or a number with k, M"):
        node.call("size_in_bytes", quantity)


@pytest.mark.parametrize("quantity", [0, "0", "0Gi", "0.0Gi"])
def test_refuses_a_size_of_nothing(node, quantity):
    with pytest.raises(CommandExecutionError, match="must be greater than 0"):
        node.call("size_in_bytes", quantity)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sparseLoopDevice": "1Gi"}, "the size None is not understood"),
        ({"sparseLoopDevice": None}, "exactly one of sparseLoopDevice, rawBlockDevice, lvmLogicalVolume, and has 0"),
        ({"rawBlockDevice": {"devicePath": "/dev/sdb"}}, "exactly one of .* has 2"),
        ({"nodeName": "worker-1"}, "volume v1 belongs to node worker-1, not to worker-0"),
        ({"mode": "Tape"}, "unknown mode Tape"),
        ({"storageClass": "metalk8s"}, "StorageClass metalk8s of volume v1 not found"),
        ({"storageClass": {"parameters": {"fsType": "btrfs"}}}, "unsupported filesystem: btrfs"),
        ({"storageClass": {}}, "unsupported filesystem: None"),
        ({"storageClass": {"parameters": {"fsType": "ext4", "mkfsOptions": "-m 0"}}}, "is not JSON"),
        ({"storageClass": {"parameters": {"fsType": "ext4", "mkfsOptions": '{"m": 0}'}}}, "not a list of strings"),
        ({"storageClass": {"parameters": {"fsType": "xfs"}}}, "must have at least 300Mi for xfs"),
        ({"sparseLoopDevice": {"size": "512Ki"}}, "must have at least 1Mi for ext4"),
    ],
)
def test_refuses_a_definition_and_leaves_nothing(node, change, words):
    volume = sparse()
    volume["spec"].update(change)
    with pytest.raises(CommandExecutionError, match=words):
        node.prepare(volume)
    assert loops(node.directory) == []
    assert not list(node.directory.glob("sparse/*"))


@pytest.mark.parametrize("uid", ["", "../../etc/passwd", "6ba7b810", "6ba7b810-9dad-11d1-80b4-00c04fd430c8\n"])
def test_refuses_a_uid_that_is_none(node, uid):
    volume = sparse()
    volume["metadata"]["uid"] = uid
    with pytest.raises(CommandExecutionError, match="no usable metadata.uid"):
        node.prepare(volume)


@pytest.mark.parametrize(
    ("filesystem", "options"),
    [
        ("ext4", ["-d", "."]),
        ("ext4", ["-d."]),
        ("ext4", ["-z", "undo"]),
        ("ext4", ["-S"]),
        ("ext4", ["-n"]),
        ("ext4", ["-U", "clear"]),
        ("ext4", ["-l", "blocks"]),
        ("ext4", ["-J", "device=sdb"]),
        ("ext4", ["-E", "nodiscard,offset=4096"]),
        ("ext4", ["-O", "journal_dev"]),
        ("ext4", ["-m", "0", "data"]),
        ("ext4", ["--no-such"]),
        ("xfs", ["-f"]),
        ("xfs", ["-N"]),
        ("xfs", ["-l", "logdev=sdb"]),
        ("xfs", ["-d", "file,name=data"]),
        ("xfs", ["-p", "proto"]),
        ("xfs", ["-m", "uuid=1"]),
        ("xfs", ["-c", "options=x"]),
    ],
)
def test_refuses_an_option_of_mkfs_that_is_not_known_to_do_no_harm(node, filesystem, options):
    volume = sparse("320Mi")
    parameters = {"fsType": filesystem, "mkfsOptions": json.dumps(options)}
    volume["spec"]["storageClass"] = {"parameters": parameters}
    with pytest.raises(CommandExecutionError, match="mkfsOptions of StorageClass metalk8s may not have '-?[-a-zA-Z]"):
        node.prepare(volume)
    assert not list(node.directory.glob("sparse/*"))


@pytest.mark.parametrize(
    ("filesystem", "options"),
    [
        ("ext4", ["-m", "0"]),
        ("ext4", ["-m0.5", "-b4096", "-i", "16384", "-O", "^has_journal,metadata_csum", "-L", "logs"]),
        ("ext4", ["-E", "nodiscard,lazy_itable_init=0,stride=16,stripe-width=64", "-T", "largefile", "-e", "continue"]),
        ("ext4", ["-J", "size=4"]),
        ("xfs", ["-K", "-m", "reflink=1,crc=1", "-i", "size=512", "-s", "size=4096", "-b", "size=4k", "-n", "ftype=1"]),
        ("xfs", ["-dagcount=2,noalign", "-l", "size=64m", "-L", "logs"]),
    ],
)
def test_gives_options_to_mkfs_that_do_no_harm(node, filesystem, options):
    volume = sparse("320Mi")
    parameters = {"fsType": filesystem, "mkfsOptions": json.dumps(options)}
    volume["spec"]["storageClass"] = {"parameters": parameters}
    assert node.prepare(volume)["changed"]


@pytest.mark.parametrize("given", [None, "v1", [], {}, {"metadata": {"name": "v1"}}, {"metadata": "v1", "spec": {}}])
def test_refuses_what_is_no_volume_object(node, given):
    for function in (node.prepare, node.unprepare):
        with pytest.raises(CommandExecutionError, match="a Volume object with metadata and spec is expected"):
            function(given)


def test_takes_back_nothing_where_nothing_is(node):
    assert node.unprepare(sparse("10E"))["changed"] is False
    with pytest.raises(CommandExecutionError, match="belongs to node worker-1, not to worker-0"):
        node.unprepare(sparse(node="worker-1"))


@pytest.mark.parametrize("was_prepared", [True, False])
def test_a_run_that_comes_after_it_was_taken_back_makes_nothing(node, was_prepared):
    volume = sparse()
    if was_prepared:
        node.prepare(volume)
    node.unprepare(volume)
    with pytest.raises(CommandExecutionError, match="volume v1 was reclaimed on this node: nothing was made"):
        node.prepare(volume)
    assert not node.sparse_file(volume).exists()
    assert not node.record(volume).exists()
    assert node.prepare(sparse())["changed"], "another Volume of that name is made"


def test_a_volume_that_was_not_taken_back_can_be_prepared_again(node, mounted):
    volume = sparse()
    with mounted(node.prepare(volume)["device"]), pytest.raises(CommandExecutionError, match="is in use"):
        node.unprepare(volume)
    assert node.prepare(volume)["changed"] is False


def test_what_says_that_it_was_taken_back_goes_after_a_week(node):
    volume, later = sparse(), sparse()
    node.unprepare(volume)
    marks = pathlib.Path("/run/metalk8s-volumes/gone")
    mark = marks / volume["metadata"]["uid"]
    week = 7 * 24 * 3600
    os.utime(mark, times=(0, time.time() - week + 60))
    node.unprepare(sparse())
    assert mark.exists()
    os.utime(mark, times=(0, time.time() - week - 60))
    node.unprepare(later)
    assert not mark.exists()
    assert (marks / later["metadata"]["uid"]).exists()


def test_is_taken_back_without_its_class_and_without_a_record(node):
    volume = sparse()
    node.prepare(volume)
    # As MetalK8s' own states leave a Volume, which know no record.
    node.record(volume).unlink()
    volume["spec"]["storageClass"] = "gone"
    assert node.unprepare(volume) == {"changed": True, "uid": volume["metadata"]["uid"]}
    assert not node.sparse_file(volume).exists()
    assert loops(node.directory) == []


def test_is_not_taken_back_while_mounted(node, mounted):
    volume = sparse()
    device = node.prepare(volume)["device"]
    with mounted(device) as path:
        with pytest.raises(CommandExecutionError, match=f"{device} is in use: it is mounted at {path}"):
            node.unprepare(volume)
        assert node.prepare(volume)["changed"] is False
    assert node.unprepare(volume)["changed"]


def test_is_not_taken_back_while_mounted_in_another_namespace(node, folder):
    volume = sparse()
    device = node.prepare(volume)["device"]
    script = f"mount {device} {folder} && echo mounted && read _; umount {folder}"
    pod = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert pod.stdout.readline() == "mounted\n"
    with pytest.raises(CommandExecutionError, match="is in use: it is claimed in the kernel"):
        node.unprepare(volume)
    pod.communicate("\n")
    assert node.unprepare(volume)["changed"]


@pytest.mark.parametrize("how", ["open", "loop"])
def test_is_not_taken_back_while_a_pod_has_its_block_device(node, how):
    volume = sparse(filesystem=None)
    device = node.prepare(volume)["device"]
    if how == "loop":
        # What the kubelet does with each block volume that it maps.
        loop = run("losetup", "--find", "--show", device)
        with pytest.raises(CommandExecutionError, match=f"is in use: it is used by {loop}"):
            node.unprepare(volume)
        run("losetup", "--detach", loop)
    else:
        pod = subprocess.Popen(["sh", "-c", f"exec 3<{device}; echo; exec cat"], stdin=-1, stdout=-1)
        pod.stdout.readline()
        with pytest.raises(CommandExecutionError, match=rf"is in use: it is open in process {pod.pid} \(cat\)"):
            node.unprepare(volume)
        pod.communicate()
    assert node.sparse_file(volume).exists()
    assert node.unprepare(volume)["changed"]


def test_is_not_made_anew_in_the_place_of_a_lost_file(node):
    volume = sparse()
    node.prepare(volume)
    run("losetup", "--detach", loops(node.directory)[0])
    node.sparse_file(volume).unlink()
    with pytest.raises(CommandExecutionError, match="missing although it was prepared before"):
        node.prepare(volume)
    assert not node.sparse_file(volume).exists()
    assert node.unprepare(volume)["changed"]


def test_is_rescued_and_not_made_anew_when_its_file_was_deleted(node):
    volume = sparse()
    device = node.prepare(volume)["device"]
    node.sparse_file(volume).unlink()
    assert node.prepare(volume)["device"] == device, "it still works"
    assert node.unprepare(volume)["changed"]
    assert not pathlib.Path(f"/sys/block/{os.path.basename(device)}/loop").exists()


def test_does_not_take_a_foreign_file_for_its_own(node):
    volume = sparse()
    path = node.sparse_file(volume)
    path.parent.mkdir(parents=True)
    run("truncate", "--size=64M", path)
    run("mkfs.ext4", "-q", path)
    before = path.read_bytes()
    with pytest.raises(CommandExecutionError, match="exists and does not carry the UID of volume v1"):
        node.prepare(volume)
    assert path.read_bytes() == before


def remounted(node, folder):
    """
    Gives the storage directory a file system of its own, and returns what mounts it again
    """
    image = folder / "storage.img"
    node.directory.mkdir()
    run("truncate", "--size=128M", image)
    run("mkfs.ext4", "-q", "-F", image)

    def mount():
        run("mount", "-o", "loop", image, node.directory)

    mount()
    return mount


def test_a_directory_that_is_not_mounted_is_not_taken_for_an_empty_one(node, folder, disk):
    mount = remounted(node, folder)
    volume = sparse()
    device = node.prepare(volume)["device"]
    # A restart, after which the file system of the directory is missing.
    run("losetup", "--detach", device)
    run("umount", node.directory)
    for call in (node.unprepare, node.prepare):
        for each in (volume, sparse(name="new"), raw(disk())):
            with pytest.raises(CommandExecutionError, match=f"{node.directory} has neither records nor sparse files"):
                call(each)
    assert list(node.directory.iterdir()) == []
    mount()
    assert node.prepare(volume)["changed"]
    assert node.unprepare(volume)["changed"]
    assert node.unprepare(volume) == {"changed": False, "uid": volume["metadata"]["uid"]}


@pytest.mark.parametrize("kept", ["volumes", "sparse"])
def test_a_directory_that_is_older_than_its_witness_is_protected_from_the_next_call_on(node, folder, kept):
    remounted(node, folder)
    (node.directory / kept).mkdir()
    assert node.unprepare(sparse())["changed"] is False
    run("umount", node.directory)
    with pytest.raises(CommandExecutionError, match="has neither records nor sparse files"):
        node.unprepare(sparse())


def test_a_directory_that_is_lost_for_good_is_used_again_when_its_witness_is_removed(node):
    node.prepare(volume := sparse())
    node.unprepare(volume)
    shutil.rmtree(node.directory)
    with pytest.raises(CommandExecutionError, match="remove (.*) on the node") as refusal:
        node.prepare(sparse())
    pathlib.Path(re.search("remove (.*) on the node", str(refusal.value))[1]).unlink()
    assert node.unprepare(sparse())["changed"] is False
    assert node.prepare(sparse())["changed"]


def test_another_directory_in_the_settings_is_begun_without_the_witness_of_the_first(node):
    node.prepare(sparse())
    node.directory = node.directory.parent / "other"
    assert node.prepare(sparse())["changed"]


@pytest.mark.parametrize(("filesystem", "_"), KINDS[:2])
def test_a_full_disk_is_said_and_nothing_is_left(node, filesystem, _):
    node.directory.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", node.directory)
    with pytest.raises(CommandExecutionError, match=f"mkfs.{filesystem}.*(No space left|failed with exit code)"):
        node.prepare(sparse(size_for(filesystem), filesystem=filesystem))
    assert not list(node.directory.glob("sparse/*"))


def test_a_disk_too_full_for_the_record_is_said(node):
    node.directory.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", node.directory)
    run("dd", "if=/dev/zero", f"of={node.directory}/full", "bs=4k", "count=1")
    with pytest.raises(CommandExecutionError, match="No space left on device"):
        node.prepare(sparse())


def test_a_file_larger_than_the_file_system_allows_is_said(node):
    with pytest.raises(CommandExecutionError, match="the sparse file .* cannot be"):
        node.prepare(sparse("9000000Pi"))


def test_a_stale_link_is_not_believed(node, disk):
    volume = sparse()
    done = node.prepare(volume)
    os.unlink(done["path"])
    os.symlink(disk(), done["path"])
    assert node.device_name(done["path"])["result"] == os.path.basename(done["device"])
    assert os.path.realpath(done["path"]) == done["device"]


@pytest.mark.parametrize(
    "path", ["", None, "/dev/sda", "/dev/disk/by-uuid/../../loop0", "/dev/disk/by-id/dm-uuid-LVM-x", "/etc/passwd"]
)
def test_a_device_name_that_cannot_be_is_an_answer(node, path):
    assert node.device_name(path)["success"] is False


def test_what_is_prepared_cannot_be_changed(node):
    volume = sparse()
    node.prepare(volume)
    volume["spec"]["sparseLoopDevice"]["size"] = "128Mi"
    with pytest.raises(CommandExecutionError, match="what is prepared cannot be changed"):
        node.prepare(volume)
    assert node.unprepare(volume)["changed"], "it is taken back as it was prepared"


def test_two_volumes_of_one_name_are_told_apart_by_uid(node):
    old, new = sparse(), sparse()
    node.prepare(old)
    node.prepare(new)
    for each in (old, new):
        assert node.prepare(each)["path"].endswith(each["metadata"]["uid"])
        assert node.unprepare(each)["changed"]


@pytest.mark.parametrize("how", ["prepare", "boot"])
def test_is_attached_once_when_several_attach_it_at_once(node, folder, how):
    file = folder / f"{uuid.uuid4()}"
    run("truncate", "--size=8M", file)
    program = folder / "bin" / "losetup"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nsleep 0.5\nexec {shutil.which("losetup")} "$@"\n')
    program.chmod(0o755)
    environment = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    code = "import sys; from node import Node; Node(sys.argv[1]).functions()['metalk8s_devices.attach'](sys.argv[2])"
    runs = [in_another_process(code, str(folder), str(file), **environment) for _ in range(2 if how == "boot" else 4)]
    if how == "boot":
        script = SOURCE / "metalk8s/volumes/files/attach-sparse-volumes"
        runs += [subprocess.Popen([script, folder], env={**os.environ, **environment}) for _ in range(2)]
    for each in runs:
        assert each.wait() == 0
    assert len(loops(file)) == 1


def test_leaves_no_lock_behind(node):
    volume = sparse()
    node.prepare(volume)
    node.unprepare(volume)
    assert not list(pathlib.Path("/run/metalk8s-volumes").glob(f"*{volume['metadata']['uid']}*"))
    assert not list(pathlib.Path("/run/metalk8s-volumes").glob("device-*"))


def test_has_systemd_attach_sparse_files_at_boot(node, folder, monkeypatch):
    functions = node.functions()
    prepare = functions["metalk8s_volumes.prepare"]
    module = sys.modules[prepare.__module__]
    called = []

    def states(*arguments, **options):
        called.append((arguments, options))
        return {"a": {"result": len(called) > 1}}

    monkeypatch.setattr(module, "_SYSTEMD", str(folder))
    monkeypatch.setattr(module, "_BOOT_UNIT", str(folder / "unit"))
    functions["state.sls"] = states
    with pytest.raises(CommandExecutionError, match="run `salt worker-0 state.apply metalk8s.volumes`"):
        prepare(sparse())
    assert not list(node.directory.glob("sparse/*"))
    assert prepare(sparse())["changed"]
    assert called[-1] == (("metalk8s.volumes.boot",), {"concurrent": True})
    (folder / "unit").touch()
    prepare(sparse())
    assert len(called) == 2


def test_a_second_run_waits_or_gives_up_in_good_order(node, folder, slow):
    volume = sparse()
    (folder / "volume.json").write_text(json.dumps(volume))
    (slow / "wait").touch()
    code = (
        "import json, sys; from node import Node; "
        "print(Node(sys.argv[1]).prepare(json.load(open(sys.argv[1] + '/volume.json')))['changed'])"
    )
    first = in_another_process(code, str(folder), PATH=f"{slow}:{os.environ['PATH']}")
    while not (slow / "started").exists():
        assert first.poll() is None, first.communicate()[0]
    node.lock_seconds = 0.5
    with pytest.raises(CommandExecutionError, match="another run has been working on volume v1 for 0.5 s"):
        node.prepare(volume)
    # The job is killed, its mkfs goes on: the lock is mkfs's.
    first.kill()
    first.wait()
    with pytest.raises(CommandExecutionError, match="another run has been working on volume v1"):
        node.prepare(volume)
    (slow / "wait").unlink()
    (slow / "started").unlink()
    node.lock_seconds = 30
    assert node.prepare(volume)["changed"]
    assert run("e2fsck", "-fn", node.sparse_file(volume))
    assert not list(node.directory.glob("sparse/*.new"))
    assert not list(pathlib.Path("/run/metalk8s-volumes").glob(f"*{volume['metadata']['uid']}*"))


def test_the_unit_is_one_that_systemd_reads(folder):
    text = (SOURCE / "metalk8s/volumes/files/metalk8s-sparse-volumes.service").read_text()
    unit = folder / "metalk8s-sparse-volumes.service"
    script = SOURCE / "metalk8s/volumes/files/attach-sparse-volumes"
    text = text.replace("{{ directory }}", "/var/lib/metalk8s/storage/sparse")
    unit.write_text(text.replace("/usr/local/sbin/metalk8s-attach-sparse-volumes", str(script)))
    try:
        done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("needs systemd-analyze")
    assert str(unit.name) not in done.stderr, done.stderr
