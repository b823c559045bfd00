"""How soon the next application leads: after the one that leads is killed, and after it resigns.

Three nodes of each system and an application at each of them, which campaigns as that system tells
to: a session and a campaign, a lease and etcd's election, ZooKeeper's recipe. The leases are the
shortest that etcd and ZooKeeper accept as they ship; ours are the default. What counts is the
moment at which the next application knows that it leads. The applications are in Python and speak
HTTP to our nodes and etcd's; what one in C++ sees that has its node inside is measured by
mandates.cc. Numbers are printed, with the goal beside them; none of them makes this fail.
"""

import argparse
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from statistics import median
from time import monotonic_ns, sleep

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "node"))

from cluster import PATIENCE, Trouble  # noqa: E402
from conclave import GROUP, Conclave  # noqa: E402
from etcd import Etcd  # noqa: E402
from report import milliseconds, ratio, say, section, table, verdict  # noqa: E402
from system import free_ports  # noqa: E402
from zookeeper import ZooKeeper  # noqa: E402

PYTHON = "/usr/bin/python3"  # the one for which Debian has ZooKeeper's client
HOLDER = Path(__file__).resolve().parent / "holder.py"
LEASE = 0.2  # of our groups, by default
SESSION = 2 * LEASE  # as `conclave lead` has it
GRACEFUL = 0.002  # the goal


class Led(Conclave):
    """Nobody stands but for an application."""

    candidate = "false"
    keeps = SESSION

    def holder(self, node):
        return ["conclave", node.folder / "api.sock"]

    def is_up(self):
        return all(node.ask("GET", f"/v1/groups/{GROUP}") for node in self.nodes)


class LedByEtcd(Etcd):
    keeps = 1

    def holder(self, node):
        return ["etcd", node.port]

    def is_up(self):
        return self.agreed(self.nodes)


class LedByZooKeeper(ZooKeeper):
    keeps = 4  # two ticks: if less is asked it gives as much

    def holder(self, node):
        return ["zookeeper", node.port]

    def is_up(self):
        return self.agreed(self.nodes)


class Holders:
    """The applications, one at each node, and what they say."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.running = {}
        self.heard, self.unread = queue.Queue(), []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running.values():
            process.kill()
            process.wait()

    def start(self, node):
        words = [PYTHON, HOLDER, *self.cluster.holder(node), self.cluster.keeps]
        process = subprocess.Popen(
            [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.running[node.name] = process
        threading.Thread(target=self._listen, args=(node, process), daemon=True).start()

    def _listen(self, node, process):
        for line in process.stdout:
            what, number = line.split()
            self.heard.put((what, node, float(number)))
        trouble = process.stderr.read().strip()
        if trouble:
            self.heard.put((trouble, node, 0.0))

    def wait_for(self, expected):
        """The node at which an application says so, and the number that it says. What others say
        meanwhile may be waited for later: nobody's words are heard in the order of all."""
        while True:
            for at, (what, node, number) in enumerate(self.unread):
                if what == expected:
                    del self.unread[at]
                    return node, number
            try:
                self.unread.append(self.heard.get(timeout=PATIENCE))
            except queue.Empty as late:
                raise Trouble(f"nobody says {expected!r}") from late
            if self.unread[-1][0] not in ("held", "resigns", "lease"):
                raise Trouble(self.unread[-1][0])

    def end(self, node, how):
        process = self.running.pop(node.name)
        process.send_signal(how)
        return process


def changes(cluster, count, how, with_node=False):
    """Seconds from one application's end until the next one leads, and the lease in force."""
    cluster.wipe()
    cluster.start()
    _wait_until(cluster.is_up)
    times, lease = [], 0.0
    with Holders(cluster) as holders:
        for node in cluster.nodes:
            holders.start(node)
            _, lease = holders.wait_for("lease")
        leader, _ = holders.wait_for("held")
        for at in range(count):
            sleep(1 + lease / 4 * (at % 4) / 4)  # at another point of the period each time
            before, begin = leader, monotonic_ns()
            process = holders.end(before, how)
            if with_node:
                cluster.kill(before)
            if how == signal.SIGTERM:
                _, begin = holders.wait_for("resigns")
            leader, held = holders.wait_for("held")
            times.append((held - begin) / 1e9)
            process.wait(PATIENCE)
            if with_node:
                before.hang_up()
                cluster.start([before])
                _wait_until(cluster.is_up)
            holders.start(before)
            holders.wait_for("lease")
    cluster.stop()
    return times, lease


