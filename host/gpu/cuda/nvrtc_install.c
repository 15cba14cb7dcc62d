#include "host/gpu/cuda/nvrtc_install.h"

#include "host/gpu/cuda/nvrtc_find.h"
#include "host/io/cache_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_CUDA 13000 /* without a driver: the oldest version with these names of packages */
#define TURING 75          /* the oldest architecture of NVRTC 13 */

/* "-cu12": the names of the packages of CUDA 12 and older end with the major version. */
static const char *name_suffix(int major, char text[16])
{
	text[0] = '\0';
	if (major < 13)
		snprintf(text, 16, "-cu%d", major);
	return text;
}

const char *nvrtc_install_command(int cuda_version, int arch, char text[NVRTC_COMMAND_BYTES])
{
	char folder[CACHE_TEXT_BYTES], target[300] = "", suffix[16], below[32], crt[64] = "";
	int version = cuda_version ? cuda_version : DEFAULT_CUDA;
	int major = version / 1000, minor = version % 1000 / 10;

	if (arch > 0 && arch < TURING && major >= 13) {
		major = 12;
		minor = 9;
	}
	/* The index has only the last versions of CUDA 11. All have the same ABI. */
	if (major < 12)
		snprintf(below, sizeof below, "%d", major + 1);
	else
		snprintf(below, sizeof below, "%d.%d", major, minor + 1);
	/* mma.h includes headers of this package. Before CUDA 13 they are part of a compiler. */
	if (major >= 13)
		snprintf(crt, sizeof crt, " 'nvidia-cuda-crt>=%d,<%s'", major, below);
	if (cache_file_folder(NVRTC_PLACE_CACHE, folder) && strlen(folder) < 200)
		snprintf(target, sizeof target, "--upgrade --target '%s' ", folder);
	name_suffix(major, suffix);
	snprintf(text, NVRTC_COMMAND_BYTES,
		"python3 -m pip install %s'nvidia-cuda-nvrtc%s>=%d,<%s' "
		"'nvidia-cuda-runtime%s>=%d,<%s'%s",
		target, suffix, major, below, suffix, major, below, crt);
	return text;
}

const char *nvrtc_headers_command(
	const char *library, int major, int minor, char text[NVRTC_COMMAND_BYTES])
{
	const char *lib = strstr(library, "/lib/python3");
	char python[NVRTC_PATH_BYTES], suffix[16];

	if (!lib || !strstr(lib, "/site-packages/nvidia/"))
		return nvrtc_install_command(major * 1000 + minor * 10, 0, text);
	snprintf(python, sizeof python, "%.*s/bin/python3", (int)(lib - library), library);
	if (strlen(python) > 200 || access(python, X_OK) != 0)
		return nvrtc_install_command(major * 1000 + minor * 10, 0, text);
	snprintf(text, NVRTC_COMMAND_BYTES, "'%s' -m pip install 'nvidia-cuda-runtime%s==%d.%d.*'",
		python, name_suffix(major, suffix), major, minor);
	return text;
}
