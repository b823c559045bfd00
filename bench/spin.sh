#!/usr/bin/env bash
# Spin on the models that bench_checker explores: states, seconds, states per second, memory.
# Neither side reduces (-DNOREDUCE), both look for assertions only (-DSAFETY), one core each.
set -euo pipefail
cd "$(dirname "$0")"
if ! command -v spin > /dev/null; then
    echo "spin is not installed (Debian: spin): nothing to compare with"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() {  # MODEL LABEL DEFINE...
    local model=$PWD/spin/$1.pml label=$2
    shift 2
    (
        cd "$work"
        spin -a "$@" "$model" > spin.log
        gcc -O3 -w -DSAFETY -DNOREDUCE -o pan pan.c
        ./pan -m1000000 -w24 > pan.log
        awk -v label="$label" '
            / states, stored/ { states = $1 }
            / transitions \(/ { transitions = $1 }
            /total actual memory usage/ { memory = $1 }
            /elapsed time/ { seconds = $4 }
            /errors:/ { errors = $NF }
            END { printf "%-18s %9d states %9d transitions %7.2f s %9.0f states/s %6.0f MB, %d errors\n",
                  label, states, transitions, seconds, states / (seconds > 0 ? seconds : 0.01),
                  memory, errors }' pan.log
    )
}

for nodes in 8 10 11; do
    run chang_roberts "chang_roberts/$nodes" -DN=$nodes
done
run ricart_agrawala ricart_agrawala/3 -DN=3 -DROUNDS=2
