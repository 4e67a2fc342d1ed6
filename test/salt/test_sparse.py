"""
Sparse volumes on real loop devices
"""

import json
import os
import pathlib
import subprocess

import pytest
from conftest import in_another_process
from node import SOURCE, loops, run, sparse
from salt.exceptions import CommandExecutionError

KINDS = [("ext4", "by-uuid"), ("xfs", "by-uuid"), (None, "by-partuuid")]


def size_for(filesystem):
    # mkfs.xfs makes nothing smaller than 300 MiB.
    return "320Mi" if filesystem == "xfs" else "64Mi"


@pytest.mark.parametrize(("filesystem", "names"), KINDS)
def test_is_prepared_found_and_taken_back(node, filesystem, names):
    volume = sparse(size_for(filesystem), filesystem=filesystem)
    uid = volume["metadata"]["uid"]
    done = node(volume).prepare("v1")
    path = f"/dev/disk/{names}/{uid}"
    assert done == {"changed": True, "path": path, "device": os.path.realpath(path)}
    tag = "UUID" if filesystem else "PARTUUID"
    assert run("blkid", "-c", "/dev/null", "-t", f"{tag}={uid}", "-o", "device") == done["device"]
    assert node(volume).is_prepared("v1")

    info = node(volume).device_info("v1")
    assert info == {"size": run("blockdev", "--getsize64", done["device"]), "path": path}
    assert node().device_info("v1") == info, "the node's record is enough"
    assert node().device_name(path) == {"success": True, "result": os.path.basename(done["device"])}

    assert node(volume).prepare("v1")["changed"] is False
    assert node(volume).unprepare("v1") == {"changed": True}
    assert not os.path.lexists(path)
    assert not node.sparse_file(volume).exists()
    assert not node.record(volume).exists()
    assert loops(node.directory) == []
    assert node(volume).unprepare("v1") == {"changed": False}
    assert node().device_name(path) == {"success": False, "result": f"device `{path}` not found"}


@pytest.mark.parametrize(("filesystem", "_"), KINDS)
def test_keeps_its_data_over_a_second_run_and_a_restart_of_the_node(node, mounted, filesystem, _):
    volume = sparse(size_for(filesystem), filesystem=filesystem)
    device = node(volume).prepare("v1")["device"]
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
    assert node().device_info("v1")["path"]
    assert node(volume).prepare("v1")["changed"] is False
    device = os.path.realpath(node().device_info("v1")["path"])
    if filesystem:
        with mounted(device) as path:
            assert (path / "file").read_text() == "precious"
    else:
        assert pathlib.Path(device).read_bytes()[:8] == b"precious"


def test_is_attached_again_by_prepare(node):
    volume = sparse()
    node(volume).prepare("v1")
    run("losetup", "--detach", loops(node.directory)[0])
    with pytest.raises(CommandExecutionError, match="no device of this node holds volume v1"):
        node(volume).device_info("v1")
    node(volume).prepare("v1")
    assert node(volume).is_prepared("v1")


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
    assert node().size_in_bytes(quantity) == size
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
        node().size_in_bytes(quantity)


@pytest.mark.parametrize("quantity", [0, "0", "0Gi", "0.0Gi"])
def test_refuses_a_size_of_nothing(node, quantity):
    with pytest.raises(CommandExecutionError, match="must be greater than 0"):
        node().size_in_bytes(quantity)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sparseLoopDevice": "1Gi"}, "the size None is not understood"),
        ({"sparseLoopDevice": None}, "exactly one of sparseLoopDevice, rawBlockDevice, lvmLogicalVolume, and has 0"),
        ({"rawBlockDevice": {"devicePath": "/dev/sdb"}}, "exactly one of .* has 2"),
        ({"nodeName": "worker-1"}, "volume v1 belongs to node worker-1, not to worker-0"),
        ({"mode": "Tape"}, "unknown mode Tape"),
        ({"storageClass": "metalk8s"}, "StorageClass metalk8s of volume v1 not found in pillar"),
        ({"storageClass": {"parameters": {"fsType": "btrfs"}}}, "unsupported filesystem: btrfs"),
        ({"storageClass": {}}, "unsupported filesystem: None"),
        ({"storageClass": {"parameters": {"fsType": "ext4", "mkfsOptions": "-m 0"}}}, "is not JSON"),
        ({"storageClass": {"parameters": {"fsType": "ext4", "mkfsOptions": '{"m": 0}'}}}, "not a list of strings"),
        ({"storageClass": {"parameters": {"fsType": "ext4", "mkfsOptions": '["-d", "/etc"]'}}}, "must name no path"),
        ({"storageClass": {"parameters": {"fsType": "xfs", "mkfsOptions": '["-l", "logdev=sdb"]'}}}, "path, device"),
        ({"storageClass": {"parameters": {"fsType": "ext4", "mkfsOptions": '["-U", "clear"]'}}}, "device or UUID"),
        (
            {"storageClass": {"parameters": {"fsType": "ext4", "mkfsOptions": '["--no-such"]'}}},
            "mkfs.ext4 .*exit code 1",
        ),
    ],
)
def test_refuses_a_definition_and_leaves_nothing(node, change, words):
    volume = sparse()
    volume["spec"].update(change)
    with pytest.raises(CommandExecutionError, match=words):
        node(volume).prepare("v1")
    assert loops(node.directory) == []
    assert not list(node.directory.glob("sparse/*"))


