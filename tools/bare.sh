#!/bin/sh
# Runs the README's two commands on a bare Debian, where nothing was installed by hand:
#
#     sh tools/bare.sh [OPTION...] [bookworm|trixie]      default: bookworm
#
#     --only=run|test      one of the two commands: "sh tools/run.sh matmul" or "sh tools/test.sh"
#     --commit=COMMIT      the commit that is cloned (default HEAD)
#     --or-skip            skip (exit 77) where there is no bare system
#     -- ARGUMENTS         arguments of tools/test.sh (default: its short form)
#
# Each command is the first command in a system of its own: a Debian with git and CA certificates
# (mmdebstrap, variant minbase), in namespaces of its own. Nothing stays mounted, and the systems are removed,
# also after Ctrl-C. If namespaces are not permitted, the commands run in this system, which must be bare: no
# C compiler, no meson. The second command then runs in a system that the first command changed.
#
# Installs mmdebstrap if it is missing. Needs root. A system takes 4 GB in TMPDIR.
# What the commands install must not be skipped by the tests (PMPP_REQUIRE). Environment: PMPP_MESON_ARGS is passed
# to the commands.
# Prints the output of both commands, their times, and as the last line "N passed, N failed, N skipped": the rows
# of both. The exit status is 1 if a row or a command failed, or if there is no bare system.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

suite=bookworm
commands='run test'
commit=HEAD
without=1 # the exit status where there is no bare system
while [ $# -gt 0 ]; do
	case $1 in
	--only=run | --only=test) commands=${1#--only=} ;;
	--or-skip) without=77 ;;
	--commit=*) commit=${1#--commit=} ;;
	bookworm | trixie) suite=$1 ;;
	--)
		shift
		break
		;;
	*)
		say "usage: sh tools/bare.sh [--only=run|test] [--commit=COMMIT] [--or-skip] [bookworm|trixie] [-- ARGUMENTS]"
		exit 1
		;;
	esac
	shift
done
commit=$(git -C "$root" rev-parse --verify "$commit^{commit}") || exit 1
[ -z "$(git -C "$root" status --porcelain)" ] || say "note: changes that are not committed are not tried"

work=$(mktemp -d "${TMPDIR:-/tmp}/pmpp-bare.XXXXXX")
child=
clean_up() {
	trap '' HUP INT TERM
	if [ -n "$child" ]; then
		# unshare ignores other signals. Its end ends every process of its namespace (--kill-child).
		kill -KILL "$child" 2>/dev/null || :
		sleep 1
	fi
	rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' HUP INT TERM

# in_background COMMAND...: waits for the command, so that a signal ends the script at once. Its output goes to
# $work/log.
in_background() {
	"$@" >"$work/log" 2>&1 </dev/null &
	child=$!
	code=0
	wait "$child" || code=$?
	child=
	return "$code"
}

# make_system FOLDER: a bare system with the settings of this machine's network and packages.
make_system() {
	say "making a bare Debian $suite"
	in_background unshare --mount --pid --fork --kill-child --mount-proc mmdebstrap --variant=minbase \
		--include=git,ca-certificates "$suite" "$1" || {
		cat "$work/log" >&2
		say "mmdebstrap failed"
		exit 1
	}
	# Packages are unpacked without waiting for the disk.
	echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
	for file in /etc/resolv.conf /etc/hosts /etc/apt/apt.conf.d/*; do
		[ ! -f "$file" ] || cp -L "$file" "$1$file"
	done
	for file in /usr/local/share/ca-certificates/*.crt; do
		[ ! -f "$file" ] || cp -L "$file" "$1$file"
	done
	cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
}

# The process that enters the system $1 and runs the rest of its arguments there. /proc has its processes only.
# shellcheck disable=SC2016 # expanded by the inner shell
enter='
	system=$1
	shift
	mount -t proc proc "$system/proc" &&
		mount --rbind /dev "$system/dev" &&
		mount --rbind /sys "$system/sys" || exit 1
	exec chroot "$system" "$@"'

# in_system FOLDER COMMAND...
in_system() {
	exec env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		PMPP_REQUIRE=opencl,cuda-emu,opencl-emu \
		${PMPP_MESON_ARGS:+"PMPP_MESON_ARGS=$PMPP_MESON_ARGS"} ${http_proxy:+"http_proxy=$http_proxy"} \
		${https_proxy:+"https_proxy=$https_proxy"} \
		unshare --mount --pid --fork --kill-child sh -c "$enter" sh "$@"
}

# in_this_system FOLDER COMMAND...: this system is bare.
in_this_system() {
	shift
	"$@"
}

is_bare() {
	! have cc && ! have meson
}

if unshare --mount --pid --fork true 2>/dev/null; then
	have mmdebstrap || install_packages mmdebstrap
	runner=in_system
	make_system "$work/system"
elif is_bare; then
	say "namespaces are not permitted: the commands run in this system, which is bare"
	runner=in_this_system
	mkdir "$work/system"
else
	say "no bare system: namespaces are not permitted (unshare), and this system has a C compiler or meson."
	say "Run this script as root, or in a bare container (debian:12, debian:13)."
	if [ "$without" -eq 77 ]; then
		echo 'skipped: no bare system: namespaces are not permitted'
		echo '0 passed, 0 failed, 1 skipped'
	fi
	exit "$without"
fi

# prepare COMMAND: sets `system` and `checkout`, the command's own copies. `inside` is the checkout's path in
# the system.
prepare() {
	system=$work/system
	if [ "$runner" = in_system ]; then
		case $commands in
		*' '*)
			if [ "$1" = run ]; then
				cp -a "$work/system" "$work/run"
				system=$work/run
			fi
			;;
		esac
		inside=/root/pmpp
		checkout=$system$inside
	else
		checkout=$work/$1
		inside=$checkout
	fi
	git clone --quiet --no-checkout "$root" "$checkout"
	git -C "$checkout" checkout --quiet --detach "$commit"
}

total_passed=0 total_failed=0 total_skipped=0

# counted STATUS TEXT: one row.
counted() {
	printf '[ %s] %s\n' "$1" "$2"
	case $1 in
	passed) total_passed=$((total_passed + 1)) ;;
	*) total_failed=$((total_failed + 1)) ;;
	esac
}

# try COMMAND TEXT ARGUMENT...: the command, as the first one.
try() {
	prepare "$1"
	shift
	printf -- '---- %s: sh %s\n' "$suite" "$*"
	start=$(date +%s)
	code=0
	# shellcheck disable=SC2016 # expanded by the inner shell
	in_background "$runner" "$system" sh -c 'cd "$1" && shift && exec sh "$@"' sh "$inside" "$@" || code=$?
	cat "$work/log"
	seconds=$(($(date +%s) - start))
	if [ "$code" -eq 0 ]; then
		counted passed "$suite: sh $* ($seconds s)"
	else
		counted FAILED "$suite: sh $* (exit $code, $seconds s)"
	fi
	closing=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$work/log" | tail -1) || :
	if [ -n "$closing" ]; then
		# shellcheck disable=SC2086 # six words
		set -- $closing
		total_passed=$((total_passed + $1))
		total_failed=$((total_failed + $3))
		total_skipped=$((total_skipped + $5))
	fi
	# The systems are large.
	rm -rf --one-file-system "$system/root/pmpp/build" "$work/run"
}

for command in $commands; do
	case $command in
	run) try run tools/run.sh matmul ;;
	test) try test tools/test.sh "$@" ;;
	esac
done
printf '%d passed, %d failed, %d skipped\n' "$total_passed" "$total_failed" "$total_skipped"
[ "$total_failed" -eq 0 ]
