#include "host/suite/roofs_cache.h"

#include "host/gpu/program_cache.h"
#include "host/io/cache_file.h"
#include "host/record/document.h"
#include "host/record/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROOFS_SCHEMA "pmpp-roofs/1"
#define FOLDER "roofs"
#define MOST_BYTES ((size_t)1 << 20)

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

#define NAME_BYTES (PROGRAM_CACHE_KEY_LENGTH + sizeof ".json")

static void file_name(const struct gpu_device_info *info, char ret_name[NAME_BYTES])
{
	const char *identity = *info->uuid ? info->uuid : *info->pci ? info->pci : info->name;
	const char *const parts[] = {ROOFS_SCHEMA, gpu_backend_name(info->backend), identity,
		info->name, info->driver, info->compiler, NULL};
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];

	program_cache_key(parts, key);
	snprintf(ret_name, NAME_BYTES, "%s.json", key);
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

bool roofs_cache_load(const struct gpu_device_info *info, struct roofs_record *ret_roofs)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct roofs_file file;
	char name[NAME_BYTES];
	void *text = NULL;
	size_t size = 0;

	file_name(info, name);
	if (cache_read(FOLDER, name, MOST_BYTES, &text, &size) != CACHE_READ_OK)
		return false;
	enum pmpp_status status =
		document_parse(&roofs_file_type, ROOFS_SCHEMA, name, text, size, &file, &ignored);
	free(text);
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

void roofs_cache_store(const struct gpu_device_info *info, const struct roofs_record *roofs)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct roofs_file file;
	char name[NAME_BYTES];
	char *text = NULL;

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
	file_name(info, name);
	if (record_write(&roofs_file_type, &file, RECORD_INDENTED, &text, &ignored) == PMPP_OK)
		cache_write(FOLDER, name, &(struct iovec){text, strlen(text)}, 1);
	free(text);
	pmpp_error_clear(&ignored);
	record_finish(&roofs_file_type, &file);
}
