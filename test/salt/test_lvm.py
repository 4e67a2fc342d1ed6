"""
Logical volumes, where the kernel has a device mapper
"""

import pathlib
import shutil
import subprocess
import uuid

import pytest
from node import raw, run, volume
from salt.exceptions import CommandExecutionError


def mapper():
    if not shutil.which("lvcreate") or not shutil.which("dmsetup"):
        return False
    return subprocess.run(["dmsetup", "version"], capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not mapper(), reason="needs LVM, and a kernel with a device mapper")


@pytest.fixture
def group(disk):
    name = f"hf{uuid.uuid4().hex[:8]}"
    device = disk("640M")
    run("vgcreate", name, device)
    yield name
    run("vgremove", "--force", "--yes", name)


def logical(group, size="64Mi", **more):
    return volume(lvmLogicalVolume={"vgName": group, "size": size}, **more)


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", None])
def test_a_logical_volume_is_made_found_and_left(node, group, filesystem):
    each = logical(group, "320Mi", filesystem=filesystem)
    done = node.prepare(each)
    uuids = run("lvs", "--noheadings", "--options", "vg_uuid,lv_uuid", f"{group}/v1").replace("-", "").split()
    names = f"by-uuid/{each['metadata']['uid']}" if filesystem else f"by-id/dm-uuid-LVM-{''.join(uuids)}"
    assert done["path"] == f"/dev/disk/{names}"
    assert done["size"] == str(320 * 2**20)
    assert node.device_name(done["path"])["success"]
    assert node.prepare(each)["changed"] is False
    node.unprepare(each)
    assert run("lvs", "--noheadings", f"{group}/v1")


def test_a_logical_volume_of_another_is_refused(node, group):
    run("lvcreate", "--name", "v1", "--size", "64M", group)
    with pytest.raises(CommandExecutionError, match="exists and is not tagged as volume v1's: nothing was written"):
        node.prepare(logical(group))


def test_a_raw_volume_can_be_a_logical_volume(node, group):
    run("lvcreate", "--name", "data", "--size", "64M", group)
    each = raw(f"/dev/{group}/data", filesystem=None)
    assert node.prepare(each)["path"].startswith("/dev/disk/by-id/dm-uuid-LVM-")
    assert node.prepare(each)["changed"] is False
    with pytest.raises(CommandExecutionError, match="belongs to volume v1"):
        node.prepare(raw(f"/dev/{group}/data", name="v2", filesystem=None))


def test_an_old_signature_needs_the_annotation(node, group):
    run("lvcreate", "--name", "old", "--size", "64M", group)
    run("mkfs.ext4", "-q", f"/dev/{group}/old")
    run("lvremove", "--yes", f"{group}/old")
    each = logical(group)
    with pytest.raises(CommandExecutionError, match="metalk8s.scality.com/force-lvcreate"):
        node.prepare(each)
    each["metadata"]["annotations"] = {"metalk8s.scality.com/force-lvcreate": "true"}
    assert node.prepare(each)["changed"]


def test_a_group_that_is_absent_is_said(node):
    with pytest.raises(CommandExecutionError, match="lvs .* failed"):
        node.prepare(logical("no-such-group"))
    assert not pathlib.Path("/dev/no-such-group").exists()
