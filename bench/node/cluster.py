"""Three processes of one system: started, asked who leads, killed, frozen, and always ended."""

import http.client
import json
import shutil
import signal
import ssl
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

POLL = 0.002  # seconds between two rounds of asking everybody
PATIENCE = 60  # seconds for anything at all


class Trouble(Exception):
    """A system does not do what is measured. Its own words are part of it."""


@dataclass
class Node:
    name: str
    folder: Path
    port: int  # where it is asked
    peer_ports: list
    tls: ssl.SSLContext | None = None  # it is asked under TLS
    process: subprocess.Popen | None = None
    connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def running(self):
        return self.process is not None and self.process.poll() is None

    def ask(self, method, path, body=None):
        """The answer as a value, or None if there is no good one. One connection is kept."""
        if self.connection is None:
            self.connection = self._connect()
        try:
            text = None if body is None else json.dumps(body)
            self.connection.request(method, path, text, {"Content-Type": "application/json"})
            answer = self.connection.getresponse()
            told = answer.read()
            return json.loads(told) if answer.status < 300 else None
        except (OSError, http.client.HTTPException, ValueError):
            self.hang_up()
            return None

    def _connect(self):
        if self.tls is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=2, context=self.tls)

    def hang_up(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Cluster:
    """What is the same for all systems. The rest: `command`, `leader`, and `hand_over` if it can.

    `settings` are the system's own; what is not said is its default.
    """

    title = ""

    def __init__(self, folder, ports, **settings):
        self.settings = settings
        each = len(ports) // 3
        self.nodes = []
        for at in range(3):
            own = ports[at * each : (at + 1) * each]
            name = f"n{at + 1}"
            self.nodes.append(Node(name, Path(folder) / name, own[0], own[1:]))
        self.wipe()

    def command(self, node):
        raise NotImplementedError

    def prepare(self, node):
        """Writes what the node reads, into its folder."""

    def leader(self, node):
        """The name of the node that this one takes for the leader; None: of nobody."""
        raise NotImplementedError

    def agreed(self, nodes):
        """Whom all of these name, or None."""
        named = {self.leader(node) for node in nodes}
        return named.pop() if len(named) == 1 else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            self.kill(node)
            node.hang_up()

    def wipe(self):
        """As if it had never run."""
        for node in self.nodes:
            shutil.rmtree(node.folder, ignore_errors=True)
            node.folder.mkdir(parents=True)
            self.prepare(node)

    def start(self, nodes=None):
        for node in nodes or self.nodes:
            with open(node.folder / "log", "ab") as log:
                node.process = subprocess.Popen(
                    self.command(node), stdout=log, stderr=log, stdin=subprocess.DEVNULL
                )

    def stop(self):
        for node in self.nodes:
            if node.running():
                node.process.terminate()
        for node in self.nodes:
            try:
                node.process.wait(PATIENCE)
            except subprocess.TimeoutExpired as late:
                raise Trouble(f"{self.title}: {node.name} does not stop") from late
            node.hang_up()

    def kill(self, node):
        if node.running():
            node.process.send_signal(signal.SIGCONT)
            node.process.kill()
        if node.process is not None:
            node.process.wait()

    def pids(self):
        return [node.process.pid for node in self.nodes]

    def node(self, name):
        return next(node for node in self.nodes if node.name == name)

    def others(self, node):
        return [other for other in self.nodes if other is not node]

    def wait_for_leader(self, nodes=None, other_than=None):
        """Asks these nodes over and over until all of them name the same leader."""
        nodes = nodes or self.nodes
        deadline = monotonic() + PATIENCE
        while monotonic() < deadline:
            leader = self.agreed(nodes)
            if leader is not None and leader != other_than:
                return self.node(leader)
            for node in nodes:
                if not node.running():
                    raise Trouble(f"{self.title}: {node.name} has ended: {_last_words(node)}")
            sleep(POLL)
        raise Trouble(f"{self.title}: no leader within {PATIENCE} s: {_last_words(nodes[0])}")


def _last_words(node):
    lines = (node.folder / "log").read_text(errors="replace").splitlines()
    return " | ".join(lines[-3:])
