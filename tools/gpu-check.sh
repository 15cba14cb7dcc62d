#!/bin/sh
# Runs the checks that need a GPU, on each backend (OpenCL, CUDA) that has the GPU:
#
#     sh tools/gpu-check.sh [--device=SPEC] [FOLDER]
#
#     --device=SPEC   the device, as for pmpp-run (default: gpu, which is the first GPU)
#     FOLDER          folder of the result files (default: docs/results/gpu)
#
# checks                                                        need
# conformance, kernels, tunables, mutants, selftest, sizes,
#     roofs, a fleet of two ranks, all families                 the device
# more than 2^31 bytes or elements                              enough memory
# parity                                                        both backends
# machine code and rates of roofs, matmul compared with cuBLAS  CUDA (nvcc, cuBLAS)
#
# A check whose need is not met is skipped, with the reason. On an NVIDIA H200 the script took 15 minutes
# without the tunables. Without CUDA each time limit is four times as long, because the device may be
# slower.
#
# Installs nothing. meson may come from pip; jansson, libmd and CMocka may come from
# PKG_CONFIG_PATH.
# Environment: PMPP_BUILD (default build-gpu), PMPP_MESON_ARGS, CUDA_HOME. PMPP_CHECK_SIZES=small: small
# sizes and the short form of the tests, to try the script itself, also on a CPU (--device=cpu).
# The last line is "N passed, N failed, N skipped". The exit status is 1 if a check failed, and 2 if no
# such device works.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
: "${PMPP_BUILD:=build-gpu}"
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

device=gpu
case ${1:-} in
--device=*)
	device=${1#--device=}
	shift
	;;
-*)
	say "usage: sh tools/gpu-check.sh [--device=SPEC] [FOLDER]"
	exit 2
	;;
