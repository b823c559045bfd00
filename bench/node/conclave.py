"""A cluster of ours: quorum, TLS between the nodes, as `conclave up` has it."""

import re
import socket
import subprocess
from http.client import HTTPConnection

from cluster import Cluster, Trouble

GROUP = "main"


class Conclave(Cluster):
    title = "conclave"
    ports = 2
    candidate = "true"  # each node stands, whoever campaigns
    extra = ""  # sections of the configuration
    doors = ""  # more lines of [api]
    secret = True  # TLS between the nodes

    def __init__(self, folder, ports, binary, **settings):
        self.binary = binary
        self.certificates = folder / "certs"
        if not self.certificates.exists():
            self._run("cert", "init", "--dir", str(self.certificates))
            self._run("cert", "issue", "--dir", str(self.certificates), "n1", "n2", "n3")
        super().__init__(folder, ports, **settings)

    def _run(self, *words):
        done = subprocess.run([self.binary, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Trouble(f"conclave {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def prepare(self, node):
        certificate = self.certificates / node.name
        files = f'ca = "{self.certificates}/ca.crt", cert = "{certificate}.crt", key = "{certificate}.key"'
        text = f"""
[cluster]
name = "bench"
[node]
id = {node.name[1:]}
name = "{node.name}"
state_dir = "state"
[peer]
listen = "127.0.0.1:{node.peer_ports[0]}"
{f"tls = {{ {files} }}" if self.secret else ""}
[api]
listen = ["127.0.0.1:{node.port}", "unix:{node.folder}/api.sock"]
{self.doors}
[groups.{GROUP}]
algorithm = "quorum"
candidate = {self.candidate}
"""
        for key, value in self.settings.items():
            text += f'{key} = "{value}"\n'
        for peer in self.others(node):
            text += f"""
[[peers]]
id = {peer.name[1:]}
name = "{peer.name}"
address = "127.0.0.1:{peer.peer_ports[0]}"
"""
        (node.folder / "node.toml").write_text(text + self.extra)

    def command(self, node):
        return [self.binary, "node", "--config", str(node.folder / "node.toml")]

    def bound(self):
        """Seconds without a leader after a crash, at most, as --check-config says."""
        config = str(self.nodes[0].folder / "node.toml")
        words = self._run("node", "--config", config, "--check-config")
        found = re.search(r"a leader again within ([\d.]+)(ms|s)$", words, re.M)
        if not found:
            raise Trouble("conclave node --check-config says no bound")
        return float(found[1]) / (1000 if found[2] == "ms" else 1)

    def leader(self, node):
        answer = node.ask("GET", f"/v1/groups/{GROUP}")
        return answer and answer["leader"]

    def hand_over(self, leader, successor):
        """The socket takes orders from whoever may write to it."""
        connection = _OverSocket(leader.folder / "api.sock")
        body = f'{{"to": "{successor.name}"}}'
        connection.request(
            "POST", f"/v1/groups/{GROUP}/resign", body, {"Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status >= 300:
            raise Trouble(f"conclave: {leader.name} does not resign: {text}")

    def metrics(self, node):
        """Name with labels -> value."""
        connection = HTTPConnection("127.0.0.1", node.port, timeout=10)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        lines = [line.rsplit(" ", 1) for line in text.splitlines() if line[:1] not in ("", "#")]
        return {name: float(value) for name, value in lines}


class _OverSocket(HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=10)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(str(self.path))


class PlainConclave(Conclave):
    """Its nodes talk to each other as etcd's do by default; loopback allows that."""

    title = "conclave, plaintext"
    secret = False
