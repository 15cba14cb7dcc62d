#include "host/suite/roofs_cache.h"

#include "host/gpu/program_cache.h"
#include "host/io/atomic_file.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROOFS_SCHEMA "pmpp-roofs/1"

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
	{"copy_gbps", offsetof(struct roofs, copy_gbps)},
	{"read_gbps", offsetof(struct roofs, read_gbps)},
	{"fma_gflops", offsetof(struct roofs, fma_gflops)},
	{"shared_gbps", offsetof(struct roofs, shared_gbps)},
	{"h2d_gbps", offsetof(struct roofs, h2d_gbps)},
	{"d2h_gbps", offsetof(struct roofs, d2h_gbps)},
};

static const double *figure_at(const struct roofs *roofs, size_t offset)
{
	return (const double *)((const char *)roofs + offset);
}

static void set_figure(struct roofs *roofs, size_t offset, double value)
{
	*(double *)((char *)roofs + offset) = value;
}

bool roofs_cache_path(const struct gpu_device_info *info, char *ret_path, size_t size)
{
	const char *identity = *info->uuid ? info->uuid : *info->pci ? info->pci : info->name;
	const char *const parts[] = {ROOFS_SCHEMA, gpu_backend_name(info->backend), identity,
		info->name, info->driver, info->compiler, NULL};
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	char folder[1024];

	pmpp_cache_folder("roofs", folder, sizeof folder);
	if (!*folder)
		return false;
	program_cache_key(parts, key);
	return snprintf(ret_path, size, "%s/%s.json", folder, key) < (int)size;
}

bool roofs_cache_load(const char *path, struct roofs *ret_roofs)
{
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	const char *schema = json_string_value(json_object_get(root, "schema"));
	json_t *measured = json_object_get(root, "measured_utc_s");
	struct roofs roofs = roofs_unknown();
	bool ok = schema && strcmp(schema, ROOFS_SCHEMA) == 0 && json_is_number(measured);

	for (size_t i = 0; ok && i < sizeof fields / sizeof *fields; i++) {
		json_t *value = json_object_get(root, fields[i].name);
		ok = json_is_null(value) || (json_is_number(value) && json_number_value(value) > 0);
		if (ok && json_is_number(value))
			set_figure(&roofs, fields[i].offset, json_number_value(value));
	}
	if (ok) {
		roofs.age_s = fmax(0, (double)time(NULL) - json_number_value(measured));
		*ret_roofs = roofs;
	}
	json_decref(root);
	return ok;
}

void roofs_cache_store(
	const char *path, const struct gpu_device_info *info, const struct roofs *roofs)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	json_t *root = json_pack("{s:s, s:s, s:s, s:f}", "schema", ROOFS_SCHEMA, "device",
		info->name, "driver", info->driver, "measured_utc_s", (double)time(NULL));

	for (size_t i = 0; root && i < sizeof fields / sizeof *fields; i++) {
		double value = *figure_at(roofs, fields[i].offset);
		json_object_set_new(
			root, fields[i].name, isfinite(value) ? json_real(value) : json_null());
	}
	char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
	if (text) {
		struct iovec part = {text, strlen(text)};
		atomic_file_write(path, &part, 1, &ignored);
	}
	pmpp_error_clear(&ignored);
	free(text);
	json_decref(root);
}
