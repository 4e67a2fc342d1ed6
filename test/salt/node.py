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
    A Volume object as it is given to Salt; Block mode where there is no file system
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


class Node:
    """
    A node, with what its minion does for Volume objects
    """

    def __init__(self, folder, lock_seconds=5):
        self.directory = pathlib.Path(folder) / "storage"
        self.lock_seconds = lock_seconds

    def functions(self):
        """
        Salt's `__salt__` on this node
        """
        opts = salt.config.minion_config(None)
        opts.update(
            id="worker-0",
            conf_file=str(self.directory.parent / "minion"),
            file_client="local",
            module_dirs=[str(SOURCE)],
            cachedir=str(self.directory.parent / "cache"),
            extension_modules=str(self.directory.parent / "cache" / "extmods"),
            grains={"kernel": "Linux", "id": "worker-0"},
            metalk8s_volumes={"directory": str(self.directory), "lock_seconds": self.lock_seconds},
        )
        return salt.loader.minion_mods(opts)

    def call(self, function, *arguments):
        return self.functions()[f"metalk8s_volumes.{function}"](*arguments)

    def prepare(self, volume):
        return self.call("prepare", volume)

    def unprepare(self, volume):
        return self.call("unprepare", volume)

    def device_name(self, path):
        return self.call("device_name", path)

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
