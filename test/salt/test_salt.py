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
import salt.config
import salt.loader
import salt.utils.minions
import yaml
from node import SOURCE, loops, raw, run, sparse

PREPARE = "metalk8s_volumes.prepare"
numbers = itertools.count(1)


def jid():
    return f"{time.strftime('%Y%m%d%H%M%S', time.gmtime())}{next(numbers):06d}"


def until(what, ready, seconds=180):
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

    def begin(self, function, volume, job=None):
        metadata = {"volume": volume["metadata"]["name"]}
        return self.start(f"metalk8s_volumes.{function}", job, kwarg={"volume": volume}, metadata=metadata)

    def prepare(self, volume):
        return self.wait(self.begin("prepare", volume))

    def unprepare(self, volume):
        return self.wait(self.begin("unprepare", volume))

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


@pytest.mark.parametrize(
    ("filesystem", "size", "names"),
    [("ext4", "64Mi", "by-uuid"), ("xfs", "320Mi", "by-uuid"), (None, "64Mi", "by-partuuid")],
)
def test_a_sparse_volume_from_its_preparation_to_its_end(lab, client, files, filesystem, size, names):
    volume = sparse(size, filesystem=filesystem)
    uid = volume["metadata"]["uid"]
    job = client.begin("prepare", volume)
    result = client.wait(job)
    assert (result["retcode"], result["success"]) == (0, True)
    path = f"/dev/disk/{names}/{uid}"
    device = os.path.realpath(path)
    done = {"path": path, "device": device, "size": run("blockdev", "--getsize64", path)}
    assert result["return"] == {"changed": True, **done}

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
        "fun": "metalk8s_volumes.prepare",
        "retcode": 0,
        "metadata": {"volume": "v1"},
    }

    call = {"client": "local", "tgt": "worker-0", "fun": "metalk8s_volumes.device_name", "arg": [path]}
    name = client.post(call)[1]["return"][0]["worker-0"]
    assert name == {"success": True, "result": os.path.basename(device)}

    assert client.prepare(volume)["return"] == {"changed": False, **done}
    job = client.begin("unprepare", volume)
    assert client.wait(job)["return"] == {"changed": True, "uid": uid}
    assert lab.broker.event(f"{job}-worker-0")[0]["ce-name"] == "v1"
    assert client.unprepare(volume)["return"] == {"changed": False, "uid": uid}
    assert not os.path.lexists(path)
    assert files() == []
    assert loops(lab.folder) == []


def test_a_raw_volume_and_foreign_data(client, disk):
    device = disk()
    volume = raw(device, name="raw1")
    assert os.path.realpath(client.prepare(volume)["return"]["path"]) == device
    assert client.unprepare(volume)["success"]
    result = client.prepare(raw(device, name="raw2"))
    assert (result["retcode"], result["success"]) == (1, False)
    uid = volume["metadata"]["uid"]
    assert result["return"].startswith(
        f"ERROR: {device} already holds ext4 with the UUID {uid}: nothing was written to it."
    )


def test_the_same_job_twice_and_a_second_one_at_once(lab, client, files, slow):
    volume = sparse(name="twice")
    (slow / "wait").touch()
    job = client.begin("prepare", volume)
    until("mkfs runs", (slow / "started").exists)
    assert client.begin("prepare", volume, job) == job
    second = client.begin("prepare", volume)
    other = sparse(filesystem=None, name="other")
    assert client.prepare(other)["success"], "another Volume does not wait for it"
    assert client.unprepare(other)["success"]
    assert client.wait(second)["return"].startswith(
        "ERROR: another run has been working on volume twice for 20 s (lock /run/metalk8s-volumes/"
    )
    (slow / "wait").unlink()
    (slow / "started").unlink()
    assert client.wait(job)["return"]["changed"]
    assert volume["metadata"]["uid"] in files()
    assert client.unprepare(volume)["success"]
    assert client.prepare(volume)["return"].startswith("ERROR: volume twice was reclaimed on this node")
    assert files() == []


def test_a_job_that_is_killed_in_the_middle_is_run_again(lab, client, files, slow):
    volume = sparse(name="killed")
    uid = volume["metadata"]["uid"]
    (slow / "wait").touch()
    job = client.begin("prepare", volume)
    until("mkfs runs", (slow / "started").exists)
    os.kill(client.find_job(job)["pid"], signal.SIGKILL)
    until("the job has gone", lambda: not client.find_job(job))
    assert client.result(job) is None
    # Its mkfs lives on and holds the lock; the next run waits for it.
    again = client.begin("prepare", volume)
    time.sleep(1)
    assert client.result(again) is None
    assert files() == [f"{uid}.new"]
    (slow / "wait").unlink()
    (slow / "started").unlink()
    assert client.wait(again)["return"]["changed"]
    assert files() == [uid]
    run("e2fsck", "-fn", f"/dev/disk/by-uuid/{uid}")
    assert client.unprepare(volume)["success"]


