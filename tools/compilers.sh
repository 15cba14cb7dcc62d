#!/bin/sh
# Installs compilers for other vendors' GPUs. They need neither a GPU nor a driver:
#
#     sh tools/compilers.sh [FOLDER]     # default: $PMPP_COMPILERS, else ~/.cache/pmpp-compilers
#
# what                             from (Debian 12)
# clang for AMD's GPUs             clang-14, clang-19
# AMD's library for clang-19       rocm-device-libs
# a library for clang-14           libclc-14, unpacked into FOLDER/libclc-14
# SPIR-V                           llvm-spirv-14, spirv-tools
# Intel's ocloc                    intel-opencl-icd and its libraries, unpacked into FOLDER/ocloc
#
# libclc-14 conflicts with the libclc of Mesa's OpenCL. intel-opencl-icd would add an OpenCL platform
# to the system. Therefore both are only unpacked. FOLDER needs 150 MB.
#
# The script reports and skips what it cannot install. The absolute path of FOLDER is the only line on
# stdout. The tests amdgcn, spirv and ocloc, and tools/compile_check.py, use it.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

folder=${1:-${PMPP_COMPILERS:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/pmpp-compilers}}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
ocloc_packages="intel-opencl-icd libigc1 libigdfcl1 libigdgmm12 libopencl-clang14"
# What these packages are linked with.
ocloc_libraries="libclang-cpp14 libllvm14 libllvmspirvlib14"

# Downloads packages to the current folder. A fresh system has no lists of packages.
download() {
	quietly apt-get -o APT::Sandbox::User=root download "$@" || {
		can_install && quietly as_root apt-get update &&
			quietly apt-get -o APT::Sandbox::User=root download "$@"
	}
}

# unpack NAME PACKAGE...: unpacks the packages into FOLDER/NAME, without installing them. The folder
# gets its name when it is complete.
unpack() {
	unpack_name=$1
	shift
	[ -d "$folder/$unpack_name" ] && return 0
	have apt-get && have dpkg-deb || return 1
	part=$(mktemp -d "$folder/part-XXXXXX")
	unpack_status=1
	if (cd "$part" && download "$@" && for file in *.deb; do
		dpkg-deb -x "$file" root || exit 1
	done); then
		# Another process may have been first.
		mv -T "$part/root" "$folder/$unpack_name" 2>/dev/null || :
		[ ! -d "$folder/$unpack_name" ] || unpack_status=0
	fi
	rm -rf "$part"
	return $unpack_status
}

# needs COMMAND PACKAGE: installs the package if the command is not there.
needs() {
	have "$1" || { can_install && (install_packages "$2"); }
}

needs clang-14 clang-14 || say "no clang-14: another clang compiles for gfx90a"
needs clang-19 clang-19 || say "no clang-19: AMD's newer GPUs are left out"
have_amd_library || { can_install && (install_packages rocm-device-libs); } ||
	say "no rocm-device-libs: AMD's newer GPUs are left out"
unpack libclc-14 libclc-14 || say "no libclc-14: another clang compiles for gfx90a"
needs llvm-spirv-14 llvm-spirv-14 || say "no llvm-spirv-14: SPIR-V is left out"
needs spirv-val spirv-tools || say "no spirv-tools: SPIR-V is left out"

ocloc_starts() {
	LD_LIBRARY_PATH="$folder/ocloc/usr/lib/x86_64-linux-gnu" \
		"$folder/ocloc/usr/bin/ocloc" --help >/dev/null 2>&1
}

# shellcheck disable=SC2086 # lists of words
if ! unpack ocloc $ocloc_packages; then
	say "no ocloc ($ocloc_packages): Intel's GPUs are left out"
elif ! ocloc_starts && ! { can_install && (install_packages $ocloc_libraries); }; then
	say "ocloc does not start ($ocloc_libraries): Intel's GPUs are left out"
fi
echo "$folder"
