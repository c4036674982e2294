#!/usr/bin/env bash
# usage: apart.sh
# Client isolation: hosts 1 and 2 hear hosts 3 and 4, and never each other. They must link through one
# of them, through the other when that one dies, and directly when the isolation is lifted.
set -u
source "$(dirname "$0")/hosts.sh"
hosts_up 4

# Through whom the TLS of a node goes to its one peer that it cannot reach; empty where to none.
via() { status_of "$1" | tr -d '\n' | grep -o '"carrier_via" *: *"[^"]*"' | cut -d'"' -f4; }

isolate() {
    local port
    for port in port1 port2; do ip -n "$tag-hub" link set dev $port type bridge_slave isolated "$1" || exit 1; done
}

isolate on
on 1 ping -c 1 -W 1 10.77.0.2 >/dev/null 2>&1 && { echo "the hosts are not apart"; exit 1; }
for host in 1 2 3 4; do node "$host" "n$host" --nick "n$host" --discovery beacon; done

took=$(await_links 3 10000 n1 n2 n3 n4) || { echo "no clique in 10 s"; exit 1; }
carrier=$(via n1)
echo "apart: clique of 4 after $took ms; n1 to n2 through '$carrier', n2 to n1 through '$(via n2)'"
[ -n "$carrier" ] && [ "$carrier" = "$(via n2)" ] || exit 1

kill -9 "${node_pid[$carrier]}"
unset "node_pid[$carrier]"
sleep 1.7
took=$(await_links 2 10000 n1 n2) || { echo "not linked again in 10 s"; exit 1; }
other=$(via n1)
echo "apart: $carrier killed; linked again $took ms after the verdict, through '$other'"
[ -n "$other" ] && [ "$other" != "$carrier" ] || exit 1

isolate off
start=$(now_ms)
while [ -n "$(via n1)$(via n2)" ]; do
    [ $(($(now_ms) - start)) -gt 20000 ] && { echo "still through a neighbour after 20 s"; exit 1; }
    sleep 0.1
done
echo "apart: direct $(($(now_ms) - start)) ms after the way opened, links up: n1 $(links_up n1), n2 $(links_up n2)"
[ "$(links_up n1)" = 2 ] && [ "$(links_up n2)" = 2 ]