def test_a_minion_that_is_killed_in_the_middle_runs_the_same_job_again(lab, client, files, slow):
    volume = sparse(name="restarted")
    (slow / "wait").touch()
    job = client.begin("prepare", volume)
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
    client.begin("prepare", volume, job)
    assert client.wait(job)["return"]["changed"]
    assert files() == [volume["metadata"]["uid"]]
    assert client.unprepare(volume)["success"]


def test_a_name_cannot_smuggle_headers_in(lab, client):
    volume = sparse(name="x\r\nce-name: other")
    job = client.begin("prepare", volume)
    result = client.wait(job)
    assert "is not a Volume's name" in result["return"]
    # An event after it has come: this one has not.
    later = client.begin("unprepare", sparse())
    lab.broker.event(f"{later}-worker-0")
    assert not [event for event in lab.broker.events if event[0]["ce-id"].startswith(job)]


def test_the_states_that_a_node_needs_are_applied(lab):
    done = lab.cli("worker-0", "state.apply", "metalk8s.volumes")["worker-0"]
    assert [state["result"] for state in done.values()] == [True]
    assert "rawfile_json" in (lab.folder / "minions" / "worker-0" / "minion.d" / "holdfast.conf").read_text()
    boot = lab.cli("worker-0", "state.show_sls", "metalk8s.volumes.boot")["worker-0"]
    assert set(boot) == {f"metalk8s-sparse-volumes-{what}" for what in ("script", "unit", "enabled")}


@pytest.mark.parametrize(
    "more",
    [
        {"localconfig": "/tmp/minion"},
        {"pillar": {"metalk8s": {"volumes": {}}}},
        {"saltenv": "evil"},
        {"test": True},
        {"mods": "evil"},
    ],
)
def test_what_is_given_beside_the_volume_is_refused_and_nothing_is_run(client, files, more):
    result = client.wait(client.start(PREPARE, kwarg={"volume": sparse(), **more}))
    assert (result["retcode"], result["success"]) == (1, False)
    assert "not valid" in result["return"]
    assert files() == []


def test_a_pillar_of_the_minion_changes_nothing(lab, client, files):
    top = lab.folder / "pillar" / "top.sls"
    top.write_text(yaml.safe_dump({"base": {"*": ["volumes"]}}))
    volume = sparse(name="known")
    (lab.folder / "pillar" / "volumes.sls").write_text(yaml.safe_dump({"metalk8s": {"volumes": {"known": volume}}}))
    try:
        result = client.wait(
            client.start("metalk8s_volumes.prepare", kwarg={"volume": {"metadata": {"name": "known"}}})
        )
        assert result["return"] == "ERROR: a Volume object with metadata and spec is expected"
        assert files() == []
    finally:
        top.unlink()


@pytest.mark.parametrize("client_name", ["local", "local_async"])
@pytest.mark.parametrize(
    "settings",
    [
        {"ret": "rawfile_json", "ret_kwargs": {"filename": "FILE"}},
        {
            "ret": "highstate",
            "ret_kwargs": {
                "report_everything": True,
                "report_format": "yaml",
                "report_delivery": "file",
                "file_output": "FILE",
                "success_function": "test.true",
            },
        },
        {"ret": "local"},
        {"ret": ["highstate"]},
        {"ret_config": "other"},
        {"ret_kwargs": {"file_output": "FILE"}},
    ],
)
def test_a_call_that_names_a_returner_is_refused_and_no_file_is_written(client, folder, client_name, settings):
    """A call that names a returner is refused, and no file is written"""
    file = folder / "written"
    settings = yaml.safe_load(yaml.safe_dump(settings).replace("FILE", str(file)))
    call = {"client": client_name, "tgt": "*", "fun": "saltutil.find_job", "arg": ["$(id)"]}
    assert client.post({**call, **settings})[0] == 401
    time.sleep(1)
    assert not file.exists()


@pytest.mark.parametrize("client_name", ["local", "local_async"])
def test_a_job_id_that_is_a_path_is_refused_and_no_file_is_written_or_deleted(client, folder, client_name):
    """A job id that is a path is refused, and no file is written or deleted"""
    victim = folder / "victim"
    victim.write_text("kept")
    call = {"client": client_name, "tgt": "worker-0", "fun": "metalk8s_volumes.device_name", "arg": ["x"]}
    for job in (str(victim), f"../../../../..{victim}", f"{jid()}\n", [jid()]):
        assert client.post({**call, "jid": job})[0] == 401
    proper = client.start("metalk8s_volumes.device_name", arg=["x"])
    assert client.wait(proper)["success"] is not None
    assert victim.read_text() == "kept"


@pytest.mark.parametrize("more", [{"module_executors": ["splay", "direct_call"]}, {"executor_opts": {"splaytime": 9}}])
def test_a_call_that_chooses_how_the_minion_runs_it_is_refused(client, more):
    call = {"client": "local_async", "tgt": "worker-0", "fun": "metalk8s_volumes.device_name", "arg": ["x"]}
    assert client.post({**call, **more})[0] == 401


