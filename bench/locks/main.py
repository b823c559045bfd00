"""The lock service beside etcd, ZooKeeper and Redis: lock and unlock pairs per second.

Clients with a connection, a session and one operation outstanding each, all on this machine, lock
and unlock: each a lock of its own, then eight of them one lock. Every system as it ships, with its
own clients or, for Redis, the commands that its documentation tells to lock with. Numbers are
printed, with the goal beside them; none of them makes this fail.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "node"))

from cluster import Cluster, Trouble  # noqa: E402
from conclave import Conclave  # noqa: E402
from etcd import Etcd  # noqa: E402
from report import ratio, say, section, table, verdict  # noqa: E402
from system import free_ports  # noqa: E402
from zookeeper import ZooKeeper  # noqa: E402

HAND_OVER_CLIENTS = 8
PIPELINED = 32  # pairs outstanding of each client
GO = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}


class Locking(Conclave):
    """Clients speak to the leader itself."""

    extra = "[locks]\n"
    keeps = "nothing; its leader and its holder know it, and survive each other"

    def driver(self, options):
        return [options.drivers / "locks_driver", "conclave", self.endpoint()]

    def sticky(self, options):
        """Entries per second of a lock that nobody else wants."""
        program = str(options.drivers / "locks_sticky")
        words = [program, self.endpoint(), str(options.seconds)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Trouble(done.stderr.strip())
        return float(done.stdout)

    def endpoint(self):
        return f"unix:{self.node(self.lock_leader()).folder / 'api.sock'}"

    def lock_leader(self):
        where = f"unix:{self.nodes[0].folder}/api.sock"
        leader = self._run("--endpoint", where, "leader", "locks", "--wait", "60s").strip()
        self._run("--endpoint", where, "lock", "ready", "--", "true")  # it serves already
        return leader


class LockingEtcd(Etcd):
    keeps = "each lock and unlock, on all three (fsync)"

    def driver(self, options):
        urls = ",".join(f"http://127.0.0.1:{node.port}" for node in self.nodes)
        return [self.build(options.folder), urls]

    @staticmethod
    def build(folder):
        """Its own client is in Go, and Debian has it as sources."""
        if shutil.which("go") is None:
            raise Trouble("etcd's own client needs golang-go and golang-etcd-server-dev")
        program = folder / "etcd_driver"
        source = Path(__file__).resolve().parent / "etcd_driver.go"
        built = subprocess.run(
            ["go", "build", "-o", program, source],
            env={**os.environ, **GO, "GOCACHE": str(folder / "go")},
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode != 0:
            raise Trouble(f"etcd's client cannot be built: {built.stderr.strip()}")
        return program


class LockingZooKeeper(ZooKeeper):
    keeps = "each lock and unlock, on all three (fsync)"

    def driver(self, options):
        program = options.drivers / "zookeeper_driver"
        if not program.exists():
            raise Trouble("ZooKeeper's own client needs libzookeeper-mt-dev")
        return [program, ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)]


class Redis(Cluster):
    """One process: what it would lose with its machine is lost."""

    title = "Redis"
    ports = 1
    package = "redis-server"
    keeps = "nothing"

    def __init__(self, folder, ports, **settings):
        super().__init__(folder, ports, **settings)
        del self.nodes[1:]

    @staticmethod
    def installed():
        return shutil.which("redis-server") is not None

    def command(self, node):
        words = {"port": "0", "unixsocket": node.folder / "socket", "save": "", "appendonly": "no"}
        return ["redis-server", *(str(word) for key in words for word in (f"--{key}", words[key]))]

    def leader(self, node):
        """It leads itself, once it listens."""
        return node.name if (node.folder / "socket").exists() else None

    def driver(self, options):
        return [options.drivers / "locks_driver", "redis", self.nodes[0].folder / "socket"]


def drive(driver, clients, seconds, which):
    """Pairs per second, and of a pair the median and the 99th percentile, in microseconds."""
    words = [*map(str, driver), str(clients), str(seconds), which]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(done.stderr.strip())
    return [float(word) for word in done.stdout.split()[2:]]


def measure(cluster, options):
    """By the number of clients; "one": hand-overs of one lock; "many": pipelined; "sticky"."""
    cluster.start()
    cluster.wait_for_leader()
    driver = cluster.driver(options)
    found = {
        clients: drive(driver, clients, options.seconds, "one-each") for clients in options.clients
    }
    if not isinstance(cluster, Redis):  # nobody tells a waiter there
        found["one"] = drive(driver, HAND_OVER_CLIENTS, options.seconds, "one-for-all")
    if isinstance(cluster, Locking):
        found["sticky"] = cluster.sticky(options)
    if isinstance(cluster, (Redis, Locking)):
        found["many"] = drive(driver, max(options.clients), options.seconds, str(PIPELINED))
    return found


def attempt(kind, options):
    """None if a peer has trouble, which is said. Ours may have none."""
    settings = {"binary": options.conclave} if kind is Locking else {}
    try:
        with kind(options.folder / kind.title, free_ports(3 * kind.ports), **settings) as cluster:
            return measure(cluster, options)
    except Trouble as trouble:
        if kind is Locking:
            raise
        say(f"  {kind.title}: {trouble}: left out")
        return None


def compare(key, results, goals):
    """A row per system: its figures, and ours divided by its."""
    ours = results[Locking.title][key][0]
    rows = [["", "pairs/s", "median, us", "99 %, us", "ours / it", "goal"]]
    for title, found in results.items():
        if key not in found:
            continue
        pairs, median, late = found[key]
        goal = goals.get(title)
        met = f"{goal:g}: {verdict(ours >= goal * pairs)}" if goal else ""
        share = "" if title == Locking.title else ratio(ours, pairs)
        rows.append([title, f"{pairs:.0f}", f"{median:.0f}", f"{late:.0f}", share, met])
    table(rows)


def main():
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--conclave", required=True)
    words.add_argument("--drivers", type=Path, required=True, help="the folder they are in")
    words.add_argument("--folder", type=Path, required=True, help="for everything they write")
    words.add_argument("--seconds", type=int, default=5, help="that count, of each trial")
    words.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64])
    options = words.parse_args()
    for number in signal.SIGINT, signal.SIGTERM:  # whatever runs is ended on the way out
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    kinds = [Locking]
    for kind in LockingEtcd, LockingZooKeeper, Redis:
        if kind.installed():
            kinds.append(kind)
        else:
            say(f"{kind.title} is not installed (Debian: {kind.package}): left out")
    results = {kind.title: attempt(kind, options) for kind in kinds}
    results = {title: found for title, found in results.items() if found}

    section("What of a lock is written to disk")
    for kind in kinds:
        say(f"  {kind.title.ljust(10)} {kind.keeps}")
    for clients in options.clients:
        section(f"Locks: {clients} clients, each a lock of its own")
        goals = {"etcd": 10, "ZooKeeper": 20, "Redis": 0.8} if clients >= 64 else {}
        compare(clients, results, goals)
    section(f"Hand-overs: {HAND_OVER_CLIENTS} clients, one lock")
    compare("one", results, {"etcd": 50})
    section(f"Pipelined: {max(options.clients)} clients, {PIPELINED} locks at once")
    compare("many", results, {"Redis": 1})
    entries = results[Locking.title]["sticky"]
    section("Sticky: one client, a lock that nobody else wants")
    say(f"  {entries:.0f} entries/s; goal 1000000: {verdict(entries >= 1e6)}")


if __name__ == "__main__":
    try:
        main()
    except Trouble as trouble:
        sys.exit(str(trouble))
