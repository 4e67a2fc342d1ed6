"""
A real Salt (master, salt-api, minions) as plain processes on loopback, with Holdfast's states and configuration

    lab.py up DIR [--port N] [--minions A,B] [--broker URL]    starts all and prints its environment as `export` lines
    lab.py bare DIR [--port N] [--minions A,B]                 starts a master and minions without anything of Holdfast:
                                                               DIR/master is its /etc/salt, DIR/srv its /srv
    lab.py down DIR                                            stops all; DIR is kept
    lab.py stop|kill|start DIR NAME                            one of them: master, api or a minion's id
    lab.py restart DIR [NAME]                                  one of them, or master and api; then waits for minions
    lab.py salt DIR ARGUMENTS                                  the command `salt` of this master

Needs root (minions act on this machine), and the interpreter of an environment with requirements.txt in it. What the
minions keep lies in DIR, too, but for their loop devices and /dev/disk.
"""

import argparse
import contextlib
import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "knative" / "salt"
PROGRAMS = pathlib.Path(sys.executable).parent


class Lab:
    """
    One master with its minions, all of whose files lie in one folder
    """

    def __init__(self, folder, port=24000, minions=("worker-0",), broker=None, path=None, bare=False):
        self.folder = pathlib.Path(folder).resolve()
        if len(str(self.folder)) > 60:
            raise ValueError(f"{self.folder} is longer than 60 characters: sockets in it would have no usable name")
        self.port, self.minions, self.broker, self.bare = port, tuple(minions), broker, bare
        self.url = f"http://127.0.0.1:{port}"
        self.environment = {**os.environ, **({"PATH": path} if path else {})}
        self.password = ""

    # --- files ---

    def configure(self):
        for name in ("run", "log", "reactor", "states", "pillar"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        secret = self.folder / "password"
        if not secret.exists():
            secret.touch(0o600)
            secret.write_text(secrets.token_urlsafe(18))
        self.password = secret.read_text()
        self._configure_master()
        for minion in self.minions:
            self._configure_minion(minion)

    def _configure_master(self):
        home = self.folder / "master"
        (home / "master.d").mkdir(parents=True, exist_ok=True)
        if not self.bare:
            self._install(home)
        srv = self.folder / "srv" / "salt"
        roots = [str(srv)] if self.bare else [str(self.folder / "states"), str(SOURCE)]
        self._write(
            home / "master",
            self._common("master", home)
            | {
                "interface": "127.0.0.1",
                "publish_port": self.port + 1,
                "ret_port": self.port + 2,
                "id": "master",
                "token_dir": str(home / "tokens"),
                "api_pidfile": str(self.folder / "run" / "api.pidfile"),
                "api_logfile": str(self.folder / "log" / "api.log"),
                # Nothing but its own minions reaches a master on loopback.
                "auto_accept": True,
                "worker_threads": 3,
                "timeout": 5,
                "file_roots": {"base": roots},
                "pillar_roots": {"base": [str(self.folder / "pillar")]},
            }
            | ({} if self.bare else {"rest_cherrypy": {"host": "127.0.0.1", "port": self.port, "disable_ssl": True}}),
        )

    def _install(self, home):
        shipped = (SOURCE / "master.d" / "holdfast.conf").read_text()
        shipped = shipped.replace("<password>", self.password).replace("/srv/reactor", str(self.folder / "reactor"))
        shipped = shipped.replace("/srv/salt", str(SOURCE))
        shipped = shipped.replace(
            "<http://broker-ingress.knative-eventing.svc.cluster.local/holdfast/storage>", str(self.broker)
        )
        (home / "master.d" / "holdfast.conf").write_text(shipped)
        shutil.copy(SOURCE / "reactor" / "job-return.sls", self.folder / "reactor")

    def _configure_minion(self, minion):
        home = self.folder / "minions" / minion
        (home / "minion.d").mkdir(parents=True, exist_ok=True)
        if not self.bare:
            # As the states metalk8s.volumes put it there.
            shutil.copy(SOURCE / "metalk8s/volumes/files/minion.conf", home / "minion.d" / "holdfast.conf")
        self._write(
            home / "minion",
            self._common(minion, home)
            | {
                "id": minion,
                "master": "127.0.0.1",
                "publish_port": self.port + 1,
                "master_port": self.port + 2,
                "metalk8s_volumes": {"directory": str(self.folder / "storage" / minion), "lock_seconds": 20},
                # Soon back after a restart; the defaults spread thousands of minions over a minute.
                "acceptance_wait_time": 1,
                "random_reauth_delay": 1,
                "recon_default": 200,
                "recon_max": 1000,
                "recon_randomize": False,
                "auth_timeout": 5,
                "auth_tries": 2,
                "master_tries": -1,
                "enable_fqdns_grains": False,
                "enable_gpu_grains": False,
                "mine_enabled": False,
            },
        )

    def _common(self, name, home):
        return {
            "user": "root",
            "root_dir": str(self.folder),
            "pki_dir": str(home / "pki"),
            "cachedir": str(home / "cache"),
            "sock_dir": str(self.folder / "run" / name),
            "pidfile": str(self.folder / "run" / f"{name}.pidfile"),
            "log_file": str(self.folder / "log" / f"{name}.log"),
            "log_level_logfile": "warning",
        }

    @staticmethod
    def _write(path, configuration):
        path.write_text(yaml.safe_dump(configuration, sort_keys=False))

    # --- processes: each in a session of its own, known by its pid and start time ---

    def _pid_file(self, name):
        return self.folder / "run" / f"{name}.pid"

    @staticmethod
    def _started(pid):
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if fields[0] == "Z" else fields[19]

    def pid(self, name):
        """
        The pid of a process that runs, or None
        """
        try:
            pid, started = self._pid_file(name).read_text().split()
        except FileNotFoundError:
            return None
        return int(pid) if self._started(pid) == started else None

    def start(self, name):
        if self.pid(name):
            return
        folder = self.folder / ("master" if name in ("master", "api") else f"minions/{name}")
        program = {"master": "salt-master", "api": "salt-api"}.get(name, "salt-minion")
        with (self.folder / "log" / f"{name}.out").open("ab") as log:
            process = subprocess.Popen(
                [PROGRAMS / program, "--config-dir", folder, "--log-level", "quiet"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=self.environment,
            )
        self._pid_file(name).write_text(f"{process.pid} {self._started(process.pid)}")

    def stop(self, name, number=signal.SIGTERM, seconds=20):
        """
        Ends a process and, with it, every process of its session
        """
        pid = self.pid(name)
        if pid is None:
            return
        os.kill(pid, number)
        end = time.monotonic() + (0 if number == signal.SIGKILL else seconds)
        while members := self._session(pid):
            if time.monotonic() >= end:
                for member in members:
                    try:
                        os.kill(member, signal.SIGKILL)
                    except ProcessLookupError:
                        continue
            time.sleep(0.1)
        self._pid_file(name).unlink()

    def _session(self, session):
        members = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            pid = int(path.name)
            try:
                if os.getsid(pid) == session and self._started(pid):
                    members.append(pid)
            except ProcessLookupError:
                continue
        if members == [] or session in members:
            # A child of ours that has ended stays until it is waited for.
            with contextlib.suppress(ChildProcessError):
                os.waitpid(session, os.WNOHANG)
        return members

    def names(self):
        minions = self.folder / "minions"
        return ["api", *sorted(path.name for path in minions.iterdir()), "master"] if minions.is_dir() else []

    def up(self):
        self.configure()
        for name in ("master", *self.minions, *([] if self.bare else ["api"])):
            self.start(name)
        try:
            self._wait("the minions", 300, self.minions_answer)
            if not self.bare:
                self.cli("*", "saltutil.sync_all")
                self._wait("salt-api", 30, self.login)
        except BaseException:
            self.down()
            raise

    def down(self):
        for name in self.names():
            self.stop(name, seconds=3)

    def restart(self, *names):
        for name in names:
            self.stop(name)

        def ready():
            # One that finds a trace of the process before it ends again.
            for name in names:
                self.start(name)
            return self.minions_answer()

        self._wait("the minions", 300, ready)

    def _wait(self, what, seconds, ready):
        end = time.monotonic() + seconds
        while True:
            try:
                if ready():
                    return
            except OSError:
                pass
            if time.monotonic() >= end:
                raise TimeoutError(f"{what} did not answer within {seconds} s: see {self.folder / 'log'}")
            time.sleep(0.3)

    # --- as the master's root ---

    def salt(self):
        return [PROGRAMS / "salt", "-c", self.folder / "master"]

    def cli(self, target, *arguments, timeout=20):
        """
        The `salt` command: a map from the minion to what it has returned
        """
        command = [*self.salt(), "--out=json", "--static", "-t", str(timeout), target]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, timeout=300)
        return json.loads(done.stdout) if done.stdout.startswith("{") else {}

    def minions_answer(self):
        answers = self.cli("*", "test.ping", timeout=10)
        return all(answers.get(minion) is True for minion in self.minions)

    # --- as Holdfast's account, through salt-api ---

    def request(self, path, body=None, token=None):
        """
        (status, decoded answer, or its text where it is no JSON)
        """
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if token:
            headers["X-Auth-Token"] = token
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(
                urllib.request.Request(f"{self.url}{path}", data, headers), timeout=60
            ) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def login(self):
        status, answer = self.request(
            "/login", {"eauth": "holdfast", "username": "holdfast", "password": self.password}
        )
        return answer["return"][0]["token"] if status == 200 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["up", "bare", "down", "stop", "kill", "start", "restart", "salt"])
    parser.add_argument("folder")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--port", type=int, default=24000, help="of salt-api; the master takes the next two")
    parser.add_argument("--minions", default="worker-0")
    parser.add_argument(
        "--broker", default="http://127.0.0.1:9/", help="where returns of jobs are posted as CloudEvents"
    )
    options, rest = parser.parse_known_args()
    if rest and options.command != "salt":
        parser.error(f"unknown: {' '.join(rest)}")
    bare = options.command == "bare"
    lab = Lab(options.folder, options.port, options.minions.split(","), options.broker, bare=bare)
    if options.command in ("stop", "kill", "start"):
        if not options.name:
            parser.error(f"{options.command} needs the name of a process")
        actions = {"start": lab.start, "stop": lab.stop, "kill": lambda name: lab.stop(name, signal.SIGKILL)}
        actions[options.command](options.name)
    elif options.command == "salt":
        sys.exit(subprocess.run([*lab.salt(), options.name, *rest], check=False).returncode)
    elif options.command == "restart":
        lab.restart(*([options.name] if options.name else ["master", "api"]))
    elif options.command == "down":
        lab.down()
    else:
        lab.up()
    if options.command == "up":
        print(f"export SALT_API_URL={lab.url}\nexport SALT_EAUTH=holdfast\nexport SALT_USER=holdfast")
        print(f"export SALT_PASSWORD={lab.password}\nexport SALT_MINIONS={options.minions}")


if __name__ == "__main__":
    main()
