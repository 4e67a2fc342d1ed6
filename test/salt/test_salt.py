"""
Volumes through salt-api on a real Salt, with the account, the rights and the reactor that are shipped
"""

import itertools
import json
import os
import re
import signal
import time

import pytest
import yaml
from node import loops, raw, run, sparse

CONFLICT = r'^The function "state\.sls" is running as PID \d+ and was started at .* with jid \d{20}$'
numbers = itertools.count(1)


def jid():
    return f"{time.strftime('%Y%m%d%H%M%S', time.gmtime())}{next(numbers):06d}"


def until(what, ready, seconds=60):
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.1)


class Client:
    """
    Holdfast's account, as a function of Holdfast calls salt-api
    """

    def __init__(self, lab):
        self.lab, self.token = lab, lab.login()
        assert self.token

    def post(self, call):
        return self.lab.request("/", call, self.token)

    def start(self, fun, job=None, **more):
        job = job or jid()
        status, answer = self.post({"client": "local_async", "tgt": "worker-0", "fun": fun, "jid": job, **more})
        assert (status, answer) == (200, {"return": [{"jid": job, "minions": ["worker-0"]}]})
        return job

    def result(self, job):
        status, answer = self.lab.request(f"/jobs/{job}", token=self.token)
        assert status == 200
        return answer["info"][0]["Result"].get("worker-0")

    def wait(self, job, seconds=60):
        until(f"job {job} has a result", lambda: self.result(job) is not None, seconds)
        return self.result(job)

    def state(self, mods, volume, job=None, **more):
        name = volume["metadata"]["name"]
        pillar = {"volume": name, "metalk8s": {"volumes": {name: volume}}}
        return self.start("state.sls", job, kwarg={"mods": mods, "pillar": pillar, **more}, metadata={"volume": name})

    def prepare(self, volume):
        return self.wait(self.state("metalk8s.volumes", volume))

    def unprepare(self, volume):
        return self.wait(self.state("metalk8s.volumes.unprepared", volume))

    def find_job(self, job):
        call = {"client": "local", "tgt": "worker-0", "fun": "saltutil.find_job", "arg": [job]}
        return self.post(call)[1]["return"][0]["worker-0"]


@pytest.fixture(scope="module")
def client(lab):
    return Client(lab)


@pytest.fixture
def files(lab):
    """
    The files of sparse volumes on the node
    """
    folder = lab.folder / "storage" / "worker-0" / "sparse"
    return lambda: sorted(path.name for path in folder.glob("*"))


def only(result):
    """
    The one state of a job's result
    """
    assert len(result["return"]) == 1
    return next(iter(result["return"].values()))


