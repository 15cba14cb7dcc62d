/*
 * The smallest installation of NVRTC: NVIDIA's packages of the Python Package Index.
 */
#ifndef PMPP_HOST_GPU_CUDA_NVRTC_INSTALL_H
#define PMPP_HOST_GPU_CUDA_NVRTC_INSTALL_H

#include <stdbool.h>

#define NVRTC_COMMAND_BYTES 400

/*
 * Writes the shell command that installs NVRTC and its headers in the cache directory, where
 * nvrtc_find() finds them. tools/run.sh runs the command as it is printed.
 *
 * cuda_version: 1000 * major + 10 * minor of the driver; 0 = no driver. The packages are not newer:
 * a driver may reject what a newer NVRTC compiles. arch: 70 for a device of compute capability 7.0,
 * 0 = any; NVRTC 13 does not support devices below 7.5.
 */
const char *nvrtc_install_command(int cuda_version, int arch, char text[NVRTC_COMMAND_BYTES]);

/*
 * Writes the command for a library that lacks only its headers: if it is a package of a Python
 * environment, the command installs the headers there. Otherwise as nvrtc_install_command().
 * library: its path. major, minor: its version.
 */
const char *nvrtc_headers_command(
	const char *library, int major, int minor, char text[NVRTC_COMMAND_BYTES]);

#endif
