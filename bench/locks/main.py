"""The lock service beside etcd, ZooKeeper and Redis: lock and unlock pairs per second.

Clients with a connection, a session and one operation outstanding each, all on this machine, lock
and unlock: each a lock of its own, then eight of them one lock. Every system as it ships, with its
own clients or, for Redis, the commands that its documentation tells to lock with: over TCP in
plaintext, over TLS, and over a unix socket where that is common. Numbers are printed, with the goal
beside them; none of them makes this fail.
"""

import argparse
import os
import secrets
import shutil
import signal
import ssl
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
ROADS = {"tcp": "TCP", "tls": "TLS", "unix": "unix socket"}
GO = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}


class Papers:
    """Certificates and a token, the same for all systems."""

    def __init__(self, folder, conclave):
        self.folder = folder / "papers"
        self.folder.mkdir()
        self.token = self.folder / "token"
        self.token.touch(mode=0o600)
        self.token.write_text(secrets.token_hex(32))
        issue = "cert", "issue", "--dir", self.folder
        for words in (
            ("cert", "init", "--dir", self.folder),
            (*issue, "server", "--host", "127.0.0.1"),
            (*issue, "client", "--client"),
        ):
            subprocess.run([conclave, *map(str, words)], check=True, stdout=subprocess.DEVNULL)
        self.ca = self.folder / "ca.crt"

    def of(self, name):
        return self.folder / f"{name}.crt", self.folder / f"{name}.key"

    def words(self):
        """Options of the drivers."""
        certificate, key = self.of("client")
        return ["--cacert", self.ca, "--cert", certificate, "--key", key]

    def context(self):
        context = ssl.create_default_context(cafile=self.ca)
        context.load_cert_chain(*self.of("client"))
        return context


class Locking(Conclave):
    """Clients speak to the leader itself."""

    extra = "[locks]\n"
    keeps = {
        "on disk": "nothing",
        "copies": "its leader and its holder know it; a crash of either loses no lock",
        "between nodes": "TLS",
    }
    roads = {False: ["unix", "tcp"], True: ["tls"]}  # under TLS or not

    def __init__(self, folder, ports, papers, secure, binary):
        self.papers, self.secure = papers, secure
        self.doors = f'token_file = "{papers.token}"'
        if secure:
            certificate, key = papers.of("server")
            self.doors = f'tls = {{ ca = "{papers.ca}", cert = "{certificate}", key = "{key}" }}'
        super().__init__(folder, ports, binary)
        ask_under_tls(self)

    def driver(self, options, road):
        leader = self.node(self.lock_leader())
        shown, where = {
            "unix": ([], f"unix:{leader.folder / 'api.sock'}"),
            "tcp": (["--token-file", self.papers.token], f"127.0.0.1:{leader.port}"),
            "tls": (self.papers.words(), f"https://127.0.0.1:{leader.port}"),
        }[road]
        return [options.drivers / "locks_driver", *shown, "conclave", where]

    def sticky(self, options):
        """Entries per second of a lock that nobody else wants."""
        where = f"unix:{self.node(self.lock_leader()).folder / 'api.sock'}"
        words = [str(options.drivers / "locks_sticky"), where, str(options.seconds)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Trouble(done.stderr.strip())
        return float(done.stdout)

    def lock_leader(self):
        where = f"unix:{self.nodes[0].folder}/api.sock"
        leader = self._run("--endpoint", where, "leader", "locks", "--wait", "60s").strip()
        self._run("--endpoint", where, "lock", "ready", "--", "true")  # it serves already
        return leader


class LockingEtcd(Etcd):
    keeps = {
        "on disk": "each lock and unlock (fsync)",
        "copies": "all three write it, a majority before the answer",
        "between nodes": "plaintext",
    }
    roads = {False: ["tcp"], True: ["tls"]}

    def __init__(self, folder, ports, papers, secure):
        self.papers, self.secure = papers, secure
        settings = {}
        if secure:
            self.scheme = "https"
            certificate, key = papers.of("server")
            settings = {"cert_file": certificate, "key_file": key, "trusted_ca_file": papers.ca}
            settings["client_cert_auth"] = "true"
        super().__init__(folder, ports, **settings)
        ask_under_tls(self)

    def driver(self, options, road):
        urls = ",".join(self.url(node) for node in self.nodes)
        return [self.build(options.folder), *(self.papers.words() if road == "tls" else []), urls]

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
    keeps = {
        "on disk": "each lock and unlock (fsync)",
        "copies": "all three write it, a majority before the answer",
        "between nodes": "plaintext",
    }
    roads = {False: ["tcp"]}
    lacks = {"tls": "not in Debian's C client"}

    def __init__(self, folder, ports, papers, secure):
        del papers, secure
        super().__init__(folder, ports)

    def driver(self, options, road):
        del road
        program = options.drivers / "zookeeper_driver"
        if not program.exists():
            raise Trouble("ZooKeeper's own client needs libzookeeper-mt-dev")
        return [program, ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)]


