#!/usr/bin/env bash
# usage: unplug.sh
# Two nodes on the loopback. One plays and speaks through a card that is pulled out while it runs
# and put back: the node has to say so, to count it, to keep its link, and to sound again.
# The card is an ALSA plugin, built here (card.c); skipped where there is no C compiler.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
partyline=${PARTYLINE:-$here/../../.build/release/partyline}
work=$(mktemp -d)
declare -a children=()

[ -x "$partyline" ] || { echo "no $partyline: build first, or set PARTYLINE"; exit 2; }
compiler=$(command -v cc || command -v clang) || { echo "skipped: no C compiler"; exit 0; }

cleanup() {
    for pid in "${children[@]}"; do kill "$pid" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

"$compiler" -shared -fPIC -DPIC -o "$work/card.so" "$here/card.c" -lasound -lm || exit 2
touch "$work/present"
cat >"$work/asound.conf" <<CONF
</usr/share/alsa/alsa.conf>
pcm_type.testcard { lib "$work/card.so" }
pcm.card { type testcard present "$work/present" }
CONF

node() { # NAME PORT OPTION...
    local name=$1 port=$2
    shift 2
    ALSA_CONFIG_PATH=$work/asound.conf "$partyline" run --name "$name" --state-dir "$work/$name" \
        --control "$work/$name.sock" --listen "127.0.0.1:$port" --discovery none --talk open "$@" \
        >"$work/$name.log" 2>&1 &
    children+=($!)
}

status_of() { "$partyline" status --json --control "$work/$1.sock" 2>/dev/null | tr -d '\n' | tr -s ' '; }
# The last field of this name: those of the audio and of the mesh come before those of the one peer.
field() { status_of "$1" | grep -o "\"$2\" : \(\"[^\"]*\"\|[^,} ]*\)" | "${3:-tail}" -n 1 | sed 's/^[^:]* : //; s/"//g'; }
state() { status_of "$1" | grep -o '"audio" : {.*' | grep -o '"state" : "[^"]*"' | head -n 1; }
links() { field "$1" links_up; }
is_heard() { # HEARER: how loud its one peer is there
    local level
    level=$(field "$1" level_dbfs)
    [ -n "$level" ] && [ "${level%.*}" -gt -40 ]
}
not() { ! "$@"; }
card_runs() { state card | grep -q '"running"'; }
# Both directions say so; a stream that only stands still is noticed half a second later.
card_is_away() { state card | grep -q 'input alsa:card.*; output alsa:card'; }
is_linked() { [ "$(links card)" = 1 ] && [ "$(links other)" = 1 ]; }

failures=0
within() { # SECONDS WORDS COMMAND...
    local limit=$1 words=$2 start
    shift 2
    start=$(date +%s%N)
    until "$@"; do
        if [ $((($(date +%s%N) - start) / 1000000)) -gt $((limit * 1000)) ]; then
            echo "FAILED: $words"
            failures=$((failures + 1))
            return 1
        fi
        sleep 0.05
    done
    echo "ok after $((($(date +%s%N) - start) / 1000000)) ms: $words"
}

port=$((20000 + $$ % 20000))
node card "$port" --input alsa:card --output alsa:card
node other "$((port + 1))" --input tone:440 --output null --peer "127.0.0.1:$port"

within 15 "the nodes are linked" is_linked
within 5 "the card runs" card_runs
within 5 "the card's microphone is heard by the other node" is_heard other
within 5 "the other node is heard by the one with the card" is_heard card
instance=$(field card instance head)

for round in 1 2; do
    echo "--- pulled out, time $round"
    rm "$work/present"
    within 5 "status says that the card has gone" card_is_away
    echo "    $(state card)"
    within 5 "the other node hears silence" not is_heard other
    sleep 2
    within 1 "the link stayed" is_linked
    within 1 "the one with the card still follows the other" is_heard card
    echo "--- put back"
    touch "$work/present"
    within 10 "the card runs again" card_runs
    within 5 "its microphone is heard again" is_heard other
    within 1 "the link stayed" is_linked
    lost="$(field card audio_input_lost)/$(field card audio_output_lost)"
    within 1 "the losses are counted: $lost" [ "$lost" = "$round/$round" ]
done
within 1 "it is the same start of the node" [ "$(field card instance head)" = "$instance" ]
[ "$failures" = 0 ] || { cat "$work/card.log"; exit 1; }
