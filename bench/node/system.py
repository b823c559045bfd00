"""What the kernel knows of processes: memory, time, wake-ups, and what went over loopback."""

import socket
from dataclasses import dataclass
from pathlib import Path
from time import monotonic


def free_ports(count):
    """Ports that were free a moment ago. All are held at once, so that they differ."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def memory_mib(pid, kind):
    """`kind` as in /proc/PID/status: VmRSS, RssAnon, ..."""
    return _status(f"/proc/{pid}/status", kind) / 1024


@dataclass(frozen=True)
class Usage:
    """Since some processes began, and since the machine did; only differences mean anything."""

    at: float
    cpu: float  # seconds, of all threads
    wakeups: int  # of all threads: each time one had gone to sleep by itself
    packets: int
    octets: int

    @staticmethod
    def of(pids):
        threads = [thread for pid in pids for thread in Path(f"/proc/{pid}/task").iterdir()]
        # In nanoseconds, where /proc/PID/stat has hundredths of a second: a light node takes
        # less than that in a second.
        cpu = sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1e9
        wakeups = sum(_status(one / "status", "voluntary_ctxt_switches") for one in threads)
        packets, octets = _loopback()
        return Usage(monotonic(), cpu, wakeups, packets, octets)

    def since(self, before):
        """Per second."""
        seconds = self.at - before.at
        return Usage(
            seconds,
            (self.cpu - before.cpu) / seconds,
            (self.wakeups - before.wakeups) / seconds,
            (self.packets - before.packets) / seconds,
            (self.octets - before.octets) / seconds,
        )


def load_average():
    return Path("/proc/loadavg").read_text().split()[0]


def _status(path, name):
    for line in Path(path).read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise KeyError(f"{path} has no {name}")


def _loopback():
    """Received, which on loopback is what was sent. Of this network namespace alone."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        device, _, numbers = line.partition(":")
        if device.strip() == "lo":
            octets, packets = numbers.split()[:2]
            return int(packets), int(octets)
    raise KeyError("/proc/net/dev has no lo")