@pytest.mark.parametrize("uid", ["", "../../etc/passwd", "6ba7b810", "6ba7b810-9dad-11d1-80b4-00c04fd430c8\n"])
def test_refuses_a_uid_that_is_none(node, uid):
    volume = sparse()
    volume["metadata"]["uid"] = uid
    with pytest.raises(CommandExecutionError, match="no usable metadata.uid"):
        node(volume).prepare("v1")


def test_does_not_take_an_unreadable_pillar_for_an_absent_volume(folder):
    from node import Node

    node = Node(folder, volumes={"_errors": ["Unable to retrieve list of Volumes: 503"]})
    for function in ("prepare", "unprepare", "device_info"):
        with pytest.raises(CommandExecutionError, match="Unable to retrieve list of Volumes: 503"):
            getattr(node(), function)("v1")


def test_does_not_say_that_an_unknown_volume_was_taken_back(node):
    for function in ("prepare", "unprepare", "device_info"):
        with pytest.raises(CommandExecutionError, match="volume v1 not found in pillar, and this node has no record"):
            getattr(node(), function)("v1")


def test_is_taken_back_without_its_class_and_without_a_record(node):
    volume = sparse()
    node(volume).prepare("v1")
    # As MetalK8s' own states leave a Volume, which know no record.
    node.record(volume).unlink()
    volume["spec"]["storageClass"] = "gone"
    assert node(volume).unprepare("v1") == {"changed": True}
    assert not node.sparse_file(volume).exists()
    assert loops(node.directory) == []


def test_is_not_taken_back_while_mounted(node, mounted):
    volume = sparse()
    device = node(volume).prepare("v1")["device"]
    with mounted(device) as path:
        with pytest.raises(CommandExecutionError, match=f"{device} is in use: it is mounted at {path}"):
            node(volume).unprepare("v1")
        assert node(volume).is_prepared("v1")
    assert node(volume).unprepare("v1")["changed"]


def test_is_not_taken_back_while_mounted_in_another_namespace(node, folder):
    volume = sparse()
    device = node(volume).prepare("v1")["device"]
    script = f"mount {device} {folder} && echo mounted && read _; umount {folder}"
    pod = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert pod.stdout.readline() == "mounted\n"
    with pytest.raises(CommandExecutionError, match="is in use: it is claimed in the kernel"):
        node(volume).unprepare("v1")
    pod.communicate("\n")
    assert node(volume).unprepare("v1")["changed"]


@pytest.mark.parametrize("how", ["open", "loop"])
def test_is_not_taken_back_while_a_pod_has_its_block_device(node, how):
    volume = sparse(filesystem=None)
    device = node(volume).prepare("v1")["device"]
    if how == "loop":
        # What the kubelet does with each block volume that it maps.
        loop = run("losetup", "--find", "--show", device)
        with pytest.raises(CommandExecutionError, match=f"is in use: it is used by {loop}"):
            node(volume).unprepare("v1")
        run("losetup", "--detach", loop)
    else:
        pod = subprocess.Popen(["sh", "-c", f"exec 3<{device}; echo; exec cat"], stdin=-1, stdout=-1)
        pod.stdout.readline()
        with pytest.raises(CommandExecutionError, match=rf"is in use: it is open in process {pod.pid} \(cat\)"):
            node(volume).unprepare("v1")
        pod.communicate()
    assert node.sparse_file(volume).exists()
    assert node(volume).unprepare("v1")["changed"]


def test_is_not_made_anew_in_the_place_of_a_lost_file(node):
    volume = sparse()
    node(volume).prepare("v1")
    run("losetup", "--detach", loops(node.directory)[0])
    node.sparse_file(volume).unlink()
    with pytest.raises(CommandExecutionError, match="missing although it was prepared before"):
        node(volume).prepare("v1")
    assert not node.sparse_file(volume).exists()
    assert node(volume).unprepare("v1")["changed"]


