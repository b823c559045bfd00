"""Three nodes of etcd, as Debian has it: without TLS between them unless that is asked for."""

import shutil

from cluster import Cluster, Trouble


class Etcd(Cluster):
    title = "etcd"
    ports = 2
    package = "etcd-server"
    scheme = "http"  # of clients
    peer_scheme = "http"

    @staticmethod
    def installed():
        return shutil.which("etcd") is not None

    def command(self, node):
        peers = ",".join(f"{one.name}={self.peer_url(one)}" for one in self.nodes)
        words = {
            "name": node.name,
            "data-dir": node.folder / "data",
            "listen-peer-urls": self.peer_url(node),
            "initial-advertise-peer-urls": self.peer_url(node),
            "listen-client-urls": self.url(node),
            "advertise-client-urls": self.url(node),
            "initial-cluster": peers,
            "initial-cluster-token": "bench",
            **{name.replace("_", "-"): value for name, value in self.settings.items()},
        }
        return ["etcd", *(f"--{name}={value}" for name, value in words.items())]

    def url(self, node):
        return f"{self.scheme}://127.0.0.1:{node.port}"

    def peer_url(self, node):
        return f"{self.peer_scheme}://127.0.0.1:{node.peer_ports[0]}"

    def wipe(self):
        super().wipe()
        self.names = {}  # by etcd's own number, which comes with the answers

    def leader(self, node):
        answer = node.ask("POST", "/v3/maintenance/status", {})
        if answer is None:
            return None
        self.names[answer["header"]["member_id"]] = node.name
        return self.names.get(answer.get("leader"))

    def hand_over(self, leader, successor):
        number = next(number for number, name in self.names.items() if name == successor.name)
        if leader.ask("POST", "/v3/maintenance/transfer-leadership", {"targetID": number}) is None:
            raise Trouble(f"etcd: {leader.name} does not hand over to {successor.name}")


class EtcdUnderTls(Etcd):
    """Its nodes talk to each other under TLS, as ours do; the certificates are of its own making."""

    title = "etcd, TLS"
    peer_scheme = "https"

    def command(self, node):
        return [*super().command(node), "--peer-auto-tls"]
