#!/usr/bin/env bash
# The node beside a three-node etcd and ZooKeeper: how light, how soon there is a leader, how soon
# the next one, and false alarms beside a compiler. bench/node/main.py says what is measured.
#
#     bench/node.sh --only light --idle 10     a part of it; --help lists the options
#     BENCH_LONG=1 bench/node.sh               ten minutes beside the compiler
#
# All of it runs in namespaces of its own where that is allowed: then no packet of anybody else is
# counted, and not even SIGKILL leaves a process behind.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

options=(--conclave "$PWD/build/release/conclave" --folder "$folder")
[[ -z ${BENCH_LONG:-} ]] || options+=(--compile 600)

apart=(unshare --net --pid --fork --kill-child --mount-proc)
((EUID == 0)) || apart+=(--map-root-user)
measure='ip link set lo up && exec python3 -B bench/node/main.py "$@"'
if ! "${apart[@]}" ip link set lo up 2> "$folder/why"; then
    echo "no namespaces ($(head -n 1 "$folder/why")): other traffic on loopback counts as well"
    apart=()
    measure=${measure#*&& }
fi
"${apart[@]}" bash -c "$measure" measure "${options[@]}" "$@"
