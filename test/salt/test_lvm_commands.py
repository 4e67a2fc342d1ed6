"""
Logical volumes without a device mapper: what is decided by LVM's own words. `lvs` and `lvcreate` say here what those of
LVM 2.03.16 have said, word for word; where LVM is installed, it is asked again, for its metadata needs no device mapper
"""

import os
import pathlib
import shutil
import stat
import uuid

import pytest
from node import run, volume
from salt.exceptions import CommandExecutionError

UID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
ABSENT = '  Volume group "{group}" not found\n  Cannot process volume group {group}\n'
FULL = '  Volume group "{group}" has insufficient free space (14 extents): 16 required.\n'
# Columns are padded to the widest.
OTHERS = f"  plain {' ' * 45}\n"
OWN = f"  v1    metalk8s.{UID}\n"
OWN_AMONG_TAGS = f"  plain {' ' * 53}\n  v1    backup,metalk8s.{UID},z\n"


def listed(tags):
    return f"  plain {' ' * len(tags)}\n  v1    {tags}\n"


@pytest.fixture
def group(disk):
    """
    The name of a volume group, and a blank device in the place of its logical volume v1
    """
    name = f"hf{uuid.uuid4().hex[:8]}"
    folder = pathlib.Path("/dev", name)
    folder.mkdir()
    (folder / "v1").symlink_to(disk())
    yield name
    shutil.rmtree(folder)


@pytest.fixture
def lvm(folder, monkeypatch):
    """
    `lvm("lvs", ...)` has a program say that; `lvm.called` is what was called, with its arguments
    """
    path = folder / "bin"
    path.mkdir()
    monkeypatch.setenv("PATH", f"{path}:{os.environ['PATH']}")

    def say(program, stdout="", stderr="", code=0):
        for name, text in (("out", stdout), ("err", stderr)):
            (path / f"{program}.{name}").write_text(text)
        script = path / program
        script.write_text(
            f'#!/bin/sh\necho "$(basename $0) $*" >> {path}/called\ncat {path}/{program}.out\n'
            f"cat {path}/{program}.err >&2\nexit {code}\n"
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)

    say("lvcreate")
    say.called = lambda: (path / "called").read_text().splitlines()
    return say


def logical(group, **more):
    return volume(uid=UID, lvmLogicalVolume={"vgName": group, "size": "64Mi"}, **more)


def creation(group, *more):
    tail = " ".join([*more, group])
    return f"lvcreate --name v1 --size 67108864b --addtag metalk8s.{UID} --wipesignatures y {tail}"


def test_one_is_created_with_its_tag_and_formatted(node, group, lvm):
    lvm("lvs", OTHERS)
    each = logical(group)
    assert node.prepare(each)["path"] == f"/dev/disk/by-uuid/{UID}"
    assert lvm.called() == [f"lvs --noheadings --options lv_name,lv_tags {group}", creation(group)]
    assert run("blkid", "-p", "-s", "UUID", "-o", "value", f"/dev/{group}/v1") == UID


@pytest.mark.parametrize("rows", [OTHERS + OWN, OWN_AMONG_TAGS])
def test_its_own_is_not_created_again(node, group, lvm, rows):
    lvm("lvs", rows)
    assert node.prepare(logical(group))["changed"]
    assert lvm.called() == [f"lvs --noheadings --options lv_name,lv_tags {group}"]


@pytest.mark.parametrize("tags", ["", "backup", f"metalk8s.{uuid.uuid4()}", f"metalk8s.{UID}0", f"old.metalk8s.{UID}"])
def test_one_of_that_name_that_is_not_its_own_is_refused(node, group, lvm, tags):
    lvm("lvs", listed(tags))
    with pytest.raises(CommandExecutionError, match="is not tagged as volume v1's: nothing was written"):
        node.prepare(logical(group))
    assert not any(call.startswith("lvcreate") for call in lvm.called())
    assert run("blkid", "-p", f"/dev/{group}/v1", check=False) == ""


def test_a_group_that_is_absent_is_said_in_lvms_words(node, group, lvm):
    lvm("lvs", stderr=ABSENT.format(group=group), code=5)
    with pytest.raises(CommandExecutionError, match=f'`lvs .*` failed with exit code 5: Volume group "{group}" not'):
        node.prepare(logical(group))


def test_a_full_group_is_said_in_lvms_words(node, group, lvm):
    lvm("lvs", OTHERS)
    lvm("lvcreate", stderr=FULL.format(group=group), code=5)
    with pytest.raises(CommandExecutionError, match="insufficient free space"):
        node.prepare(logical(group))


def test_the_annotation_has_an_old_signature_wiped(node, group, lvm):
    lvm("lvs", OTHERS)
    each = logical(group)
    each["metadata"]["annotations"] = {"metalk8s.scality.com/force-lvcreate": ""}
    node.prepare(each)
    assert lvm.called()[1] == creation(group, "--yes")


def test_a_node_without_lvm_says_so(node, group, folder, monkeypatch):
    (folder / "blkid").symlink_to(shutil.which("blkid"))
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(CommandExecutionError, match="lvs is not installed on this node: install it and try again"):
        node.prepare(logical(group))


def test_one_whose_device_does_not_come_is_said(node, lvm):
    lvm("lvs", OTHERS)
    with pytest.raises(CommandExecutionError, match="/dev/hf-none/v1"):
        node.prepare(logical("hf-none"))


@pytest.mark.skipif(not shutil.which("lvcreate"), reason="needs LVM")
def test_lvm_says_what_is_written_here(disk, monkeypatch):
    # Not a device of this machine but the one of the test, and nothing of the kernel's device mapper.
    device = disk("128M")
    monkeypatch.setenv("LVM_SUPPRESS_FD_WARNINGS", "1")
    config = f'devices {{ filter=["a|^{device}$|", "r|.*|"] use_devicesfile=0 }} backup {{ backup=0 archive=0 }}'
    lone = ["--driverloaded", "n", "--config", config]
    name = f"hf{uuid.uuid4().hex[:8]}"
    rows = ["lvs", *lone, "--noheadings", "--options", "lv_name,lv_tags"]
    run("vgcreate", *lone, name, device)
    try:
        run("lvcreate", *lone, "--name", "plain", "--size", "4M", name)
        assert run(*rows, name) == "plain"
        command, *arguments = creation(name).split()
        run(command, *lone, *arguments)
        found = [line.split() for line in run(*rows, name).splitlines()]
        assert found == [line.split() for line in (OTHERS + OWN).splitlines()]
        run("lvchange", *lone, "--addtag", "z", "--addtag", "backup", f"{name}/v1")
        assert run(*rows, name).splitlines()[1].split() == OWN_AMONG_TAGS.splitlines()[1].split()
        with pytest.raises(AssertionError, match="insufficient free space"):
            run("lvcreate", *lone, "--name", "v2", "--size", "67108864b", name)
    finally:
        run("vgremove", *lone, "--force", "--force", "--yes", name)
    with pytest.raises(AssertionError) as absent:
        run(*rows, name)
    assert ABSENT.format(group=name).strip() in str(absent.value)
