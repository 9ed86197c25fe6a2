"""A Slurm cluster on this machine for a while: a controller and two nodes, which all listen on the loopback interface."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

NODES = ["near", "far"]
NEEDED = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol"]
FOLDERS = "/usr/sbin:/usr/bin:" + os.environ.get("PATH", "")
CONFIGURATION = """ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/controller.pid
SlurmctldLogFile={folder}/controller.log
SlurmdSpoolDir={folder}/spool-%n
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=6
SlurmctldTimeout=6
BatchStartTimeout=10
KillWait=1
MinJobAge=300
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} RealMemory=1000\n"
PARTITION = "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO\n"


def missing():
    """The programs of Slurm and MUNGE that this machine lacks."""
    return [name for name in NEEDED if not shutil.which(name, path=FOLDERS)]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Cluster:
    """Runs until it is closed. `folder` is its own: configuration, state, logs."""

    def __init__(self, folder):
        self.folder, self.running = Path(folder), {}
        self.environment = {**os.environ, "PATH": FOLDERS, "SLURM_CONF": str(self.folder / "slurm.conf")}
        user, host = subprocess.check_output(["id", "-un"], text=True).strip(), socket.gethostname().split(".")[0]
        (self.folder / "state").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        text = CONFIGURATION.format(host=host, controller=free_port(), user=user, folder=self.folder)
        for name in NODES:
            text += NODE.format(name=name, host=host, port=free_port(), cpus=os.cpu_count())
        (self.folder / "slurm.conf").write_text(text + PARTITION)
        self.start("munged", ["munged", "--foreground", "--force", f"--key-file={key}",
                              f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
                              f"--log-file={self.folder}/munge.log", f"--seed-file={self.folder}/munge.seed"])
        self.wait("MUNGE's socket", (self.folder / "munge.socket").exists)
        self.start("controller", ["slurmctld", "-D"])
        for name in NODES:
            self.start(name, ["slurmd", "-D", "-N", name])
        self.wait("both nodes", lambda: self.ask("sinfo", "--noheader", "--format=%T").split() == ["idle"])

    def start(self, name, command):
        with open(self.folder / f"{name}.out", "wb") as out:
            self.running[name] = subprocess.Popen(command, stdout=out, stderr=out, env=self.environment)

    def ask(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, timeout=60)
        return done.stdout

    def wait(self, what, condition, seconds=120):
        until = time.monotonic() + seconds
        while not condition():
            for name, process in self.running.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended: " + (self.folder / f"{name}.out").read_text()[-2000:])
            if time.monotonic() > until:
                raise TimeoutError(f"Slurm did not reach this in {seconds} s: {what}\n" + self.ask("squeue"))
            time.sleep(0.2)

    def submit(self, *command):
        """The job's number."""
        done = subprocess.run(["sbatch", "--parsable", f"--output={self.folder}/job-%a.log", "--open-mode=append", *command],
                              capture_output=True, text=True, env=self.environment, timeout=60)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def unfinished(self, job):
        """The tasks that wait or run, as pairs (state, node)."""
        lines = self.ask("squeue", "--noheader", "--array", f"--jobs={job}", "--format=%T %N").splitlines()
        return [tuple((line + " ").split(" ")[:2]) for line in lines if line.split()[0] != "COMPLETING"]

    def take_away(self, node):
        """Kills a node and all that runs on it, as if its power had failed: nothing of it may still report."""
        daemon = self.running.pop(node)
        tree = [daemon.pid] + [step for step in steps() if node_of(step) == node]
        for kind in (signal.SIGSTOP, signal.SIGKILL):
            for pid in tree + [child for step in tree[1:] for child in below(step)]:
                try:
                    os.kill(pid, kind)
                except ProcessLookupError:
                    pass
        daemon.wait()

    def finish(self, job, seconds):
        """Waits for the job. Slurm would begin a requeued task after two minutes; a test does not."""
        def over():
            left = self.unfinished(job)
            if any(state == "PENDING" for state, _ in left):
                self.ask("scontrol", "update", f"JobId={job}", "StartTime=now")
            return not left
        self.wait(f"the end of job {job}", over, seconds)

    def close(self):
        for process in reversed(self.running.values()):
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def steps():
    """The slurmstepd processes of all nodes."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cmdline").read_bytes().startswith(b"slurmstepd"):
                yield int(path.name)
        except OSError:
            pass


def node_of(step):
    """The node for which a slurmstepd works: it is in the environment of what it started."""
    for child in below(step):
        try:
            words = Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for word in words:
            if word.startswith(b"SLURMD_NODENAME="):
                return word.split(b"=", 1)[1].decode()
    return None


def below(pid):
    """All descendants of a process."""
    children = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            children.setdefault(int(path.read_text().rsplit(")", 1)[1].split()[1]), []).append(int(path.parent.name))
        except OSError:
            pass
    found, todo = [], [pid]
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found


def grade(folder, runner, tree, submissions, out, *options, tasks=4, seconds=3600):
    """Grades with docs/instructors/slurm.sh as an array of tasks. One of the two nodes is taken away as soon as it has graded
    something. The job is submitted again, as docs/instructors says, if that left something out; then the shards are merged."""
    (folder / "lab").write_text(f"#!/bin/sh\nLAB_ROOT='{tree}' exec '{runner}' \"$@\"\n")
    (folder / "lab").chmod(0o755)
    scratch = folder / "cluster"
    scratch.mkdir()
    cluster = Cluster(scratch)
    try:
        command = ["--cpus-per-task=1", "--mem=0", f"--array=1-{tasks}", "--export=ALL,ASYNCLAB=" + str(folder),
                   str(tree / "docs/instructors/slurm.sh"), str(submissions), str(out), *options]
        job = cluster.submit(*command)
        cluster.wait("the first results", lambda: any((out / "results").glob("*.json")) or not cluster.unfinished(job), seconds)
        if not any((out / "results").glob("*.json")):
            raise RuntimeError("no task has graded anything: " + next(scratch.glob("job-*.log")).read_text()[-2000:])
        running = [node for _, node in cluster.unfinished(job)]
        cluster.take_away("far")
        cluster.finish(job, seconds)
        graded = len(list((out / "results").glob("*.json")))
        cluster.finish(cluster.submit(*command), seconds)
        failed = [path.read_text() for path in scratch.glob("job-*.log") if "error" in path.read_text()]
    finally:
        cluster.close()
    subprocess.run([runner, "grade", "merge", str(out)], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "LAB_ROOT": str(tree)})
    return {"nodes": running, "graded before the second job": graded, "errors": failed}