def test_is_rescued_and_not_made_anew_when_its_file_was_deleted(node):
    volume = sparse()
    device = node(volume).prepare("v1")["device"]
    node.sparse_file(volume).unlink()
    assert node(volume).prepare("v1")["device"] == device, "it still works"
    assert node(volume).unprepare("v1")["changed"]
    assert not pathlib.Path(f"/sys/block/{os.path.basename(device)}/loop").exists()


def test_does_not_take_a_foreign_file_for_its_own(node):
    volume = sparse()
    path = node.sparse_file(volume)
    path.parent.mkdir(parents=True)
    run("truncate", "--size=64M", path)
    run("mkfs.ext4", "-q", path)
    before = path.read_bytes()
    with pytest.raises(CommandExecutionError, match="exists and does not carry the UID of volume v1"):
        node(volume).prepare("v1")
    assert path.read_bytes() == before


@pytest.mark.parametrize(("filesystem", "_"), KINDS[:2])
def test_a_full_disk_is_said_and_nothing_is_left(node, filesystem, _):
    node.directory.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", node.directory)
    with pytest.raises(CommandExecutionError, match=f"mkfs.{filesystem}.*(No space left|failed with exit code)"):
        node(sparse(size_for(filesystem), filesystem=filesystem)).prepare("v1")
    assert not list(node.directory.glob("sparse/*"))


def test_a_disk_too_full_for_the_record_is_said(node):
    node.directory.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", node.directory)
    run("dd", "if=/dev/zero", f"of={node.directory}/full", "bs=4k", "count=1")
    with pytest.raises(CommandExecutionError, match="No space left on device"):
        node(sparse()).prepare("v1")


def test_a_file_larger_than_the_file_system_allows_is_said(node):
    with pytest.raises(CommandExecutionError, match="the sparse file .* cannot be"):
        node(sparse("9000000Pi")).prepare("v1")


def test_a_stale_link_is_not_believed(node, disk):
    volume = sparse()
    done = node(volume).prepare("v1")
    os.unlink(done["path"])
    os.symlink(disk(), done["path"])
    assert node().device_name(done["path"])["success"] is False
    assert not node(volume).is_prepared("v1")
    assert node(volume).device_info("v1")["path"] == done["path"]
    assert os.path.realpath(done["path"]) == done["device"]


@pytest.mark.parametrize(
    "path", ["", None, "/dev/sda", "/dev/disk/by-uuid/../../loop0", "/dev/disk/by-id/dm-uuid-LVM-x", "/etc/passwd"]
)
def test_a_device_name_that_cannot_be_is_an_answer(node, path):
    assert node().device_name(path)["success"] is False


def test_what_is_prepared_cannot_be_changed(node):
    volume = sparse()
    node(volume).prepare("v1")
    volume["spec"]["sparseLoopDevice"]["size"] = "128Mi"
    with pytest.raises(CommandExecutionError, match="what is prepared cannot be changed"):
        node(volume).prepare("v1")
    assert node(volume).unprepare("v1")["changed"], "it is taken back as it was prepared"


def test_two_volumes_of_one_name_are_told_apart_by_uid(node):
    old, new = sparse(), sparse()
    node(old).prepare("v1")
    node(new).prepare("v1")
    with pytest.raises(CommandExecutionError, match="records of several volumes called v1"):
        node().device_info("v1")
    for each in (old, new):
        uid = each["metadata"]["uid"]
        assert node().device_info("v1", uid=uid)["path"].endswith(uid)
        assert node().unprepare("v1", uid=uid)["changed"]


def test_a_second_run_waits_or_gives_up_in_good_order(node, folder, slow):
    volume = sparse()
    (folder / "volume.json").write_text(json.dumps(volume))
    (slow / "wait").touch()
    code = (
        "import json, sys; from node import Node; "
        "print(Node(sys.argv[1])(json.load(open(sys.argv[1] + '/volume.json'))).prepare('v1')['changed'])"
    )
    first = in_another_process(code, str(folder), PATH=f"{slow}:{os.environ['PATH']}")
    while not (slow / "started").exists():
        assert first.poll() is None, first.communicate()[0]
    node.lock_seconds = 0.5
    with pytest.raises(CommandExecutionError, match="another run has been working on volume v1 for 0.5 s"):
        node(volume).prepare("v1")
    # The job is killed, its mkfs goes on: the lock is mkfs's.
    first.kill()
    first.wait()
    with pytest.raises(CommandExecutionError, match="another run has been working on volume v1"):
        node(volume).prepare("v1")
    (slow / "wait").unlink()
    (slow / "started").unlink()
    node.lock_seconds = 30
    assert node(volume).prepare("v1")["changed"]
    assert run("e2fsck", "-fn", node.sparse_file(volume))
    assert not list(node.directory.glob("sparse/*.new"))


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
