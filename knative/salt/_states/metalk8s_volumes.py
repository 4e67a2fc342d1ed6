"""
States of the storage of MetalK8s Volumes on the node

.. code-block:: yaml

    prepared:
      metalk8s_volumes.prepared:
        - name: my-volume
"""

from salt.exceptions import CommandExecutionError

__virtualname__ = "metalk8s_volumes"


def __virtual__():
    if "metalk8s_volumes.prepare" not in __salt__:
        return False, "the execution module metalk8s_volumes is missing: run saltutil.sync_modules"
    return __virtualname__


def prepared(name):
    """
    The storage of a Volume is ready, and its persistent path leads to it

    name
        The Volume's name. Its definition is in pillar ``metalk8s:volumes:<name>``.
    """
    ret = {"name": name, "changes": {}, "result": True, "comment": f"Storage for volume {name} is already prepared."}
    try:
        if __opts__["test"]:
            if not __salt__["metalk8s_volumes.is_prepared"](name):
                ret.update(result=None, comment=f"Storage for volume {name} would be prepared.")
            return ret
        done = __salt__["metalk8s_volumes.prepare"](name)
    except CommandExecutionError as error:
        ret.update(result=False, comment=str(error))
        return ret
    if done["changed"]:
        ret.update(changes={name: f"prepared at {done['path']}"}, comment=f"Storage for volume {name} prepared.")
    return ret


def unprepared(name):
    """
    The storage of a Volume is taken back: a sparse file is removed, a disk or logical volume is left as it is

    name
        The Volume's name, with its definition in the pillar, or a record of it on the node
    """
    ret = {"name": name, "changes": {}, "result": True, "comment": f"Storage for volume {name} is already taken back."}
    try:
        if __opts__["test"]:
            ret.update(result=None, comment=f"Storage for volume {name} would be taken back.")
            return ret
        done = __salt__["metalk8s_volumes.unprepare"](name)
    except CommandExecutionError as error:
        ret.update(result=False, comment=str(error))
        return ret
    if done["changed"]:
        ret.update(changes={name: "taken back"}, comment=f"Storage for volume {name} taken back.")
    return ret
