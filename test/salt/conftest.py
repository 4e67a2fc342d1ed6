"""
Fixtures: a node's modules, disks made of loop devices, and one real Salt for the whole session
"""

import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

import pytest

pytest.importorskip("salt", reason="Salt is not installed")

from node import Node, loops, run

TOOLS = ["losetup", "blkid", "partx", "mkfs.ext4", "mkfs.xfs", "sgdisk"]


def pytest_collection_modifyitems(items):
    why = None
    if os.geteuid() != 0:
        why = "needs root, for loop devices"
    elif missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        why = f"needs {', '.join(missing)}"
    elif not os.path.exists("/dev/loop-control"):
        why = "needs loop devices, which this kernel or container does not offer"
    for item in items if why else []:
        item.add_marker(pytest.mark.skip(reason=why))


def cleaned(folder):
    """
    Leaves nothing of a test behind: what is mounted, attached or linked from below its folder
    """
    for line in reversed(pathlib.Path("/proc/self/mountinfo").read_text().splitlines()):
        target = line.split()[4]
        if target.startswith(f"{folder}/"):
            run("umount", target, check=False)
    for loop in loops(folder):
        run("partx", "--delete", loop, check=False)
        run("losetup", "--detach", loop, check=False)
    for link in pathlib.Path("/dev/disk").glob("by-*/*"):
        loop = re.fullmatch(r"/dev/(loop\d+)(p\d+)?", os.path.realpath(link))
        if loop and not pathlib.Path(f"/sys/block/{loop[1]}/loop").exists():
            link.unlink(missing_ok=True)


@pytest.fixture
def folder():
    # Not pytest's tmp_path, whose long names do not fit into /sys/block/*/loop/backing_file.
    path = tempfile.mkdtemp(prefix="hf-salt-")
    yield pathlib.Path(path)
    cleaned(path)
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def node(folder):
    return Node(folder)


@pytest.fixture
def disk(folder):
    """
    Makes disks: `disk()` attaches a blank file to a loop device
    """

    def make(size="64M", name="disk"):
        path = folder / name
        if not path.exists():
            run("truncate", "--size", size, path)
        return run("losetup", "--find", "--show", path)

    return make


@pytest.fixture
def mounted(folder):
    """
    Mounts a device: `with mounted(device) as path`
    """

    @contextlib.contextmanager
    def mount(device):
        path = folder / "mnt"
        path.mkdir(exist_ok=True)
        run("mount", device, path)
        try:
            yield path
        finally:
            run("umount", path)

    return mount


def free_port():
    # Three in a row are taken; the first must be free, and hardly anybody takes the others in between.
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


@pytest.fixture(scope="session")
def slow(tmp_path_factory):
    """
    A folder for PATH whose mkfs.ext4 waits while a file called `wait` is in it
    """
    path = tmp_path_factory.mktemp("bin")
    real = shutil.which("mkfs.ext4")
    script = path / "mkfs.ext4"
    script.write_text(
        f"#!/bin/sh\n[ -e {path}/wait ] && : > {path}/started\n"
        f'while [ -e {path}/wait ]; do sleep 0.1; done\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    return path


@pytest.fixture(scope="session")
def lab(slow):
    """
    A running Salt, and the CloudEvents that it has sent
    """
    from broker import Broker
    from lab import Lab

    path = tempfile.mkdtemp(prefix="hf-lab-")
    with Broker() as broker:
        salt = Lab(path, free_port(), broker=broker.url, path=f"{slow}:{os.environ['PATH']}")
        salt.up()
        salt.broker = broker
        try:
            yield salt
        finally:
            salt.down()
            cleaned(path)
            shutil.rmtree(path, ignore_errors=True)


def in_another_process(code, *arguments, **environment):
    """
    Starts Python code in a process of its own, which can be killed
    """
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
