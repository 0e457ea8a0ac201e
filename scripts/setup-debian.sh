#!/usr/bin/env bash
# Installs the Debian packages of debian-packages.txt that are missing, and a
# QEMU that knows the vector extension's fp16 arithmetic (8.1 or newer).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v dpkg-query >/dev/null ||
  die "this script installs Debian packages and dpkg is not here;" \
      "install the equivalents of scripts/debian-packages.txt and run again with SPINE_SKIP_DEBIAN=1"

mapfile -t wanted < <(grep -v '^#' "$root/scripts/debian-packages.txt")
# What would cross-build for riscv64 is the ordinary compiler there. PyPI's
# packages are not made for that machine.
if [[ $(dpkg --print-architecture) == riscv64 ]]; then
  mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | grep -v -- '-riscv64-cross$')
  wanted+=(python3-numpy)
fi
mapfile -t present < <(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' "${wanted[@]}" 2>/dev/null |
                       sed -n 's/^installed \([^:]*\).*/\1/p')
missing=()
for package in "${wanted[@]}"; do
  # Unquoted: a * matches any version.
  [[ " ${present[*]} " == *" "$package" "* ]] || missing+=("$package")
done
qemu=$(dpkg-query -W -f '${Version}' qemu-user 2>/dev/null || true)
needs_qemu=0
dpkg --compare-versions "${qemu:-0}" ge 1:8.1 || needs_qemu=1
if ((${#missing[@]} == 0 && needs_qemu == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null ||
    die "missing Debian packages: ${missing[*]} qemu-user; run as root or install sudo"
  as_root=(sudo)
fi

apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"; }

# newest_version PACKAGE: the package with the highest number in place of the *
newest_version() {
  local pattern=${1//+/[+]}
  apt-cache pkgnames | grep -xE "${pattern/\*/[0-9]+}" | sort -V | tail -n 1 || true
}

install_missing() {
  say "installing Debian packages: ${missing[*]}"
  # A source of the machine's own that cannot be reached must not end this: what
  # counts is whether the packages can be installed.
  apt_get update || say "apt-get update reported problems; going on"
  local unavailable=() found=()
  for package in "${missing[@]}"; do
    if [[ $package == *'*'* ]]; then
      found+=("$(newest_version "$package")")
    else
      found+=("$package")
    fi
    apt-cache show --no-all-versions "${found[-1]}" >/dev/null 2>&1 || unavailable+=("$package")
  done
  if ((${#unavailable[@]})); then
    die "apt-get does not know ${unavailable[*]}; on Debian 12 the suite bookworm-security," \
        "enabled by Debian's installer, must be among apt's sources"
  fi
  apt_get install -y --no-install-recommends "${found[@]}"
}

# Debian 12 itself has QEMU 7.2. Its backports have a newer one; apt takes
# nothing else from there unless it is told to (their Release file says so).
enable_backports() {
  local suite=$1-backports uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  # The mirror is the one that the release itself comes from.
  uri=$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' "Codename: $1" 'Component: main' | head -n 1)
  [[ -n $uri ]] || return 1
  {
    printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n' "$uri" "$suite"
    [[ ! -f $keyring ]] || printf 'Signed-By: %s\n' "$keyring"
  } | "${as_root[@]}" tee /etc/apt/sources.list.d/spine-triton-backports.sources >/dev/null
  apt_get update || say "apt-get update reported problems; going on"
}

install_qemu() {
  local candidate codename
  candidate=$(apt-cache policy qemu-user | sed -n 's/^  Candidate: //p')
  if [[ $candidate == [0-9]* ]] && dpkg --compare-versions "$candidate" ge 1:8.1; then
    apt_get install -y --no-install-recommends qemu-user
    return
  fi
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  say "installing qemu-user from $codename-backports"
  enable_backports "$codename" &&
    apt_get install -y --no-install-recommends -t "$codename-backports" qemu-user
}

if ((${#missing[@]})); then
  install_missing
fi
if ((needs_qemu)); then
  install_qemu ||
    say "no qemu-user 8.1 or newer could be installed: kernels for riscv64 are compiled but not run here"
fi
