#!/usr/bin/env bash
# The lock service beside one Redis: lock and unlock pairs per second with 1, 8 and 64 clients, each
# with a lock and a connection of its own, and hand-overs of one lock among 8. What differs: three
# nodes hold a lock's leader by lease, and a crash of one loses no lock; Redis is one process
# without fsync, as it ships. Neither writes a lock to disk.
set -euo pipefail
cd "$(dirname "$0")/.."
conclave=$PWD/build/release/conclave
driver=$PWD/build/release/bench/locks/locks_driver
folder=$(mktemp -d)
seconds=${1:-5}
end() {
    # shellcheck disable=SC2046
    kill $(jobs -p) 2>/dev/null || true
    wait
    rm -rf "$folder"
}
trap end EXIT

"$conclave" up -n 3 --dir "$folder" >"$folder/up.log" 2>&1 &
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --appendonly no >"$folder/redis.log" &
for _ in {1..600}; do
    [[ -S $folder/n1/api.sock && -S $folder/redis.sock ]] && break
    sleep 0.05
done
leader=$("$conclave" --endpoint "unix:$folder/n1/api.sock" leader locks --wait 60s)
endpoint=unix:$folder/$leader/api.sock
"$conclave" --endpoint "$endpoint" lock ready -- true  # not in the silence after an election

row='%-10s %8s %12s %14s %14s %10s\n'
# shellcheck disable=SC2059
printf "$row" system clients pairs/s 'median, us' '99 %, us' 'ratio'
for clients in 1 8 64; do
    read -r _ _ theirs median late < <("$driver" redis "$folder/redis.sock" "$clients" "$seconds")
    # shellcheck disable=SC2059
    printf "$row" redis "$clients" "$theirs" "$median" "$late" 1
    read -r _ _ ours median late < <("$driver" conclave "$endpoint" "$clients" "$seconds")
    ratio=$(awk "BEGIN { printf \"%.2f\", $ours / $theirs }")
    # shellcheck disable=SC2059
    printf "$row" conclave "$clients" "$ours" "$median" "$late" "$ratio"
done
read -r _ _ handed median late < <("$driver" conclave "$endpoint" 8 "$seconds" one-for-all)
echo "conclave, one lock among 8 clients: $handed hand-overs/s, median $median us, 99 % $late us"