@pytest.mark.parametrize(
    "call",
    [
        {"client": "local", "fun": "cmd.run", "arg": ["id"]},
        {"client": "local_async", "fun": "cmd.run", "arg": ["id"]},
        {"client": "local", "fun": "test.ping"},
        {"client": "local", "fun": ["saltutil.find_job", "cmd.run"], "arg": [["1"], ["id"]]},
        {"client": "local_async", "fun": ["metalk8s_volumes.device_name", "cmd.run"], "arg": [["x"], ["id"]]},
        {"client": "local", "fun": "saltutil.kill_job", "arg": ["20261121060000000001"]},
        {"client": "local", "fun": "metalk8s_devices.detach", "arg": ["/dev/loop0"]},
        {"client": "local", "fun": "metalk8s_volumes.size_in_bytes", "arg": ["1Gi"]},
        {"client": "local", "fun": "state.highstate"},
        {"client": "local_async", "fun": "state.sls", "kwarg": {"mods": "metalk8s.volumes"}},
        {"client": "local_async", "fun": "state.sls", "kwarg": {"mods": "metalk8s.volumes", "localconfig": "/tmp/x"}},
        {"client": "local_async", "fun": "state.apply", "kwarg": {"mods": "metalk8s.volumes"}},
        {"client": "runner", "fun": "manage.status"},
    ],
)
def test_everything_else_is_refused(client, call):
    # Each process of the master must refuse it, after any request.
    for _ in range(12):
        status, text = client.post({"tgt": "worker-0", **call})
        assert status == 401
    assert "Authorization error occurred." in text or "Authentication failure of type" in text


def test_clients_that_holdfast_does_not_need_are_disabled(client):
    status, text = client.post({"client": "wheel", "fun": "key.list_all"})
    assert status == 400
    assert "Client disabled" in text


@pytest.mark.parametrize(
    "change",
    [{"password": "wrong"}, {"password": ""}, {"username": "root"}, {"eauth": "sharedsecret"}, {"eauth": "pam"}],
)
def test_another_password_name_or_authentication_is_refused(lab, change):
    account = {"eauth": "holdfast", "username": "holdfast", "password": lab.password}
    assert lab.request("/login", account)[0] == 200
    assert lab.request("/login", {**account, **change})[0] == 401
    call = {"client": "local", "tgt": "*", "fun": ["saltutil.find_job", "cmd.run"], "arg": [["1"], ["id"]]}
    assert lab.request("/run", {**account, **call})[0] == 401


@pytest.mark.parametrize(
    ("function", "arguments", "allowed"),
    [
        (PREPARE, [{"__kwarg__": True, "volume": sparse()}], True),
        ("metalk8s_volumes.unprepare", [{"__kwarg__": True, "volume": sparse()}], True),
        ("metalk8s_volumes.device_name", ["/dev/disk/by-uuid/x"], True),
        ("saltutil.find_job", ["20261121060000000001"], True),
        (f"{PREPARE}d", [], False),
        (f"{PREPARE}\n", [], False),
        ("metalk8s_volumes.attach", [], False),
        ("metalk8s_volumesx.prepare", [], False),
        ("state.sls", [{"__kwarg__": True, "mods": "metalk8s.volumes"}], False),
        ("state.sls", ["metalk8s.volumes"], False),
        ("state.sls", [{"__kwarg__": True, "mods": "metalk8s.volumes", "localconfig": "/var/lib/x"}], False),
        ("state.sls", [{"__kwarg__": True, "mods": "metalk8s.volumes", "pillar": {"metalk8s": {}}}], False),
        ("state.single", [PREPARE], False),
        ("state.high", [{}], False),
        ("cmd.run", ["id"], False),
        ("module.run", [PREPARE], False),
        ([PREPARE, "cmd.run"], [[], ["id"]], False),
        (["saltutil.find_job", "cmd.run"], [[], ["id"]], False),
    ],
)
def test_salts_own_check_of_rights_lets_nothing_else_through(folder, function, arguments, allowed):
    """Salt's own check of rights lets nothing else through"""
    shipped = (SOURCE / "master.d" / "holdfast.conf").read_text()
    rights = yaml.safe_load(re.sub("<[^>]*>", "x", shipped))["external_auth"]["holdfast"]["holdfast"]
    options = salt.config.master_config(None)
    options.update(cachedir=str(folder), pki_dir=str(folder), module_dirs=[str(SOURCE)])
    assert "holdfast.get_token" in salt.loader.eauth_tokens(options)
    check = salt.utils.minions.CkMinions(options)
    given = check.auth_check(
        rights, function, arguments, "worker-0", minions=["worker-0"], whitelist=["saltutil.find_job"]
    )
    assert given is allowed
