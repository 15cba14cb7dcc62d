#!/bin/sh
# Fuzzes the reader of result files with libFuzzer. Needs clang.
#
#     sh tools/fuzz.sh [SECONDS]   runs the fuzzer (default 300 s), from tests/fuzz/corpus,
#                                  tests/fuzz/seeds and the inputs of earlier runs
#     sh tools/fuzz.sh runs N      runs the fuzzer with N inputs and a fixed seed: the inputs do not
#                                  depend on the speed of the machine
#     sh tools/fuzz.sh merge       replaces tests/fuzz/corpus by the smallest set of all inputs that
#                                  reaches the same code
#
# A run ends with exit 1 if a property of tests/fuzz/document_check.h does not hold. The input is then
# FOLDER/crash-*; an input that is too slow or needs too much memory is FOLDER/timeout-* or
# FOLDER/oom-*.
#
# Environment: PMPP_BUILD (folder of the build, default build-fuzz), PMPP_FUZZ_DIR (FOLDER: inputs of
# all runs, default BUILD/fuzz), PMPP_MESON_ARGS (for meson setup).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
PMPP_BUILD=${PMPP_BUILD:-build-fuzz}
PMPP_MESON_ARGS="-Dfuzz=true -Dtests=false ${PMPP_MESON_ARGS:-}"
CC=${CC:-clang}
export CC
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

task=${1:-300}
number=$task
limit=-max_total_time
[ "$task" = runs ] && {
	number=${2:-}
	limit='-seed=1 -runs'
}
case $task:$number in
merge:merge) ;;
*: | *:*[!0-9]*)
	say "fuzz.sh: '$*' is neither a number of seconds, nor runs N, nor merge"
	exit 1
	;;
esac
have clang || { can_install && (install_packages clang); } || {
	say "fuzz.sh: clang is missing: install it (Debian, Ubuntu: clang)"
	exit 1
}
install_missing program
build_targets tests/fuzz/fuzz_document tests/fuzz/fuzz_words.txt
folder=${PMPP_FUZZ_DIR:-$build_dir/fuzz}
corpus=$root/tests/fuzz/corpus
seeds=$root/tests/fuzz/seeds
mkdir -p "$folder/inputs"

# fuzz OPTION...
fuzz() {
	"$build_dir/tests/fuzz/fuzz_document" -max_len=65536 -rss_limit_mb=2048 -timeout=60 "$@"
}

if [ "$task" = merge ]; then
	rm -rf "$folder/merged"
	mkdir "$folder/merged"
	quietly fuzz -use_counters=0 -merge=1 "$folder/merged" "$corpus" "$seeds" "$folder/inputs"
	rm -f "$corpus"/*
	cp "$folder/merged"/* "$corpus"
	say "fuzz.sh: $(find "$corpus" -type f | wc -l) files in $corpus"
	exit
fi
# A dictionary of libFuzzer has a quoted text in each line.
grep . "$build_dir/tests/fuzz/fuzz_words.txt" | sort -u | sed 's/["\\]/\\&/g; s/.*/"&"/' \
	>"$folder/words.dict"
# The fuzzer reads all folders and keeps new inputs in the first one. With a fixed seed it must begin
# with the same inputs.
kept=$folder/inputs
[ "$task" = runs ] && {
	kept=$folder/runs
	rm -rf "$kept"
	mkdir "$kept"
}
# shellcheck disable=SC2086 # two options
fuzz -dict="$folder/words.dict" -artifact_prefix="$folder/" -print_final_stats=1 \
	$limit="$number" "$kept" "$corpus" "$seeds" || {
	say "fuzz.sh: the input that fails is in $folder"
	exit 1
}
