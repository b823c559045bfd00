"""The node beside a three-node etcd and ZooKeeper, one system after the other, on loopback.

    light      memory, CPU, wake-ups and packets of a node that has nothing to do, and memory
               after a load
    start      from the first process until all three name the same leader
    failover   from a signal to the leader until the other two name the same new one
    alarms     false suspicions while a compiler has all cores

Everybody is asked from outside, the same way: a request to each node's own interface, over and
over. Numbers are printed, with the goal beside them; none of them makes this fail.
"""

import argparse
import os
import signal
import sys
from pathlib import Path
from statistics import median

from cluster import POLL, Trouble
from conclave import Conclave, PlainConclave
from etcd import Etcd, EtcdUnderTls
from report import milliseconds, ratio, say, section, table, verdict
from system import free_ports
from trials import HAND_OVERS, READS
from trials import alarms, clean_restarts, failovers, first_boots, footprint, idle_cpu
from zookeeper import ZooKeeper

ROUNDS = 3  # of measuring idle CPU
SLOW_FREEZES = 3  # of ZooKeeper, which takes ten seconds for each
COMPILED = "src/net/links.cc"


class Bench:
    def __init__(self, options):
        self.options = options
        self.kinds = [Conclave]
        for kind in Etcd, ZooKeeper:
            if kind.installed():
                self.kinds.append(kind)
            else:
                say(f"{kind.title} is not installed (Debian: {kind.package}): left out")

    def attempt(self, trial, kind, **settings):
        """None if a peer has trouble, which is said. Ours may have none."""
        if issubclass(kind, Conclave):
            settings["binary"] = self.options.conclave
        with kind(self.options.folder / kind.title, free_ports(3 * kind.ports), **settings) as one:
            try:
                return trial(one)
            except Trouble as trouble:
                if issubclass(kind, Conclave):
                    raise
                say(f"  {trouble}")
                return None

    def attempt_each(self, trial, trials=None):
        """By label; the default is each system as it comes."""
        trials = trials or [(kind.title, kind, {}) for kind in self.kinds]
        results = {}
        for label, kind, settings in trials:
            if any(issubclass(kind, known) for known in self.kinds):
                result = self.attempt(trial, kind, **settings)
                if result:
                    results[label] = result
        return results

    def light(self):
        seconds = self.options.idle
        section(f"Light: per node, idle for {seconds} s, then over {seconds} s")
        say(f"  load: {READS} times the question who leads, to each node, and {HAND_OVERS} times")
        say("  the leadership handed over (ZooKeeper cannot do that)")
        results = self.attempt_each(lambda one: footprint(one, seconds))
        rows = [["", *results, "/ etcd", "goal"]]
        for words, name, digits, goal in (
            ("resident memory, MiB, idle", "idle_mib", 1, 1 / 2),
            ("  of it private to the process", "private_mib", 1, None),
            ("resident memory, MiB, after the load", "loaded_mib", 1, 1 / 3),
            ("wake-ups/s", "wakeups", 0, None),
            ("packets/s", "packets", 0, None),
            ("bytes/s on loopback", "octets", 0, None),
        ):
            values = {label: getattr(one, name) for label, one in results.items()}
            ours, etcd = values[Conclave.title], values.get(Etcd.title)
            row = [words, *(f"{value:.{digits}f}" for value in values.values())]
            row += [ratio(ours, etcd) if etcd else ""]
            row += [f"{goal:.2f}: {verdict(ours <= goal * etcd)}" if goal and etcd else ""]
            rows.append(row)
        table(rows)
        self.idle(seconds)

    def idle(self, seconds):
        """In turn, and again: how fast a shared machine is changes within minutes."""
        say(f"  idle CPU, % of a core per node, {ROUNDS} times {seconds} s in turn")
        second = f"{Conclave.title}, lease 1s"
        trials = [
            (PlainConclave.title, PlainConclave, {}),
            (Etcd.title, Etcd, {}),
            (Conclave.title, Conclave, {}),
            (EtcdUnderTls.title, EtcdUnderTls, {}),
            (second, Conclave, {"lease": "1s"}),
            (ZooKeeper.title, ZooKeeper, {}),
        ]
        rounds = [self.attempt_each(lambda one: idle_cpu(one, seconds), trials) for _ in range(ROUNDS)]
        measured = {label: [one[label] for one in rounds if label in one] for label, _, _ in trials}
        rows = [["", "median", "all"]]
        for label, values in measured.items():
            if values:
                rows.append([label, f"{median(values):.2f}", " ".join(f"{one:.2f}" for one in values)])
        table(rows)
        rows = [["ours / etcd's", "", "goal"]]
        for words, ours, theirs in (
            ("both in plaintext, at their defaults", PlainConclave.title, Etcd.title),
            ("both with TLS, at their defaults", Conclave.title, EtcdUnderTls.title),
            ("both with TLS and a second", second, EtcdUnderTls.title),
            ("with TLS, of an etcd in plaintext", Conclave.title, Etcd.title),
        ):
            if measured[theirs]:
                part = median(measured[ours]) / median(measured[theirs])
                rows.append([words, f"{part:.2f}", f"0.20: {verdict(part <= 1 / 5)}"])
        table(rows)

    def start(self):
        count = self.options.starts
        section("Start: first process to a leader named by all three, ms, median / worst")
        first = self.attempt_each(lambda one: first_boots(one, count))
        again = self.attempt(lambda one: clean_restarts(one, count), Conclave)
        met = max(median(first[Conclave.title]), median(again)) < 0.1
        rows = [["", "first boot", "after a clean stop", "goal"]]
        rows.append([Conclave.title, milliseconds(first.pop(Conclave.title)), milliseconds(again)])
        rows[1].append(f"below 100: {verdict(met)}")
        rows += [[title, milliseconds(times), "", ""] for title, times in first.items()]
        table(rows)

    def failover(self):
        section("Failover: signal to a new leader named by both others, ms, median / worst")
        trials = [
            ("conclave, default", Conclave, {}),
            ("conclave, lease 1s", Conclave, {"lease": "1s"}),
            ("etcd, default", Etcd, {}),
            ("etcd, 10/100 ms", Etcd, {"heartbeat_interval": 10, "election_timeout": 100}),
            ("ZooKeeper, default", ZooKeeper, {}),
        ]
        results = self.attempt_each(self.kill_and_freeze, trials)
        rows = [["", "SIGKILL", "SIGSTOP", "bound"]]
        for label, (killed, frozen, bound) in results.items():
            promise = f"{1000 * bound:.0f}" if bound else ""
            rows.append([label, milliseconds(killed), milliseconds(frozen), promise])
        table(rows)
        if "etcd, default" in results:
            self.compare(*(results[label] for label, _, _ in trials[:3]))

    def kill_and_freeze(self, cluster):
        count = self.options.failovers
        freezes = min(count, SLOW_FREEZES) if isinstance(cluster, ZooKeeper) else count
        bound = cluster.bound() if isinstance(cluster, Conclave) else None
        killed = failovers(cluster, count, signal.SIGKILL)
        return killed, failovers(cluster, freezes, signal.SIGSTOP), bound

    @staticmethod
    def compare(default, second, etcd):
        def times_as_fast(ours):
            return [median(theirs) / median(own) for own, theirs in zip(ours[:2], etcd[:2])]

        faster, even = times_as_fast(default), times_as_fast(second)
        worst = max(max(times) for times in second[:2])
        say(f"  at our default {faster[0]:.1f} and {faster[1]:.1f} times as fast as etcd at its:")
        say(f"    goal 4, {verdict(min(faster) >= 4)}")
        say(f"  with a lease of etcd's second {even[0]:.2f} and {even[1]:.2f} times as fast:")
        say(f"    goal 1, {verdict(min(even) >= 1)}; the bound is {verdict(worst <= second[2])}")

    def alarm(self):
        seconds, cores = self.options.compile, os.cpu_count()
        if self.options.beside_others:
            cores = 0
        section(f"Alarms: {seconds} s beside {cores or 'no'} compilers of its own at once")
        flags = ["-std=c++20", "-O2", "-Isrc", "-DBOOST_ASIO_SEPARATE_COMPILATION", "-S"]
        compiler = ["g++", *flags, COMPILED, "-o", "/dev/null"]
        seen = self.attempt(lambda one: alarms(one, compiler, cores, seconds), Conclave)
        say(f"  {seen.compilations} times {COMPILED}; every timer at most {seen.late_ms:g} ms late")
        say(f"  in all three nodes {seen.suspicions} suspicions, {seen.changes} changes of leader;")
        say(f"    goal 0: {verdict(seen.suspicions == 0 and seen.changes == 0)}")


def main():
    parts = ["light", "start", "failover", "alarm"]
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--conclave", required=True)
    words.add_argument("--folder", type=Path, required=True, help="for everything they write")
    words.add_argument("--idle", type=int, default=30, help="seconds")
    words.add_argument("--starts", type=int, default=20)
    words.add_argument("--failovers", type=int, default=10)
    words.add_argument("--compile", type=int, default=60, help="seconds")
    words.add_argument("--beside-others", action="store_true",
                       help="no compilers of its own: something else keeps the cores busy")
    words.add_argument("--only", nargs="+", choices=parts, default=parts)
    options = words.parse_args()
    for number in signal.SIGINT, signal.SIGTERM:  # whatever runs is ended on the way out
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    say(f"{os.cpu_count()} cores; everybody is asked every {1000 * POLL:g} ms")
    bench = Bench(options)
    for part in options.only:
        getattr(bench, part)()


if __name__ == "__main__":
    try:
        main()
    except Trouble as trouble:
        sys.exit(str(trouble))
