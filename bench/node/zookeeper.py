"""Three nodes of ZooKeeper, as Debian has it. Leadership cannot be handed over."""

import shutil
import socket
from pathlib import Path

from cluster import Cluster

JAR = Path("/usr/share/java/zookeeper.jar")  # names all others that it needs


class ZooKeeper(Cluster):
    title = "ZooKeeper"
    ports = 3
    package = "libzookeeper-java"

    @staticmethod
    def installed():
        return JAR.exists() and shutil.which("java") is not None

    def prepare(self, node):
        settings = {"tickTime": 2000, "initLimit": 10, "syncLimit": 5, **self.settings}
        settings["dataDir"] = node.folder / "data"
        settings["clientPort"] = node.port
        settings["4lw.commands.whitelist"] = "srvr"
        settings["admin.enableServer"] = "false"
        for peer in self.nodes:
            ports = ":".join(map(str, peer.peer_ports))
            settings[f"server.{peer.name[1:]}"] = f"127.0.0.1:{ports}"
        lines = [f"{name}={value}" for name, value in settings.items()]
        (node.folder / "zoo.cfg").write_text("\n".join(lines) + "\n")
        (node.folder / "data").mkdir(exist_ok=True)
        (node.folder / "data" / "myid").write_text(node.name[1:] + "\n")

    def command(self, node):
        main = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
        return ["java", "-cp", str(JAR), main, str(node.folder / "zoo.cfg")]

    def agreed(self, nodes):
        """A node says only whether it leads or follows somebody."""
        modes = {node.name: self._mode(node) for node in nodes}
        leaders = [name for name, mode in modes.items() if mode == "leader"]
        following = sum(mode == "follower" for mode in modes.values())
        return leaders[0] if len(leaders) == 1 and following == len(nodes) - 1 else None

    def leader(self, node):
        return self._mode(node)

    @staticmethod
    def _mode(node):
        try:
            with socket.create_connection(("127.0.0.1", node.port), timeout=2) as connection:
                connection.sendall(b"srvr")
                answer = b""
                while piece := connection.recv(4096):
                    answer += piece
        except OSError:
            return None
        _, found, rest = answer.partition(b"Mode: ")
        return rest.split()[0].decode() if found else None
