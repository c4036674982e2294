# Several hosts on one machine: network namespaces on one bridge, each with its own /run and host
# name. Sourced by the scripts beside it. Root only. Everything made here is removed on exit.
#
#   hosts_up N          hosts 1..N at 10.77.0.1..N/24 and fd77::1..N/64 on one bridge
#   on I COMMAND...     runs COMMAND on host I
#   node I NAME OPT...  starts `partyline run` on host I in the background
#   links_up I NAME     how many links that node has up; empty where it does not answer
#   await_links K NAMES waits until every named node (I:NAME) has K links, prints milliseconds

partyline=${PARTYLINE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.build/release/partyline}
tag=pl$$
work=$(mktemp -d)
declare -a holders=() children=()
declare -A node_pid=()

[ "$(id -u)" = 0 ] || { echo "skipped: network namespaces need root"; exit 0; }
[ -x "$partyline" ] || { echo "no $partyline: build first, or set PARTYLINE"; exit 2; }

cleanup() {
    trap '' INT TERM
    for pid in "${node_pid[@]}" "${children[@]}" "${holders[@]}"; do kill "$pid" 2>/dev/null; done
    for _ in $(seq 40); do [ -z "$(jobs -pr)" ] && break; sleep 0.1; done
    # What does not end or was forked away lives in the namespaces still.
    for ns in $(ip netns list 2>/dev/null | awk -v t="$tag-" 'index($1, t) == 1 {print $1}'); do
        for pid in $(ip netns pids "$ns"); do kill -9 "$pid" 2>/dev/null; done
    done
    wait 2>/dev/null
    for ns in $(ip netns list 2>/dev/null | awk -v t="$tag-" 'index($1, t) == 1 {print $1}'); do ip netns del "$ns"; done
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# A namespace kept alive by a process with mounts and a host name of its own.
host_holder() { # NAMESPACE HOSTNAME -> pid in $holder
    ip netns exec "$1" unshare -m -u --propagation private bash -c "
        mount -t tmpfs tmpfs /run && hostname $2 && exec sleep infinity" &
    holder=$!
    holders+=("$holder")
}

hosts_up() {
    local count=$1 i
    ip netns add "$tag-hub"
    ip -n "$tag-hub" link add br0 type bridge mcast_snooping 0
    ip -n "$tag-hub" link set br0 up
    for i in $(seq 1 "$count"); do
        ip netns add "$tag-$i"
        ip -n "$tag-$i" link set lo up
        ip -n "$tag-$i" link add eth0 type veth peer name "port$i" netns "$tag-hub"
        ip -n "$tag-hub" link set "port$i" master br0 up
        # The kernel makes link-local addresses late; tests want them at once.
        ip -n "$tag-$i" addr add "10.77.0.$i/24" dev eth0
        ip -n "$tag-$i" addr add "fd77::$i/64" dev eth0 nodad
        ip -n "$tag-$i" link set eth0 addrgenmode none
        ip -n "$tag-$i" link set eth0 up
        ip -n "$tag-$i" addr add "fe80::$i/64" dev eth0 nodad
        ip -n "$tag-$i" route add default via 10.77.0.254 2>/dev/null || true
        host_holder "$tag-$i" "host$i"
        host_pid[i]=$holder
    done
    sleep 0.3
}
declare -a host_pid=()

on() {
    local host=$1
    shift
    nsenter -t "${host_pid[$host]}" -n -m -u -- "$@"
}

node() {
    local host=$1 name=$2
    shift 2
    # nsenter itself in the background, not a shell around it: its process becomes the node.
    nsenter -t "${host_pid[$host]}" -n -m -u -- "$partyline" run --name "$name" --state-dir "$work/$name" --control "$work/$name.sock" \
        --input null --output null "$@" >"$work/$name.log" 2>&1 &
    node_pid[$name]=$!
}

stop_nodes() {
    local name
    for name in "${!node_pid[@]}"; do
        kill "${node_pid[$name]}" 2>/dev/null
        wait "${node_pid[$name]}" 2>/dev/null
        unset "node_pid[$name]"
    done
}

status_of() { "$partyline" status --json --control "$work/$1.sock" 2>/dev/null; }
# Keys are sorted: a counter of the same name comes before the number of links.
links_up() { status_of "$1" | tr -d ' \n' | grep -o '"links_up":[0-9]*' | tail -n 1 | cut -d: -f2; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }

# await_links WANTED DEADLINE_MS NAME...: milliseconds until every node has WANTED links, or "never".
await_links() {
    local wanted=$1 limit=$2 start name complete
    shift 2
    start=$(now_ms)
    while :; do
        complete=1
        for name in "$@"; do [ "$(links_up "$name")" = "$wanted" ] || { complete=0; break; }; done
        [ $complete = 1 ] && { echo $(($(now_ms) - start)); return 0; }
        [ $(($(now_ms) - start)) -gt "$limit" ] && { echo never; return 1; }
        sleep 0.02
    done
}

median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }
worst() { printf '%s\n' "$@" | sort -n | tail -n 1; }
