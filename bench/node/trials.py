"""What is done to a cluster, the same way whatever the system, and how long it takes."""

import random
import signal
import subprocess
from dataclasses import dataclass
from time import monotonic, sleep

from cluster import Trouble
from system import Usage, memory_mib

READS = 2000  # of each node
HAND_OVERS = 20
SETTLE = 10  # seconds: what a start leaves behind, such as pages to give back, is done by then


@dataclass
class Footprint:
    """Of one node, on the average over the three."""

    idle_mib: float
    private_mib: float  # of it: the rest are pages of programs and libraries
    loaded_mib: float
    wakeups: float  # a second, and so are the others
    packets: float
    octets: float


def footprint(cluster, seconds):
    """Idle for a while, measured for as long, then under load. Nobody else uses loopback."""
    cluster.wipe()
    cluster.start()
    cluster.wait_for_leader()
    sleep(seconds)
    idle, private = _mean_mib(cluster, "VmRSS"), _mean_mib(cluster, "RssAnon")
    before = Usage.of(cluster.pids())
    sleep(seconds)
    rate = Usage.of(cluster.pids()).since(before)
    load(cluster)
    loaded = _mean_mib(cluster, "VmRSS")
    cluster.stop()
    each = len(cluster.nodes)
    return Footprint(
        idle,
        private,
        loaded,
        rate.wakeups / each,
        rate.packets / each,
        rate.octets / each,
    )


def idle_cpu(cluster, seconds):
    """Percent of a core, of one node, on the average over the three."""
    cluster.wipe()
    cluster.start()
    cluster.wait_for_leader()
    sleep(SETTLE)
    before = Usage.of(cluster.pids())
    sleep(seconds)
    rate = Usage.of(cluster.pids()).since(before)
    cluster.stop()
    return 100 * rate.cpu / len(cluster.nodes)


def load(cluster):
    """Everybody is asked who leads, and those who can hand the leadership round."""
    for node in cluster.nodes:
        for _ in range(READS):
            cluster.leader(node)
    if not hasattr(cluster, "hand_over"):
        return
    for _ in range(HAND_OVERS):
        leader = cluster.wait_for_leader()
        successor = random.choice(cluster.others(leader))
        cluster.hand_over(leader, successor)
        cluster.wait_for_leader(other_than=leader.name)


def start(cluster):
    """Seconds from the first process until all three name the same leader."""
    begin = monotonic()
    cluster.start()
    cluster.wait_for_leader()
    took = monotonic() - begin
    cluster.stop()
    return took


def first_boots(cluster, count):
    times = []
    for _ in range(count):
        cluster.wipe()
        times.append(start(cluster))
    return times


def clean_restarts(cluster, count):
    start(cluster)
    return [start(cluster) for _ in range(count)]


def failovers(cluster, count, how):
    """Seconds from the signal to the leader until both others name the same new one."""
    cluster.wipe()
    cluster.start()
    times = []
    for _ in range(count):
        cluster.wait_for_leader()
        # Not at the same point of everybody's period each time; and whoever was away has settled.
        sleep(random.uniform(1, 1.5))
        leader = cluster.wait_for_leader()
        begin = monotonic()
        leader.process.send_signal(how)
        cluster.wait_for_leader(cluster.others(leader), other_than=leader.name)
        times.append(monotonic() - begin)
        leader.hang_up()
        if how == signal.SIGSTOP:
            leader.process.send_signal(signal.SIGCONT)
        else:
            leader.process.wait()
            cluster.start([leader])
    cluster.wait_for_leader()
    cluster.stop()
    return times


@dataclass
class Alarms:
    """What three nodes have believed wrongly, on a busy machine."""

    suspicions: int
    changes: int
    late_ms: float  # no timer was later
    compilations: int


def alarms(cluster, compiler, jobs, seconds):
    """So many compilers at once, one after the other; nothing else is wrong with the machine."""
    cluster.wipe()
    cluster.start()
    cluster.wait_for_leader()
    sleep(2)
    before = [cluster.metrics(node) for node in cluster.nodes]
    compilations = _compile(compiler, jobs, seconds)
    after = [cluster.metrics(node) for node in cluster.nodes]
    cluster.stop()

    return Alarms(
        _growth(before, after, "conclave_suspicions_total"),
        _growth(before, after, "conclave_leader_changes_total"),
        1000 * max(_worst(*both) for both in zip(before, after)),
        compilations,
    )


def _compile(command, jobs, seconds):
    running, done = [], 0
    end = monotonic() + seconds
    try:
        while monotonic() < end:
            for one in [one for one in running if one.poll() is not None]:
                running.remove(one)
                done += 1
                if one.returncode != 0:
                    raise Trouble(f"{' '.join(command)} ends with {one.returncode}")
            while len(running) < jobs:
                running.append(subprocess.Popen(command))
            sleep(0.01)
    finally:
        for one in running:
            one.kill()
            one.wait()
    return done


def _growth(before, after, counter):
    """Of all its series, in all nodes."""

    def total(nodes):
        return sum(node[name] for node in nodes for name in node if name.startswith(counter))

    return int(total(after) - total(before))


def _worst(before, after):
    """The upper end of the last bucket of lateness that has grown."""
    prefix = 'conclave_loop_lag_seconds_bucket{le="'
    worst, counted = 0.0, 0.0
    buckets = [(float(name[len(prefix) : -2]), name) for name in after if name.startswith(prefix)]
    for end, name in sorted(buckets):
        more = after[name] - before.get(name, 0)
        if more > counted:
            worst, counted = end, more
    return worst


def _mean_mib(cluster, kind):
    return sum(memory_mib(pid, kind) for pid in cluster.pids()) / len(cluster.nodes)