def _wait_until(ready):
    deadline = monotonic_ns() + PATIENCE * 1e9
    while not ready():
        if monotonic_ns() > deadline:
            raise Trouble("a node does not come up")
        sleep(0.01)


def attempt(kind, options, *trial):
    """None if a peer has trouble, which is said. Ours may have none."""
    settings = {"binary": options.conclave} if kind is Led else {}
    try:
        with kind(options.folder / kind.title, free_ports(3 * kind.ports), **settings) as cluster:
            return changes(cluster, *trial)
    except Trouble as trouble:
        if kind is Led:
            raise
        say(f"  {kind.title}: {trouble}: left out")
        return None


def compare(results):
    ours = median(results[Led.title][0])
    rows = [["", "lease, s", "ms, median / worst", "it / ours"]]
    for title, (times, lease) in results.items():
        share = "" if title == Led.title else ratio(median(times), ours)
        rows.append([title, f"{lease:g}", milliseconds(times, digits=1), share])
    table(rows)
    return ours


def main():
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--conclave", required=True)
    words.add_argument("--folder", type=Path, required=True, help="for everything they write")
    words.add_argument("--kills", type=int, default=6, help="0: none")
    words.add_argument("--resignations", type=int, default=40)
    options = words.parse_args()
    for number in signal.SIGINT, signal.SIGTERM:  # whatever runs is ended on the way out
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    kinds = [Led]
    for kind in LedByEtcd, LedByZooKeeper:
        if kind.installed():
            kinds.append(kind)
        else:
            say(f"{kind.title} is not installed (Debian: {kind.package}): left out")

    def trial(*how):
        found = {kind.title: attempt(kind, options, *how) for kind in kinds}
        return {title: result for title, result in found.items() if result}

    if options.kills > 0:
        section("Failover of a held leadership: SIGKILL of the application to the next that leads")
        compare(trial(options.kills, signal.SIGKILL))
        section("The same, and its node with it")
        compare(trial(options.kills, signal.SIGKILL, True))
    section("Graceful resignation to the next that leads")
    ours = compare(trial(options.resignations, signal.SIGTERM))
    inside = resigned_inside(options)
    say(f"  conclave's library, the node inside: {milliseconds(inside, digits=1)} ms")
    for who, took in ("over HTTP", ours), ("library", median(inside)):
        goal = f"below {1000 * GRACEFUL:g} ms in the median"
        say(f"  goal: {goal}, {who}: {verdict(took < GRACEFUL)}")
    synced = _sync_time(options.folder)
    say(f"  two votes are on disk before it, one after the other; fdatasync takes {synced:.2f} ms")


def resigned_inside(options):
    """Seconds, with the node inside of the application."""
    program = Path(options.conclave).parent / "bench" / "leadership" / "mandates"
    words = [str(program), str(options.resignations)]
    place = {**os.environ, "TMPDIR": str(options.folder)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=place)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(words)}: {done.stderr.strip()}")
    return [float(line) / 1000 for line in done.stdout.split()]


def _sync_time(folder):
    """Milliseconds, in the median, for a page."""
    times = []
    file = os.open(folder / "synced", os.O_CREAT | os.O_WRONLY)
    for _ in range(50):
        os.write(file, bytes(4096))
        begin = monotonic_ns()
        os.fdatasync(file)
        times.append((monotonic_ns() - begin) / 1e6)
    os.close(file)
    return median(times)


if __name__ == "__main__":
    try:
        main()
    except Trouble as trouble:
        sys.exit(str(trouble))