@pytest.mark.parametrize(
    ("filesystem", "size", "names"),
    [("ext4", "64Mi", "by-uuid"), ("xfs", "320Mi", "by-uuid"), (None, "64Mi", "by-partuuid")],
)
def test_a_sparse_volume_from_its_preparation_to_its_end(lab, client, files, filesystem, size, names):
    volume = sparse(size, filesystem=filesystem)
    uid = volume["metadata"]["uid"]
    job = client.state("metalk8s.volumes", volume)
    result = client.wait(job)
    assert (result["retcode"], result["success"]) == (0, True)
    assert only(result)["comment"] == "Storage for volume v1 prepared."

    headers, body = lab.broker.event(f"{job}-worker-0")
    assert {name: value for name, value in headers.items() if name.startswith("ce-") and name != "ce-time"} == {
        "ce-specversion": "1.0",
        "ce-type": "dev.holdfast.salt.job-returned",
        "ce-source": "/salt/master",
        "ce-id": f"{job}-worker-0",
        "ce-apiversion": "storage.metalk8s.scality.com/v1alpha1",
        "ce-kind": "Volume",
        "ce-name": "v1",
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", headers["ce-time"])
    assert headers["content-type"] == "application/json"
    assert json.loads(body) == {
        "jid": job,
        "minion": "worker-0",
        "fun": "state.sls",
        "retcode": 0,
        "metadata": {"volume": "v1"},
    }

    job = client.start("metalk8s_volumes.device_info", arg=["v1"])
    info = client.wait(job)
    path = f"/dev/disk/{names}/{uid}"
    assert info["return"] == {"size": run("blockdev", "--getsize64", path), "path": path}
    assert lab.broker.event(f"{job}-worker-0")[0]["ce-name"] == "v1"
    call = {"client": "local", "tgt": "worker-0", "fun": "metalk8s_volumes.device_name", "arg": [path]}
    name = client.post(call)[1]["return"][0]["worker-0"]
    assert name == {"success": True, "result": os.path.basename(os.path.realpath(path))}

    assert only(client.prepare(volume))["changes"] == {}
    assert only(client.unprepare(volume))["comment"] == "Storage for volume v1 taken back."
    assert only(client.unprepare(volume))["comment"] == "Storage for volume v1 is already taken back."
    assert not os.path.lexists(path)
    assert files() == []
    assert loops(lab.folder) == []


def test_a_raw_volume_and_foreign_data(client, disk):
    device = disk()
    volume = raw(device, name="raw1")
    assert client.prepare(volume)["success"]
    path = client.wait(client.start("metalk8s_volumes.device_info", arg=["raw1"]))["return"]["path"]
    assert os.path.realpath(path) == device
    assert client.unprepare(volume)["success"]
    result = client.prepare(raw(device, name="raw2"))
    assert (result["retcode"], result["success"]) == (2, False)
    uid = volume["metadata"]["uid"]
    assert only(result)["comment"].startswith(
        f"{device} already holds ext4 with the UUID {uid}: nothing was written to it."
    )


def test_test_mode_changes_nothing(client, files):
    volume = sparse(name="dry")
    result = client.wait(client.state("metalk8s.volumes", volume, test=True))
    assert only(result)["comment"] == "Storage for volume dry would be prepared."
    assert files() == []


def test_the_same_job_twice_and_a_second_one_at_once(lab, client, files, slow):
    volume = sparse(name="twice")
    (slow / "wait").touch()
    job = client.state("metalk8s.volumes", volume)
    until("mkfs runs", (slow / "started").exists)
    assert client.state("metalk8s.volumes", volume, job) == job
    conflict = client.wait(client.state("metalk8s.volumes", volume))
    assert conflict["retcode"] == 1
    assert len(conflict["return"]) == 1
    assert re.match(CONFLICT, conflict["return"][0])
    (slow / "wait").unlink()
    (slow / "started").unlink()
    assert only(client.wait(job))["comment"] == "Storage for volume twice prepared."
    assert files() == [volume["metadata"]["uid"]]
    assert len(loops(lab.folder)) == 1
    assert client.unprepare(volume)["success"]


def test_a_job_that_is_killed_in_the_middle_is_run_again(lab, client, files, slow):
    volume = sparse(name="killed")
    uid = volume["metadata"]["uid"]
    (slow / "wait").touch()
    job = client.state("metalk8s.volumes", volume)
    until("mkfs runs", (slow / "started").exists)
    os.kill(client.find_job(job)["pid"], signal.SIGKILL)
    until("the job has gone", lambda: not client.find_job(job))
    assert client.result(job) is None
    # Its mkfs lives on and holds the lock; the next run waits for it.
    again = client.state("metalk8s.volumes", volume)
    time.sleep(1)
    assert client.result(again) is None
    assert files() == [f"{uid}.new"]
    (slow / "wait").unlink()
    (slow / "started").unlink()
    assert only(client.wait(again))["comment"] == "Storage for volume killed prepared."
    assert files() == [uid]
    run("e2fsck", "-fn", f"/dev/disk/by-uuid/{uid}")
    assert client.unprepare(volume)["success"]


def test_a_minion_that_is_killed_in_the_middle_runs_the_same_job_again(lab, client, files, slow):
    volume = sparse(name="restarted")
    (slow / "wait").touch()
    job = client.state("metalk8s.volumes", volume)
    until("mkfs runs", (slow / "started").exists)
    lab.stop("worker-0", signal.SIGKILL)

    def back():
        # One that is started at once after a kill was seen to end again: a supervisor would start it until it stays.
        lab.start("worker-0")
        return lab.minions_answer()

    (slow / "wait").unlink()
    (slow / "started").unlink()
    until("the minion is back", back)
    assert client.result(job) is None
    client.state("metalk8s.volumes", volume, job)
    assert only(client.wait(job))["comment"] == "Storage for volume restarted prepared."
    assert files() == [volume["metadata"]["uid"]]
    assert client.unprepare(volume)["success"]


def test_the_calls_of_the_document_with_the_definition_in_the_minions_pillar(lab, client):
    volume = sparse(name="known")
    top = lab.folder / "pillar" / "top.sls"
    top.write_text(yaml.safe_dump({"base": {"*": ["volumes"]}}))
    (lab.folder / "pillar" / "volumes.sls").write_text(yaml.safe_dump({"metalk8s": {"volumes": {"known": volume}}}))
    try:
        for mods in ("metalk8s.volumes", "metalk8s.volumes.unprepared"):
            job = client.start("state.sls", kwarg={"mods": mods, "pillar": {"volume": "known"}})
            assert client.wait(job)["success"]
            assert lab.broker.event(f"{job}-worker-0")[0]["ce-name"] == "known", "the name is found without metadata"
    finally:
        top.unlink()


def test_an_environment_that_is_absent_is_a_failure_with_its_text(lab, client):
    volume = sparse(name="nowhere")
    job = client.state("metalk8s.volumes", volume, saltenv="metalk8s-9")
    result = client.wait(job)
    assert (result["retcode"], result["success"]) == (1, False)
    assert "No matching sls found for 'metalk8s.volumes' in env 'metalk8s-9'" in result["return"]
    assert json.loads(lab.broker.event(f"{job}-worker-0")[1])["retcode"] == 1


def test_a_volume_must_be_named_to_be_taken_back(client):
    result = client.wait(client.start("state.sls", kwarg={"mods": "metalk8s.volumes.unprepared"}))
    assert result["success"] is False
    assert only(result)["comment"] == "Name the Volume to take back in the pillar, as `volume`."


def test_a_name_cannot_smuggle_states_or_headers_in(lab, client, folder):
    target = folder / "smuggled"
    name = f'x"\n  file.touch:\n    - name: {target}\nevil: {{}}\r\nce-name: other'
    job = client.start("state.sls", kwarg={"mods": "metalk8s.volumes", "pillar": {"volume": name}})
    result = client.wait(job)
    assert result["success"] is False
    assert "is not a Volume's name" in only(result)["comment"]
    assert not target.exists()
    # An event after it has come: this one has not.
    later = client.start("metalk8s_volumes.device_info", arg=["absent"])
    lab.broker.event(f"{later}-worker-0")
    assert not [event for event in lab.broker.events if event[0]["ce-id"].startswith(job)]


def test_an_unknown_volume_has_no_device(client):
    result = client.wait(client.start("metalk8s_volumes.device_info", arg=["absent"]))
    assert result["retcode"] == 1
    assert result["return"] == "ERROR: volume absent not found in pillar, and this node has no record of it"


@pytest.mark.parametrize(
    "call",
    [
        {"client": "local", "fun": "cmd.run", "arg": ["id"]},
        {"client": "local_async", "fun": "cmd.run", "arg": ["id"]},
        {"client": "local", "fun": "test.ping"},
        {"client": "local", "fun": "saltutil.kill_job", "arg": ["20261121060000000001"]},
        {"client": "local", "fun": "metalk8s_volumes.unprepare", "arg": ["v1"]},
        {"client": "local", "fun": "metalk8s_devices.detach", "arg": ["/dev/loop0"]},
        {"client": "local", "fun": "state.sls", "arg": ["metalk8s.volumes"]},
        {"client": "local", "fun": "state.highstate"},
        *(
            {"client": "local_async", "fun": "state.sls", "kwarg": {"mods": mods}}
            for mods in (
                "metalk8s.volumes,evil",
                "metalk8s.volumes.tools",
                "metalk8s.volumes.unprepared.more",
                "metalk8s.volumes\nevil",
                "evil",
                ["metalk8s.volumes"],
            )
        ),
        {"client": "runner", "fun": "manage.status"},
    ],
)
def test_everything_else_is_refused(client, call):
    status, text = client.post({"tgt": "worker-0", **call})
    assert status == 401
    assert "Authorization error occurred." in text or "Authentication failure of type" in text


def test_clients_that_holdfast_does_not_need_are_disabled(client):
    status, text = client.post({"client": "wheel", "fun": "key.list_all"})
    assert status == 400
    assert "Client disabled" in text


def test_a_wrong_password_is_refused(lab):
    status, _ = lab.request("/login", {"eauth": "sharedsecret", "username": "holdfast", "password": "wrong"})
    assert status == 401
