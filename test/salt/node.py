"""
The execution modules as a minion would load them, with Salt's own loader and without a daemon; real loop devices to
try them on
"""

import pathlib
import subprocess
import uuid

import salt.config
import salt.loader

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "knative" / "salt"
CLASSES = {
    "ext4": {"parameters": {"fsType": "ext4", "mkfsOptions": '["-m", "0"]'}},
    "xfs": {"parameters": {"fsType": "xfs"}},
}


def run(*command, check=True):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise AssertionError(f"{command} failed: {done.stderr or done.stdout}")
    return done.stdout.strip()


def volume(name="v1", uid=None, filesystem="ext4", node="worker-0", **source):
    """
    A Volume object as the pillar has it; Block mode where there is no file system
    """
    spec = {"nodeName": node, "storageClassName": "metalk8s", **source}
    if filesystem:
        spec["storageClass"] = CLASSES.get(filesystem, {"parameters": {"fsType": filesystem}})
    else:
        spec["mode"] = "Block"
    return {"metadata": {"name": name, "uid": uid or str(uuid.uuid4())}, "spec": spec}


def sparse(size="64Mi", **more):
    return volume(sparseLoopDevice={"size": size}, **more)


def raw(path, **more):
    return volume(rawBlockDevice={"devicePath": str(path)}, **more)


class _Functions:
    def __init__(self, loaded):
        self._loaded = loaded

    def __getattr__(self, name):
        return self._loaded[f"metalk8s_volumes.{name}"]


class Node:
    """
    A node: `node(volume, ...)` gives the functions of metalk8s_volumes with these Volumes in the pillar
    """

    def __init__(self, folder, lock_seconds=5, **pillar):
        self.directory = pathlib.Path(folder) / "storage"
        self.lock_seconds = lock_seconds
        self.pillar = pillar

    def functions(self, *volumes):
        """
        Salt's `__salt__` on this node
        """
        opts = salt.config.minion_config(None)
        opts.update(
            id="worker-0",
            file_client="local",
            module_dirs=[str(SOURCE)],
            cachedir=str(self.directory.parent / "cache"),
            extension_modules=str(self.directory.parent / "cache" / "extmods"),
            grains={"kernel": "Linux", "id": "worker-0"},
            pillar={"metalk8s": {"volumes": {each["metadata"]["name"]: each for each in volumes}, **self.pillar}},
            metalk8s_volumes={"directory": str(self.directory), "lock_seconds": self.lock_seconds},
        )
        return salt.loader.minion_mods(opts)

    def __call__(self, *volumes):
        return _Functions(self.functions(*volumes))

    def sparse_file(self, each):
        return self.directory / "sparse" / each["metadata"]["uid"]

    def record(self, each):
        return self.directory / "volumes" / f"{each['metadata']['uid']}.json"


def loops(path):
    """
    The loop devices of a file, or of all files below a folder
    """
    rows = [
        line.split(maxsplit=1) for line in run("losetup", "--noheadings", "--output", "NAME,BACK-FILE").splitlines()
    ]
    return [row[0] for row in rows if len(row) == 2 and (row[1] == str(path) or row[1].startswith(f"{path}/"))]