class Redis(Cluster):
    """One process: what it would lose with its machine is lost."""

    title = "Redis"
    ports = 1
    package = "redis-server"
    keeps = {"on disk": "nothing", "copies": "none: it is one process"}
    roads = {False: ["unix", "tcp"], True: ["tls"]}

    def __init__(self, folder, ports, papers, secure):
        self.papers, self.secure = papers, secure
        super().__init__(folder, ports)
        del self.nodes[1:]

    @staticmethod
    def installed():
        return shutil.which("redis-server") is not None

    def command(self, node):
        words = {"port": node.port, "unixsocket": node.folder / "socket", "save": ""}
        words["appendonly"] = "no"
        if self.secure:
            certificate, key = self.papers.of("server")
            words |= {"port": 0, "tls-port": node.port, "tls-ca-cert-file": self.papers.ca}
            words |= {"tls-cert-file": certificate, "tls-key-file": key}
        return ["redis-server", *(str(word) for key in words for word in (f"--{key}", words[key]))]

    def leader(self, node):
        """It leads itself, once it listens."""
        return node.name if (node.folder / "socket").exists() else None

    def driver(self, options, road):
        (node,) = self.nodes
        shown, where = {
            "unix": ([], f"unix:{node.folder / 'socket'}"),
            "tcp": ([], f"127.0.0.1:{node.port}"),
            "tls": (self.papers.words(), f"https://127.0.0.1:{node.port}"),
        }[road]
        return [options.drivers / "locks_driver", *shown, "redis", where]


def ask_under_tls(cluster):
    """Whoever asks who leads comes by the same port as the clients that are measured."""
    for node in cluster.nodes:
        node.tls = cluster.papers.context() if cluster.secure else None


def drive(driver, clients, seconds, which):
    """Pairs per second, and of a pair the median and the 99th percentile, in microseconds."""
    words = [*map(str, driver), str(clients), str(seconds), which]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(done.stderr.strip())
    return [float(word) for word in done.stdout.split()[2:]]


def measure(cluster, road, options):
    """By the number of clients; "one": hand-overs of one lock; "many": pipelined."""
    driver = cluster.driver(options, road)
    found = {
        clients: drive(driver, clients, options.seconds, "one-each") for clients in options.clients
    }
    if not isinstance(cluster, Redis):  # nobody tells a waiter there
        found["one"] = drive(driver, HAND_OVER_CLIENTS, options.seconds, "one-for-all")
    if isinstance(cluster, (Redis, Locking)):
        found["many"] = drive(driver, max(options.clients), options.seconds, str(PIPELINED))
    return found


def attempt(kind, papers, options):
    """By the road, and "sticky". Of a peer that has trouble, which is said, less than all."""
    found = {}
    settings = {"binary": options.conclave} if kind is Locking else {}
    for secure, roads in kind.roads.items():
        folder = options.folder / f"{kind.title}{'-tls' if secure else ''}"
        ports = free_ports(3 * kind.ports)
        try:
            with kind(folder, ports, papers, secure, **settings) as cluster:
                cluster.start()
                cluster.wait_for_leader()
                for road in roads:
                    found[road] = measure(cluster, road, options)
                if kind is Locking and not secure:
                    found["sticky"] = cluster.sticky(options)
        except Trouble as trouble:
            if kind is Locking:
                raise
            say(f"  {kind.title}: {trouble}: left out")
    return found


KINDS = {kind.title: kind for kind in (Locking, LockingEtcd, LockingZooKeeper, Redis)}


def compare(key, results, goals):
    """A row per system: over each road its figures, and ours divided by its."""
    ours = results[Locking.title]
    head = [""]
    for road in ROADS.values():
        head += [f"{road}: pairs/s", "median / 99 %, us", "ours / it"]
    rows = [[*head, "goal over TCP"]]
    for title, found in results.items():
        if not any(key in found.get(road, {}) for road in ROADS):
            continue
        row = [title]
        for road in ROADS:
            if key not in found.get(road, {}):
                row += [getattr(KINDS[title], "lacks", {}).get(road, "-"), "", ""]
                continue
            pairs, median, late = found[road][key]
            share = "" if title == Locking.title else ratio(ours[road][key][0], pairs)
            row += [f"{pairs:.0f}", f"{median:.0f} / {late:.0f}", share]
        goal = goals.get(title) if "tcp" in found else None
        met = goal and verdict(ours["tcp"][key][0] >= goal * found["tcp"][key][0])
        rows.append([*row, f"{goal:g}: {met}" if goal else ""])
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
    kinds = []
    for kind in KINDS.values():
        if kind is Locking or kind.installed():
            kinds.append(kind)
        else:
            say(f"{kind.title} is not installed (Debian: {kind.package}): left out")
    papers = Papers(options.folder, options.conclave)
    results = {kind.title: attempt(kind, papers, options) for kind in kinds}
    results = {title: found for title, found in results.items() if found}

    section("What becomes of a lock")
    for kind in kinds:
        facts = "; ".join(f"{what}: {how}" for what, how in kind.keeps.items())
        say(f"  {kind.title.ljust(10)} {facts}")
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
