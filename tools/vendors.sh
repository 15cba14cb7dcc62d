#!/bin/sh
# Installs other vendors' OpenCL for the CPU beside PoCL, and a second ICD loader:
#
#     sh tools/vendors.sh [FOLDER]     # default: $PMPP_VENDORS, else ~/.cache/pmpp-vendors
#
# what                            from                                      size
# Mesa's rusticl                  Debian's package mesa-opencl-icd
# Intel's OpenCL for CPUs         the Python index, into FOLDER/intel-...    870 MB (download: 276 MB)
# Khronos's ICD loader            part of Intel's packages
#
# The script reports and skips what it cannot install. FOLDER then has
#
#     icd/*.icd     an ICD file for each implementation on this machine: a folder for OCL_ICD_VENDORS
#     khronos/      Khronos's loader and the libraries that it needs: a folder for LD_LIBRARY_PATH
#
# The absolute path of FOLDER is the only line on stdout. rusticl also needs RUSTICL_ENABLE=llvmpipe.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

# The versions that the tests were written with. pip installs what these packages need.
intel_version=2026.2.0
intel_packages="intel-opencl-rt==$intel_version intel-cmplr-lib-rt==$intel_version"
# What the loader of intel-cmplr-lib-rt is linked with.
loader_libraries="libOpenCL.so.1 libimf.so libintlc.so.5 libirng.so libsvml.so"
download_limit_s=300

folder=${1:-${PMPP_VENDORS:-${XDG_CACHE_HOME:-$HOME/.cache}/pmpp-vendors}}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
intel=$folder/intel-$intel_version

install_rusticl() {
	[ -e /etc/OpenCL/vendors/rusticl.icd ] && return 0
	can_install && (install_packages mesa-opencl-icd) && [ -e /etc/OpenCL/vendors/rusticl.icd ]
}

# A virtual environment needs Python's module ensurepip (Debian: python3-venv).
have_venv() {
	python3 -c 'import ensurepip, venv' 2>/dev/null || {
		can_install && (install_packages python3-venv)
	}
}

# Downloads once: the folder gets its name when it is complete.
install_intel() {
	[ -e "$intel/lib/libintelocl.so" ] && return 0
	have_venv || return 1
	part=$(mktemp -d "$folder/part-XXXXXX")
	say "installing: $intel_packages (276 MB to download, 870 MB on disk)"
	# shellcheck disable=SC2086 # a list of words
	if quietly python3 -m venv "$part" && quietly timeout "$download_limit_s" "$part/bin/python" \
		-m pip install --no-cache-dir --disable-pip-version-check $intel_packages &&
		[ -e "$part/lib/libintelocl.so" ]; then
		mv -T "$part" "$intel" 2>/dev/null && return 0
		# Another process was first.
		[ -e "$intel/lib/libintelocl.so" ] && rm -rf "$part" && return 0
	fi
	rm -rf "$part"
	return 1
}

# write_icds: an ICD file for each implementation.
write_icds() {
	mkdir -p "$folder/icd"
	rm -f "$folder"/icd/*.icd
	for name in pocl rusticl; do
		if [ -e "/etc/OpenCL/vendors/$name.icd" ]; then
			cp "/etc/OpenCL/vendors/$name.icd" "$folder/icd/"
		fi
	done
	if [ -e "$intel/lib/libintelocl.so" ]; then
		printf '%s\n' "$intel/lib/libintelocl.so" >"$folder/icd/intel.icd"
	fi
}

# Only what the loader needs: Intel's other libraries must not replace the system's.
link_loader() {
	rm -rf "$folder/khronos"
	[ -e "$intel/lib/libOpenCL.so.1" ] || return 1
	mkdir "$folder/khronos"
	for library in $loader_libraries; do
		if [ -e "$intel/lib/$library" ]; then
			ln -s "$intel/lib/$library" "$folder/khronos/$library"
		fi
	done
}

install_rusticl || say "no rusticl (mesa-opencl-icd): it is left out"
install_intel || say "no Intel OpenCL for CPUs ($intel_packages): it is left out"
write_icds
link_loader || say "no Khronos ICD loader (intel-cmplr-lib-rt): it is left out"
echo "$folder"
