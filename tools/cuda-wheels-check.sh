#!/bin/sh
# Checks that NVIDIA's driver and the Python packages of NVRTC are enough for the CUDA backend: hides the
# CUDA Toolkit, installs the packages in a virtual environment, and runs every variant of matmul.
# Needs an NVIDIA GPU. Changes nothing outside of a temporary folder and the build folder.
#
#     sh tools/cuda-wheels-check.sh [FOLDER]     FOLDER has the wheels; default: pip downloads them
#
# Environment: PMPP_BUILD (default build-gpu), PMPP_MESON_ARGS, PMPP_CUDA_PACKAGES (default: NVRTC, its
# headers and mma.h of CUDA 13.0).
# The last line is "N passed, N failed, N skipped". Exit status: 1 if a check failed, 2 without a GPU.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
: "${PMPP_BUILD:=build-gpu}"
: "${PMPP_CUDA_PACKAGES:=nvidia-cuda-nvrtc==13.0.* nvidia-cuda-runtime==13.0.* nvidia-cuda-crt==13.0.*}"
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

wheels=${1:-}
[ -z "$wheels" ] || wheels=$(cd "$wheels" && pwd)
run=$build_dir/pmpp-run
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
venv=$folder/venv
passed=0
failed=0
skipped=0

# check STATUS NAME: counts and shows a check.
check() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
		say "[passed] $2"
	else
		failed=$((failed + 1))
		say "[failed] $2"
	fi
}

# Installs the packages. A folder of wheels needs no pip: a wheel is a ZIP file of what is installed.
# shellcheck disable=SC2086 # a list of words
install_wheels() {
	if [ -z "$wheels" ]; then
		quietly python3 -m venv "$venv" && quietly "$venv/bin/python3" -m pip install $PMPP_CUDA_PACKAGES
		return
	fi
	if python3 -m venv "$venv" >/dev/null 2>&1 &&
		"$venv/bin/python3" -m pip install --no-index --find-links "$wheels" $PMPP_CUDA_PACKAGES >/dev/null 2>&1; then
		return 0
	fi
	say "no venv or no pip: the wheels are unpacked"
	mkdir -p "$venv/lib/python3/site-packages"
	for wheel in "$wheels"/*.whl; do
		python3 -m zipfile -e "$wheel" "$venv/lib/python3/site-packages" || return 1
	done
}

# A program in a mount namespace where the libraries and headers of a toolkit are empty.
# shellcheck disable=SC2016 # expanded by the inner shell
hide='for library in "$HIDDEN"/libnvrtc*; do mount --bind /dev/null "$library" || exit 99; done
for include in "$HIDDEN/../include" "$HIDDEN/../../include"; do
	[ ! -e "$include/cuda_fp16.h" ] || mount -t tmpfs none "$include" || exit 99
done
exec "$@"'

# Runs pmpp-run without the variables of a toolkit, in the way that `hiding` names.
without_toolkit() {
	case $hiding in
	variables) env -u CUDA_HOME -u CUDA_PATH VIRTUAL_ENV="$venv" "$run" "$@" ;;
	mounts*)
		env -u CUDA_HOME -u CUDA_PATH VIRTUAL_ENV="$venv" HIDDEN="$hidden" \
			unshare "${hiding#mounts }" sh -c "$hide" sh "$run" "$@"
		;;
	CUDA_HOME) env -u CUDA_PATH CUDA_HOME="$packages" "$run" "$@" ;;
	esac
}

# Finds a way to hide the toolkit: doctor must find NVRTC in the environment.
hide_toolkit() {
	packages=$(dirname "$(dirname "$(find "$venv" -name 'libnvrtc.so.*' | head -1)")")
	hidden=
	for hiding in variables 'mounts -m' 'mounts -rm' CUDA_HOME; do
		[ "$hiding" = variables ] || [ "$hiding" = CUDA_HOME ] || [ -n "$hidden" ] || continue
		without_toolkit doctor >"$folder/doctor.txt" 2>&1 || :
		library=$(sed -n 's/^.*cuda.* uses libcuda.so.1, //p' "$folder/doctor.txt")
		case $library in
		"$venv"/*) return 0 ;;
		/*) hidden=$(dirname "$(readlink -f "$library")") ;;
		esac
	done
	return 1
}

# all_run JSON: no row lacks a header, and no row fails. Skipped rows are listed with their reasons.
all_run() {
	python3 - "$1" <<'END'
import json, sys
rows = json.load(open(sys.argv[1], encoding="utf-8"))["results"]
bad, shown = 0, set()
for row in rows:
    reason = row.get("reason") or ""
    name = "%s/%s: %s" % (row["family"], row["variant"], row["status"])
    if row["status"] != "ok" and name not in shown:
        print("%s: %s" % (name, reason), file=sys.stderr)
        shown.add(name)
    if row["status"] not in ("ok", "skipped", "unsupported") or "header" in reason or ".h" in reason:
        bad += 1
print("%d rows, %d ok" % (len(rows), sum(row["status"] == "ok" for row in rows)), file=sys.stderr)
sys.exit(bad > 0 or not any(row["status"] == "ok" for row in rows))
END
}

find_missing program
case $missing in
*build-essential* | *meson* | *ninja-build* | *pkg-config* | *jansson* | *libmd*) give_up ;;
esac
build_targets pmpp-run
if ! have_nvidia_driver; then
	say "no NVIDIA driver: this script is for a machine with an NVIDIA GPU"
	exit 2
fi
# Kernels are compiled, not taken from the cache.
PMPP_NO_CACHE=1
export PMPP_NO_CACHE

code=0
install_wheels || code=1
check $code "the packages are installed: ${wheels:-$PMPP_CUDA_PACKAGES}"
code=0
hide_toolkit || code=1
cat "$folder/doctor.txt" >&2
check $code "the toolkit is hidden (by $hiding), NVRTC is in the environment"
if [ $code -eq 0 ]; then
	grep -q "; headers in $(readlink -f "$venv")/" "$folder/doctor.txt" || code=1
	check $code "the headers are in the environment"
	# The kernels of vecadd and prefetch include headers of CUDA.
	for command in 'run matmul' 'verify vecadd prefetch --size=1000'; do
		code=0
		# shellcheck disable=SC2086 # a list of words
		without_toolkit $command --backend=cuda --json="$folder/rows.json" --quiet || code=1
		all_run "$folder/rows.json" || code=1
		check $code "$command"
	done
else
	skipped=3
fi
printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed -eq 0 ]
