"""
For the contract suite of salt-api: functions under names that the product's account may call, which take time, fail on
demand and count how often they were started.
"""

import os
import time

from salt.exceptions import CommandExecutionError


def _starts(name):
    return os.path.join(__opts__["cachedir"], "contract", name)


def prepare(name, seconds=0):
    """
    Writes down that it was started for this name, takes so many seconds, and fails for the name "bad".
    """
    os.makedirs(os.path.dirname(_starts(name)), exist_ok=True)
    with open(_starts(name), "a", encoding="utf-8") as starts:
        starts.write(".")
    time.sleep(seconds)
    if name == "bad":
        raise CommandExecutionError("volume bad is bad")
    return {"size": "1073741824", "path": "/dev/disk/by-uuid/{}".format(name)}


def device_name(path):
    """
    How often prepare was started for this name on this minion; a failure in Salt's own form when it never was.
    """
    try:
        return {"success": True, "result": str(os.path.getsize(_starts(path)))}
    except OSError:
        return {"success": False, "result": "device `{}` not found".format(path)}
