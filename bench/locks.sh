#!/usr/bin/env bash
# The lock service beside etcd, ZooKeeper and Redis. bench/locks/main.py says what is measured.
#
#     bench/locks.sh --seconds 2 --clients 64      a part of it; --help lists the options
#
# All of it runs in namespaces of its own where that is allowed: then not even SIGKILL leaves a
# process behind.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

options=(--conclave "$PWD/build/release/conclave" --drivers "$PWD/build/release/bench/locks")
apart=(unshare --net --pid --fork --kill-child --mount-proc)
((EUID == 0)) || apart+=(--map-root-user)
measure='ip link set lo up && exec python3 -B bench/locks/main.py "$@"'
if ! "${apart[@]}" ip link set lo up 2> "$folder/why"; then
    apart=()
    measure=${measure#*&& }
fi
"${apart[@]}" bash -c "$measure" measure "${options[@]}" --folder "$folder" "$@"
