#!/usr/bin/env bash
# Installs the Debian packages of debian-packages.txt that are missing.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v dpkg-query >/dev/null ||
  die "this script installs Debian packages and dpkg is not here;" \
      "install the equivalents of scripts/debian-packages.txt and run again with SPINE_SKIP_DEBIAN=1"

mapfile -t wanted < <(grep -v '^#' "$root/scripts/debian-packages.txt")
mapfile -t present < <(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' "${wanted[@]}" 2>/dev/null |
                       sed -n 's/^installed \([^:]*\).*/\1/p')
missing=()
for package in "${wanted[@]}"; do
  [[ " ${present[*]} " == *" $package "* ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null ||
    die "missing Debian packages: ${missing[*]}; run as root or install sudo"
  as_root=(sudo)
fi

say "installing Debian packages: ${missing[*]}"
# A source of the machine's own that cannot be reached must not end this: what
# counts is whether the packages can be installed.
"${as_root[@]}" apt-get update -q || say "apt-get update reported problems; going on"
unavailable=()
for package in "${missing[@]}"; do
  apt-cache show --no-all-versions "$package" >/dev/null 2>&1 || unavailable+=("$package")
done
if ((${#unavailable[@]})); then
  die "apt-get does not know ${unavailable[*]}; on Debian 12 the suite bookworm-security," \
      "enabled by Debian's installer, must be among apt's sources"
fi
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}"