esac
folder=${1:-$root/docs/results/gpu}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
run=$build_dir/pmpp-run
steps=$(mktemp)
logs=$(mktemp -d)
end_tests() {
	# shellcheck disable=SC2046 # a list of numbers
	kill $(cat "$logs"/*.pid 2>/dev/null) 2>/dev/null || :
	rm -rf "$steps" "$logs"
}
trap end_tests EXIT
trap 'exit 1' HUP INT TERM

# Sizes of the checks. Families have their default sizes, or one size for all.
sizes=1,37,1000,2048,4096
large=4096
speed_sizes=4096,2048
family_sizes=
selftest_families=
case ${PMPP_CHECK_SIZES:-full} in
full) ;;
small)
	sizes=1,37,100
	large=100
	speed_sizes=100
	family_sizes=--size=100
	selftest_families=vecadd
	PMPP_TEST_SHORT=1
	export PMPP_TEST_SHORT
	;;
*)
	say "PMPP_CHECK_SIZES is '$PMPP_CHECK_SIZES': set it to small, or unset it"
	exit 2
	;;
esac
slowness=1 # factor of all time limits

# record STATUS NAME: a line for the summary.
record() {
	printf '%s %s\n' "$1" "$2" >>"$steps"
	say "[$1] $2"
}

# step LIMIT_S NAME COMMAND...: runs the command with a time limit and shows its output.
step() {
	limit=$1
	name=$2
	shift 2
	say "---- $name"
	code=0
	timeout $((limit * slowness)) "$@" >&2 || code=$?
	case $code in
	0) record passed "$name" ;;
	77) record skipped "$name" ;;
	124) record failed "$name (over $((limit * slowness)) s)" ;;
	*) record failed "$name (exit $code)" ;;
	esac
}

# rows_begin NAME LIMIT_S TEST ARGUMENT...: starts a test program; its output goes to $logs. Tests
# compare no speeds, so they run side by side.
rows_begin() {
	name=$1
	limit=$2
	shift 2
	timeout $((limit * slowness)) "$@" >"$logs/$name.log" 2>&1 &
	echo $! >"$logs/$name.pid"
}

# rows_wait NAME: waits for the test program. Later calls return at once.
rows_wait() {
	[ ! -f "$logs/$1.code" ] || return 0
	code=0
	wait "$(cat "$logs/$1.pid")" || code=$?
	rm -f "$logs/$1.pid"
	echo "$code" >"$logs/$1.code"
}

# rows_end NAME: waits for the test program, counts its rows and shows failed rows.
rows_end() {
	say "---- $1"
	log=$logs/$1.log
	rows_wait "$1"
	code=$(cat "$logs/$1.code")
	closing=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1)
	if [ -n "$closing" ]; then
		printf 'rows %s\n' "$closing" >>"$steps"
		say "$1: $closing"
	else
		record failed "$1 (exit $code, no closing line)"
	fi
	[ "$code" -eq 0 ] || [ "$code" -eq 77 ] || grep -B 12 'FAILED  \]' "$log" | head -120 >&2
}

find_missing program
case $missing in
*build-essential* | *meson* | *ninja-build* | *pkg-config* | *jansson* | *libmd*) give_up ;;
esac

# ---- Build
build_targets pmpp-run
"$run" doctor >"$folder/doctor.txt" 2>&1 || :
cat "$folder/doctor.txt" >&2

# ---- The device and its backends
if ! "$run" verify vecadd/fine --device="$device" --size=1000 --json="$folder/device.json" >&2; then
	say "no device '$device' that works: see $folder/doctor.txt. docs/vendors.md names the drivers of GPUs."
	say "To try the script on the CPU: PMPP_CHECK_SIZES=small sh tools/gpu-check.sh --device=cpu"
	exit 2
fi
if have_library cmocka; then
	say "building the tests (minutes)"
	build_targets tests
else
	say "no CMocka: the conformance and kernel tests are skipped"
	printf 'skipped tests (no CMocka)\n' >>"$steps"
fi
"$run" devices --json >"$folder/devices.json"
facts=$(python3 "$root/tools/gpu_targets.py" "$folder/device.json" "$folder/devices.json")
rm -f "$folder/device.json"
# fact NAME: the values of this name.
fact() {
	printf '%s\n' "$facts" | sed -n "s/^$1 //p"
}
memory=$(fact memory)
buffer=$(fact buffer)
backends=
devices=
for target in $(fact target); do
	# A backend that reports the device may still be unable to use it.
	if "$run" verify vecadd/fine --device="$target" --size=1000 >&2; then
		backends="$backends ${target%%:*}"
		devices="$devices $target"
	else
		record failed "vecadd/fine on $target"
	fi
done
say "$(fact name):$devices, $memory bytes of memory, buffers of at most $buffer bytes"
# shellcheck disable=SC2086 # a list of words
join() {
	printf '%s' "$1"
	shift
	[ $# -eq 0 ] || printf ',%s' "$@"
}
# target_of BACKEND: the device on this backend.
target_of() {
	for target in $devices; do
		case $target in "$1":*) echo "$target" ;; esac
	done
}
has_cuda=false
case $backends in *cuda*) has_cuda=true ;; esac
has_both=false
case $backends in *cuda*opencl*) has_both=true ;; esac
$has_cuda || slowness=4

# ---- Tests
# shellcheck disable=SC2086 # lists of words
if [ -x "$build_dir/tests/test_conformance" ]; then
	PMPP_REQUIRE=$(join $backends)
	PMPP_TEST_DEVICES=$(join $devices)
	export PMPP_REQUIRE PMPP_TEST_DEVICES
	say "running the tests on$devices (minutes)"
	for backend in $backends; do
		for test in conformance kernels tunables mutants; do
			rows_begin "$test $backend" 1200 "$build_dir/tests/test_$test" "$backend"
			# Below 16 GiB one program at a time: each allocates memory of the device.
			[ "$memory" -ge 17179869184 ] || rows_wait "$test $backend"
		done
	done
	for backend in $backends; do
		for test in conformance kernels tunables mutants; do
			rows_end "$test $backend"
		done
	done
fi
if $has_cuda; then
	rows_begin "machine code of roofs" 60 python3 "$root/tests/kernels/test_sass.py" "$root"
	rows_end "machine code of roofs"
else
	record skipped "machine code of roofs (no CUDA device)"
fi

# ---- Selftest
# shellcheck disable=SC2086 # no word, or one
for target in $devices; do
	step 150 "selftest ${target%%:*}" "$run" selftest --device="$target" $selftest_families
done

# ---- Roofs, sizes, parity, times
# Two measurements in turn: tools/gpu_roofs.py compares them.
for number in 1 2; do
	for target in $devices; do
		step 120 "roofs ${target%%:*}, measurement $number" "$run" roofline --device="$target" \
			--json="$folder/roofs-${target%%:*}-$number.json"
	done
done
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
if $has_cuda && [ -x "$nvcc" ]; then
	step 300 "build of CUB" "$nvcc" -O3 -arch=native -shared -Xcompiler -fPIC -I "$root" \
		-o "$logs/libpmpp_cub.so" "$root/tools/cub.cu"
	export PMPP_CUB="$logs/libpmpp_cub.so"
	step 60 "peers of the memory roofs" "$run" run coalesce/contiguous reduce/vector --peers \
		--device="$(target_of cuda)" --size=268435456 --json="$folder/memory-peers.json"
else
	record skipped "peers of the memory roofs (needs nvcc and a CUDA device)"
fi
for target in $devices; do
	step 90 "verify $sizes ${target%%:*}" "$run" verify matmul --device="$target" \
		--size=$sizes --json="$folder/verify-${target%%:*}.json"
done
# More than 2^31 elements, or at least bytes: finds 32-bit addresses in kernels and drivers. Three
# operands and their copies need 32 bytes for each element.
elements=$((memory / 32 < buffer / 4 ? memory / 32 : buffer / 4))
large_size=
if [ "${PMPP_CHECK_SIZES:-full}" = small ]; then
	record skipped "verify 2^31 bytes (PMPP_CHECK_SIZES=small)"
elif [ "$elements" -ge 2200000003 ]; then
	large_size="2^31 elements" vector=2200000003 matrix=46400x46400x17
elif [ "$elements" -ge 606000001 ]; then
	large_size="2^31 bytes" vector=606000001 matrix=24600x24600x17
	record skipped "verify 2^31 elements ($memory bytes of memory, buffers of at most $buffer bytes)"
else
	record skipped "verify 2^31 bytes ($memory bytes of memory, buffers of at most $buffer bytes)"
fi
if [ -n "$large_size" ]; then
	for target in $devices; do
		step 180 "verify $large_size, vecadd ${target%%:*}" "$run" verify vecadd/fine \
			--device="$target" --size="$vector"
		step 60 "verify $large_size, matmul ${target%%:*}" "$run" verify matmul/prefetch \
			--device="$target" --size="$matrix"
	done
fi
if $has_both; then
	step 60 "parity $large" "$run" parity matmul --device="$(target_of cuda)" --size=$large \
		--json="$folder/parity.json"
else
	record skipped "parity (needs OpenCL and CUDA; the device has$backends)"
fi

# A kernel compared with itself: parity must not report a difference.
if [ "${PMPP_CHECK_SIZES:-full}" = small ]; then
	record skipped "parity with itself (PMPP_CHECK_SIZES=small)"
elif [ -x "$build_dir/tests/self_parity" ]; then
	for backend in $backends; do
		for buffers in shared own; do
			step 120 "parity with itself, $buffers buffers, $backend" \
				"$build_dir/tests/self_parity" $buffers "$backend" matmul/tiled16 50 1024
		done
	done
fi

# With the libraries that are installed (cuBLAS, CLBlast), in turn with the variants.
for target in $devices; do
	step 150 "run $speed_sizes ${target%%:*}" "$run" run matmul --peers --device="$target" \
		--size=$speed_sizes --json="$folder/run-${target%%:*}.json"
done

# Two ranks: on two GPUs at the same time, on one GPU one after another. A slow GPU (4) is no failure.
# shellcheck disable=SC2016 # arguments of the inner shell
step 120 "fleet of two ranks" sh -c 'for rank in 0 1; do
	"$1" --fleet vecadd/fine reduce/vector --device="$2" --rank=$rank/2 --label=gpu-check $4 --json="$3/fleet.json" &
done
wait
"$1" compare --fleet "$3/fleet.0.json" "$3/fleet.1.json" || [ $? -eq 4 ]' sh "$run" "$device" "$folder" "$family_sizes"

# ---- Every family
# shellcheck disable=SC2086 # no word, or one
for target in $devices; do
	step 240 "run all ${target%%:*}" "$run" run all --device="$target" $family_sizes \
		--json="$folder/families-${target%%:*}.json"
done
if $has_both; then
	# shellcheck disable=SC2086 # no word, or one
	step 300 "parity all" "$run" parity all --device="$(target_of cuda)" $family_sizes \
		--json="$folder/families-parity.json"
fi

# shellcheck disable=SC2086 # a list of words
python3 "$root/tools/gpu_summary.py" "$folder" "$steps" "$(join $backends)" "$sizes" "$large"
