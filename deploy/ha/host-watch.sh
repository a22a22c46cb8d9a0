#!/bin/bash
# Has Patroni elect another primary a few seconds after the primary's host has gone. Patroni by itself waits until the
# host's lease ends, after its ttl, and takes no less than 20 s for that. Run it on the hosts of etcd, which need etcdctl, curl and
# ping, as often as you like:
#   deploy/ha/host-watch.sh ETCD SCOPE [PORT]     http://10.0.0.1:2379 pharos 8008
#
# It only takes the lease away; who becomes primary is Patroni's own decision. If the host is alive and just cannot be
# reached from here, it takes the lease again. With synchronous_mode it has acknowledged nothing that the next primary lacks.
#
# SECONDS_SILENT (4): how long neither Patroni nor the host's network may answer.
set -euo pipefail

etcd=${1:?etcd, as http://HOST:PORT}
scope=${2:?the scope of Patroni}
port=${3:-8008}
most=${SECONDS_SILENT:-4}
export ETCDCTL_API=3
key=/service/$scope

etcd() { timeout 2 etcdctl --endpoints="$etcd" "$@"; }
value() { etcd get "$1" --print-value-only 2>/dev/null; }
# Where the member's Patroni listens, as it has told etcd itself.
host() { value "$key/members/$1" | sed -n 's|.*"api_url": *"https*://\([^:/"]*\).*|\1|p'; }
# A host that answers a ping is there: whether its Patroni is well is for Patroni to decide.
answers() { curl -s -o /dev/null -k -m 1 "http://$1:$port/liveness" || ping -c 1 -W 1 "$1" >/dev/null 2>&1; }
# Somebody has to be there to take over; otherwise it is this host that is cut off.
another_answers() {
  local member
  for member in $(etcd get "$key/members/" --prefix --keys-only | sed -n 's|.*/members/\(.\+\)|\1|p'); do
    [ "$member" != "$1" ] && answers "$(host "$member")" && return 0
  done
  return 1
}

silent=0
while sleep 1; do
  leader=$(value "$key/leader") || continue
  address=$([ -z "$leader" ] || host "$leader")
  if [ -z "$address" ] || answers "$address"; then
    silent=0
    continue
  fi
  silent=$((silent + 1))
  [ $silent -ge $(((most + 1) / 2)) ] || continue
  another_answers "$leader" || continue
  # Unless somebody else has become primary in this moment.
  [ "$(value "$key/leader")" = "$leader" ] || continue
  echo "$(date -u +%FT%TZ) $leader ($address) does not answer; its lease is taken away" >&2
  etcd del "$key/leader" >/dev/null && silent=0
done
