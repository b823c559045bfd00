#!/usr/bin/env bash
# How soon the next application leads, beside etcd and ZooKeeper. bench/leadership/main.py says what
# is measured.
#
#     bench/leadership.sh --kills 3 --resignations 20      less of it; --help lists the options
set -euo pipefail
cd "$(dirname "$0")/.."
exec bench/node/apart.sh bench/leadership/main.py --conclave "$PWD/build/release/conclave" "$@"
