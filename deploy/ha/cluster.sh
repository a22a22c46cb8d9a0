#!/bin/bash
# A small cluster on one Linux machine, to try what Pharos does when its database fails over: two PostgreSQL servers under
# Patroni, each in a network namespace of its own, with one etcd, HAProxy, PgBouncer and a watch over the hosts in front. As
# root, on Debian 12:
#   deploy/ha/cluster.sh install        the packages
#   deploy/ha/cluster.sh start FOLDER   builds and starts it; data and logs are in FOLDER
#   deploy/ha/cluster.sh stop FOLDER    ends what it started, and removes the namespaces
# It is for trials: all passwords are "secret", and one etcd is one too few. For real use put etcd on three hosts.
set -euo pipefail

bridge=pharos-ha
net=10.77.0
front=$net.1
members=(1 2)
pg=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
command=${1:-}
folder=${2:-/var/tmp/pharos-ha}

say() { echo "$*" >&2; }

# Starts a program in the background, and notes its number, so that nothing else is ever ended.
run() {
  local name=$1
  shift
  setsid "$@" >"$folder/$name.log" 2>&1 </dev/null &
  echo $! >"$folder/$name.pid"
}

as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }

network() {
  ip link add $bridge type bridge
  ip addr add $front/24 dev $bridge
  ip link set $bridge up
  for n in "${members[@]}"; do
    ip netns add $bridge-db$n
    ip link add $bridge-v$n type veth peer name eth0 netns $bridge-db$n
    ip link set $bridge-v$n master $bridge up
    ip -n $bridge-db$n link set lo up
    ip -n $bridge-db$n addr add $net.1$n/24 dev eth0
    ip -n $bridge-db$n link set eth0 up
  done
}

patroni_config() {
  local n=$1
  cat <<CONFIG
scope: pharos
name: db$n
restapi: {listen: $net.1$n:8008, connect_address: $net.1$n:8008}
etcd3: {hosts: $front:2379}
bootstrap:
  dcs:
    # How long a primary may be silent before another one takes over. Patroni takes no less than 20 for ttl; host-watch.sh
    # notices sooner that a host is gone.
    ttl: 20
    loop_wait: 3
    retry_timeout: 5
    # A primary that crashes is replaced at once, not restarted.
    primary_start_timeout: 0
    maximum_lag_on_failover: 1048576
    # Whatever is acknowledged is on two hosts.
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {wal_log_hints: 'on', max_connections: 200, synchronous_commit: 'on', wal_keep_size: 256MB, max_wal_senders: 8}
  initdb: [{encoding: UTF8}, {locale: C}, data-checksums]
postgresql:
  listen: $net.1$n:5432
  connect_address: $net.1$n:5432
  data_dir: $folder/db$n
  bin_dir: $pg
  pgpass: $folder/pgpass$n
  pg_hba: ['host replication replicator $net.0/24 md5', 'host all all $net.0/24 md5', 'local all all trust']
  authentication:
    superuser: {username: postgres, password: secret}
    replication: {username: replicator, password: secret}
  parameters: {unix_socket_directories: $folder/run$n, shared_buffers: 64MB}
CONFIG
}

haproxy_config() {
  cat <<CONFIG
global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind $front:5000
  option httpchk OPTIONS /primary
  http-check expect status 200
  # Connections to a server that is no longer the primary are ended: nobody else tells their clients.
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
$(for n in "${members[@]}"; do echo "  server db$n $net.1$n:5432 check port 8008"; done)
CONFIG
}

pgbouncer_config() {
  cat <<CONFIG
[databases]
pharos = host=$front port=5000 dbname=pharos
[pgbouncer]
listen_addr = $front
listen_port = 6432
auth_type = plain
auth_file = $folder/users.txt
# Debian 12 has 1.18. Transaction mode needs 1.21, which knows prepared statements.
pool_mode = session
max_client_conn = 500
default_pool_size = 100
server_connect_timeout = 3
# After a refused connection all clients wait for this long; the default of 15 s would be the length of every fail-over.
server_login_retry = 1
CONFIG
}

primary() { curl -s -m 2 "http://$net.1${members[0]}:8008/cluster" || curl -s -m 2 "http://$net.1${members[1]}:8008/cluster"; }

start() {
  mkdir -p "$folder"
  chown postgres "$folder"
  network
  run etcd etcd --data-dir "$folder/etcd" --listen-client-urls http://$front:2379 --advertise-client-urls http://$front:2379 \
    --listen-peer-urls http://$front:2380 --initial-advertise-peer-urls http://$front:2380 --initial-cluster default=http://$front:2380
  for n in "${members[@]}"; do
    as_postgres mkdir -p "$folder/run$n"
    patroni_config "$n" >"$folder/patroni$n.yml"
    run "patroni$n" ip netns exec $bridge-db$n setpriv --reuid=postgres --regid=postgres --clear-groups patroni "$folder/patroni$n.yml"
  done
  haproxy_config >"$folder/haproxy.cfg"
  run host-watch "$(dirname "$0")/host-watch.sh" http://$front:2379 pharos
  run haproxy haproxy -db -f "$folder/haproxy.cfg"
  echo '"postgres" "secret"' >"$folder/users.txt"
  pgbouncer_config >"$folder/pgbouncer.ini"
  run pgbouncer setpriv --reuid=postgres --regid=postgres --clear-groups pgbouncer "$folder/pgbouncer.ini"
  say "waiting for a primary and a synchronous standby"
  for _ in $(seq 180); do
    if primary | grep -q sync_standby; then
      PGPASSWORD=secret psql -h $front -p 5000 -U postgres -qc \
        "create database pharos template template0 lc_collate 'C' lc_ctype 'C' encoding 'UTF8'"
      echo "postgres://postgres:secret@$front:5000/pharos?target_session_attrs=read-write"
      return
    fi
    sleep 1
  done
  say "it did not start; the logs are in $folder"
  exit 1
}

stop() {
  for file in "$folder"/*.pid; do
    # The whole group: Patroni's PostgreSQL is in it.
    [ -e "$file" ] && kill -TERM -- "-$(cat "$file")" 2>/dev/null || true
  done
  sleep 3
  for n in "${members[@]}"; do
    ip netns pids $bridge-db$n 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns del $bridge-db$n 2>/dev/null || true
  done
  ip link del $bridge 2>/dev/null || true
  rm -f "$folder"/*.pid
}

case $command in
  install)
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql patroni python3-etcd etcd-server etcd-client \
      haproxy pgbouncer curl iproute2 iputils-ping
    ;;
  start) start ;;
  stop) stop ;;
  status) primary ;;
  *)
    sed -n '2,8p' "$0" >&2
    exit 2
    ;;
esac
