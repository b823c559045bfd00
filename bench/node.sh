#!/usr/bin/env bash
# The node beside a three-node etcd and ZooKeeper: how light, how soon there is a leader, how soon
# the next one, and false alarms beside a compiler. bench/node/main.py says what is measured.
#
#     bench/node.sh --only light --idle 10     a part of it; --help lists the options
#     BENCH_LONG=1 bench/node.sh               ten minutes beside the compiler
set -euo pipefail
cd "$(dirname "$0")/.."
options=(--conclave "$PWD/build/release/conclave")
[[ -z ${BENCH_LONG:-} ]] || options+=(--compile 600)
exec bench/node/apart.sh bench/node/main.py "${options[@]}" "$@"
