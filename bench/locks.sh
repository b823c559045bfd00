#!/usr/bin/env bash
# The lock service beside etcd, ZooKeeper and Redis. bench/locks/main.py says what is measured.
#
#     bench/locks.sh --seconds 2 --clients 64      a part of it; --help lists the options
set -euo pipefail
cd "$(dirname "$0")/.."
release=$PWD/build/release
exec bench/node/apart.sh bench/locks/main.py \
    --conclave "$release/conclave" --drivers "$release/bench/locks" "$@"
