#include "host/io/payload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_STEP_BYTES ((size_t)64 << 20)

/* The size of a regular file limits the read. A pipe may have no end: reject a header that declares
 * more bytes than this machine has memory. */
static enum pmpp_status check_declared_size(
	const char *path, FILE *file, size_t bytes, struct pmpp_error *error)
{
	struct stat info;
	size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);

	if (bytes <= memory || fstat(fileno(file), &info) != 0 || S_ISREG(info.st_mode))
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s: the header declares %zu bytes, but this machine has %zu bytes of memory: use a "
		"smaller array",
		path, bytes, memory);
}

enum pmpp_status payload_read(const char *path, FILE *file, size_t base, size_t bytes,
	void **ret_data, struct pmpp_error *error)
{
	size_t capacity = bytes < READ_STEP_BYTES ? bytes : READ_STEP_BYTES;
	size_t have = 0;
	enum pmpp_status status = check_declared_size(path, file, bytes, error);

	if (status != PMPP_OK)
		return status;
	char *data = malloc(capacity);

	while (data && have < bytes) {
		if (have == capacity) {
			capacity = bytes - capacity < capacity ? bytes : 2 * capacity;
			char *larger = realloc(data, capacity);
			if (!larger)
				break;
			data = larger;
		}
		size_t got = fread(data + have, 1, capacity - have, file);
		have += got;
		if (got == 0)
			break;
	}
	if (ferror(file))
		status = PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be read: %s", path, strerror(errno));
	else if (have < bytes && !feof(file))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: %zu bytes do not fit in memory",
			path, bytes);
	else if (have < bytes)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: truncated: ends at byte %zu; the header declares data up to byte %zu",
			path, base + have, base + bytes);
	else if (fgetc(file) != EOF)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: byte %zu: unexpected bytes after the data that the header declares",
			path, base + bytes);
	if (status != PMPP_OK) {
		free(data);
		return status;
	}
	*ret_data = data;
	return PMPP_OK;
}
