#!/usr/bin/env bash
# Unpacks the source of a Debian package into DIRECTORY/source, with package lists of its own: the
# mirrors are those the system is configured for, and nothing under /etc/apt or /var/lib/apt is
# touched. What is there already is not fetched again. With PART=upstream in the environment it is
# upstream's archive alone, without Debian's changes.
set -euo pipefail
export LC_ALL=C
die() { printf 'debian_source.sh: %s\n' "$*" >&2; exit 1; }
[ $# -eq 2 ] || { echo "usage: debian_source.sh PACKAGE DIRECTORY" >&2; exit 2; }
package=$1
mkdir -p "$2"
directory=$(cd "$2" && pwd -P)
[ ! -d "$directory/source" ] || exit 0
for command in apt-get dpkg-source; do
  command -v "$command" >/dev/null || die "needs $command (packages apt and dpkg-dev)"
done

# One line for every place from which the system gets Debian's own binary packages.
# shellcheck disable=SC2016 # apt-get replaces them
apt-get indextargets --format '$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 'Created-By: Packages' |
  awk -F'|' -v key=/usr/share/keyrings/debian-archive-keyring.gpg '
    BEGIN { if ((getline line < key) >= 0) signed = " [signed-by=" key "]" }
    $1 == "Debian" { print "deb-src" signed, $2, $3, $4 }' | sort -u >"$directory/sources.list"
[ -s "$directory/sources.list" ] || die "no package lists of Debian's: apt-get update"

mkdir -p "$directory/lists/partial" "$directory/cache/archives/partial"
cat >"$directory/apt.conf" <<END
Dir::Etc::SourceList "$directory/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$directory/lists";
Dir::Cache "$directory/cache";
APT::Sandbox::User "";
END
export APT_CONFIG=$directory/apt.conf
log=$directory/log
apt-get -q update >"$log" 2>&1 || die "no source lists: $(tail -n 1 "$log")"
# The version whose library is installed, if it is there.
version=$(dpkg-query -W -f='${source:Version}' "${BINARY_PACKAGE:-$package}" 2>/dev/null || true)
cd "$directory"
part=()
[ "${PART:-}" != upstream ] || part=(--tar-only)
apt-get -q source --only-source --download-only "${part[@]}" "$package${version:+=$version}" >"$log" 2>&1 ||
  die "$package${version:+ $version}: $(grep -m 1 '^E: ' "$log" || tail -n 1 "$log")"
# A source that was not unpacked to its end must not look as if it were there.
rm -rf part
if [ "${PART:-}" = upstream ]; then
  mkdir part
  tar -xf "$package"_*.orig.tar.* -C part --strip-components=1 >>"$log" 2>&1
else
  dpkg-source --no-check -x "$package"_*.dsc part >>"$log" 2>&1
fi || die "$(tail -n 1 "$log")"
mv part source
