#!/usr/bin/env bash
# The explorer and Spin on the same models, one core each: states, CPU seconds, states per second,
# bytes per state. Both look at assertions only and keep hashes only, or all of each state.
#
#     every way    no reduction: ours takes every way, Spin is compiled with -DNOREDUCE
#     reduced      ours lets ways sleep (src/check/sleep.h), Spin reduces by partial order
#     -DHC4        Spin's compaction (without it Spin keeps all): it may take two states for one
#
# The explorer has a state more for each node: they boot one after the other. Spin counts the
# first state as a transition.
set -euo pipefail
cd "$(dirname "$0")"
ours=${1:-$PWD/../build/release/bench/bench_checker}
if ! command -v spin > /dev/null; then
    echo "spin is not installed (Debian: spin): nothing to compare with"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT


race_spin() {  # MODEL NODES ROUNDS SETTING FLAG...
    local model=$1 nodes=$2 rounds=$3 setting=$4
    shift 4
    (
        cd "$work"
        spin -a -DN="$nodes" -DROUNDS="$rounds" "$OLDPWD/spin/$model.pml" > spin.log
        gcc -O2 -w -DSAFETY "$@" -o pan pan.c
        TIMEFORMAT=%U
        { time ./pan -m1000000 -w24 > pan.log; } 2> seconds
        awk -v seconds="$(cat seconds)" -v who="$model/$nodes spin $setting" '
            / states, stored/ { states = $1 }
            / transitions \(/ { transitions = $1 }
            /actual memory usage for states/ { megabytes = $1 }
            /errors: [1-9]/ { exit 1 }
            END { print who, states, transitions, seconds, megabytes * 1048576 / states }' pan.log
    ) >> "$work/rows"
}

race_ours() {
    "$ours" --benchmark_format=json --benchmark_filter='threads:1/.*iterations:1$' 2> /dev/null |
        awk -F'[":, ]+' '
            $2 == "name" {
                split($0, part, /[":\/]+/)  # model, nodes, N, threads, 1, every_way, 0 or 1
                world = part[4] "/" part[6]
                setting = part[10] ? "every-way" : "reduced"
            }
            NF > 2 { value[$2] = $3 }
            /^    }/ && value["states"] {
                print world, "ours", setting, value["states"], value["transitions"],
                      value["cpu_time"] / 1000, value["table_bytes_per_state"]
            }' >> "$work/rows"
}

race_ours
for nodes in 8 10 11; do
    race_spin chang_roberts $nodes 1 every-way -DNOREDUCE
    race_spin chang_roberts $nodes 1 every-way,-DHC4 -DNOREDUCE -DHC4
    race_spin chang_roberts $nodes 1 reduced
done
for world in "3 2" "4 1"; do
    read -r nodes rounds <<< "$world"
    race_spin ricart_agrawala "$nodes" "$rounds" every-way -DNOREDUCE
    race_spin ricart_agrawala "$nodes" "$rounds" every-way,-DHC4 -DNOREDUCE -DHC4
    race_spin ricart_agrawala "$nodes" "$rounds" reduced
done

# Each row against Spin's with the same reduction that keeps all of each state.
sort -s -k1,1V "$work/rows" | awk '
    { lines[NR] = $0; if ($2 == "spin" && $3 !~ /,/) speed[$1, $3] = $4 / $6 }
    END {
        format = "%-18s %-5s %-16s %9s %9s %8s %10s %6s %6s\n"
        printf format, "world", "who", "setting", "states", "trans.", "CPU s", "states/s",
               "B/st.", "x Spin"
        for (i = 1; i <= NR; ++i) {
            split(lines[i], f, " ")
            reduction = f[3]
            sub(/,.*/, "", reduction)
            if (f[6] == 0) f[6] = 0.01
            printf format, f[1], f[2], f[3], sprintf("%d", f[4]), sprintf("%d", f[5]),
                   sprintf("%.2f", f[6]), sprintf("%d", f[4] / f[6]), sprintf("%.0f", f[7]),
                   sprintf("%.1f", f[4] / f[6] / speed[f[1], reduction])
        }
    }'
