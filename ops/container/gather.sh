#!/bin/sh
# Copies the parts of a Debian system with Node that siteledger needs into a folder: `gather.sh FOLDER`.
set -eu
to=$1

# Follows links, so that both a link and its target are copied.
take() {
  while :; do
    mkdir -p "$to$(dirname "$1")"
    cp -a "$1" "$to$1"
    [ -L "$1" ] || return 0
    next=$(readlink "$1")
    case $next in
    /*) set -- "$next" ;;
    *) set -- "$(dirname "$1")/$next" ;;
    esac
  done
}

# Debian has a merged /usr: /bin and /lib are links.
for name in bin lib lib64; do
  if [ -L "/$name" ]; then
    mkdir -p "$to/usr/$name"
    cp -a "/$name" "$to/$name"
  fi
done

node=$(readlink -f "$(command -v node)")
mkdir -p "$to/usr/local/bin"
cp "$node" "$to/usr/local/bin/node"

# The programs that the launcher's shell script calls.
for program in sh readlink mkfifo; do take "$(command -v "$program")"; done

# The libraries of these programs, and those that native modules load.
libraries() { ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^\t\(\/[^ ]*\) (.*/\1/p'; }
for program in "$node" "$(readlink -f "$(command -v sh)")" "$(command -v readlink)" "$(command -v mkfifo)"; do
  libraries "$program"
done | sort -u | while read -r library; do take "$library"; done
for name in libstdc++.so.6 libgcc_s.so.1 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libresolv.so.2 libnss_dns.so.2 libnss_files.so.2; do
  path=$(ldconfig -p | sed -n "s/^\t$name .*=> //p" | head -n 1)
  if [ -n "$path" ]; then take "$path"; fi
done

mkdir -p "$to/usr/share"
cp -a /usr/share/zoneinfo "$to/usr/share/"
mkdir -p "$to/etc" "$to/data" "$to/tmp"
printf 'root:x:0:0:root:/:/sbin/nologin\nsiteledger:x:65532:65532:siteledger:/data:/sbin/nologin\n' >"$to/etc/passwd"
printf 'root:x:0:\nsiteledger:x:65532:\n' >"$to/etc/group"
printf 'hosts: files dns\n' >"$to/etc/nsswitch.conf"
chown 65532:65532 "$to/data"
chmod 0700 "$to/data"
chmod 1777 "$to/tmp"
