#include "host/suite/roofs_cache.h"

#include "host/gpu/program_cache.h"
#include "host/record/document.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define ROOFS_SCHEMA "pmpp-roofs/1"

/* A file of the schema pmpp-roofs/1. */
struct roofs_file {
	struct record record;
	char *schema, *device, *driver;
	double measured_utc_s;
	double copy_gbps, read_gbps, fma_gflops, shared_gbps, h2d_gbps, d2h_gbps;
};

static const struct record_field fields[] = {
	MEMBER(struct roofs_file, schema, TEXT, 0, NULL, "0.1", ROOFS_SCHEMA),
	MEMBER(struct roofs_file, device, TEXT, 0, NULL, "0.1", "name of the device"),
	MEMBER(struct roofs_file, driver, TEXT, 0, NULL, "0.1", "driver of the device"),
	MEMBER(struct roofs_file, measured_utc_s, NUMBER, 0, "s", "0.1", "time of the measurement"),
	MEMBER(struct roofs_file, copy_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"memory bandwidth of a copy"),
	MEMBER(struct roofs_file, read_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"memory bandwidth of reads"),
	MEMBER(struct roofs_file, fma_gflops, NUMBER, FIELD_NULLABLE, "GFLOP/s", "0.1",
		"rate of f32 multiply-adds"),
	MEMBER(struct roofs_file, shared_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"bandwidth of shared memory"),
	MEMBER(struct roofs_file, h2d_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"transfers from the host"),
	MEMBER(struct roofs_file, d2h_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"transfers to the host"),
};

static const struct record_type roofs_file_type = {"roofs file",
	"the measured limits of one device", sizeof(struct roofs_file), fields,
	MEMBER_COUNT(fields), 0};

struct roofs_record roofs_unknown(void)
{
	struct roofs_record roofs;

	record_init(&roofs_type, &roofs);
	roofs.fma_gflops.record.present = true;
	roofs.age_s = 0;
	return roofs;
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

static bool is_rate(double value)
{
	return isnan(value) || value > 0;
}

static bool is_sane(const struct roofs_file *file)
{
	return is_rate(file->copy_gbps) && is_rate(file->read_gbps) && is_rate(file->fma_gflops) &&
	       is_rate(file->shared_gbps) && is_rate(file->h2d_gbps) && is_rate(file->d2h_gbps);
}

bool roofs_cache_load(const char *path, struct roofs_record *ret_roofs)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct roofs_file file;
	enum pmpp_status status =
		document_load(&roofs_file_type, ROOFS_SCHEMA, path, &file, &ignored);

	pmpp_error_clear(&ignored);
	if (status != PMPP_OK)
		return false;
	bool sane = is_sane(&file);
	if (sane) {
		struct roofs_record roofs = roofs_unknown();
		roofs.copy_gbps = file.copy_gbps;
		roofs.read_gbps = file.read_gbps;
		roofs.fma_gflops.f32 = file.fma_gflops;
		roofs.shared_gbps = file.shared_gbps;
		roofs.h2d_gbps = file.h2d_gbps;
		roofs.d2h_gbps = file.d2h_gbps;
		roofs.age_s = fmax(0, (double)time(NULL) - file.measured_utc_s);
		*ret_roofs = roofs;
	}
	record_finish(&roofs_file_type, &file);
	return sane;
}

void roofs_cache_store(
	const char *path, const struct gpu_device_info *info, const struct roofs_record *roofs)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct roofs_file file;

	record_init(&roofs_file_type, &file);
	text_set(&file.schema, ROOFS_SCHEMA);
	text_set(&file.device, info->name);
	text_set(&file.driver, info->driver);
	file.measured_utc_s = (double)time(NULL);
	file.copy_gbps = roofs->copy_gbps;
	file.read_gbps = roofs->read_gbps;
	file.fma_gflops = roofs->fma_gflops.f32;
	file.shared_gbps = roofs->shared_gbps;
	file.h2d_gbps = roofs->h2d_gbps;
	file.d2h_gbps = roofs->d2h_gbps;
	document_save(&roofs_file_type, &file, path, &ignored);
	pmpp_error_clear(&ignored);
	record_finish(&roofs_file_type, &file);
}
