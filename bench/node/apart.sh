#!/usr/bin/env bash
# apart.sh MAIN [OPTION...] -- runs MAIN (Python) with a scratch folder, in namespaces of its own where
# that is allowed: then no packet of anybody else is counted, and not even SIGKILL leaves a process
# behind.
set -euo pipefail
main=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

apart=(unshare --net --pid --fork --kill-child --mount-proc)
((EUID == 0)) || apart+=(--map-root-user)
measure='ip link set lo up && exec python3 -B "$@"'
if ! "${apart[@]}" ip link set lo up 2> "$folder/why"; then
    echo "no namespaces ($(head -n 1 "$folder/why")): other traffic on loopback counts as well"
    apart=()
    measure=${measure#*&& }
fi
"${apart[@]}" bash -c "$measure" measure "$main" --folder "$folder" "$@"
