#include "host/suite/roofs_cache.h"

#include "host/gpu/program_cache.h"
#include "host/io/cache_file.h"
#include "host/io/includes.h"
#include "host/record/document.h"
#include "host/record/json.h"
#include "host/suite/device.h"
#include "host/suite/kernel_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROOFS_SCHEMA "pmpp-roofs/3"
#define FOLDER "roofs"
#define MAX_BYTES ((size_t)1 << 20)

/* How long doubtful figures are used. */
static const double doubtful_max_s[DEVICE_CLASS_COUNT] = {[DEVICE_CLASS_CPU] = 600};

/* ---- The file ------------------------------------------------------------------------------ */

#define RECORDS "host/suite/roofs_cache.def"
#include "host/record/records.inc"

#define RECORD_TYPES
#define RECORDS "host/suite/roofs_cache.def"
#include "host/record/records.inc"

/* ---- The file name ------------------------------------------------------------------------- */

#define NAME_BYTES (PROGRAM_CACHE_KEY_LENGTH + sizeof ".json")

/* The hash of all roof kernels in both languages, because all backends of a device share the file.
 */
static void kernels_key(const char *roof_dir, char ret_key[PROGRAM_CACHE_KEY_LENGTH + 1])
{
	static const enum gpu_backend_id languages[] = {GPU_BACKEND_OPENCL, GPU_BACKEND_CUDA};
	const struct family *family = family_find("roof");
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	snprintf(ret_key, PROGRAM_CACHE_KEY_LENGTH + 1, "%s", ROOFS_SCHEMA);
	for (size_t v = 0; v < family->variant_count; v++)
		for (size_t l = 0; l < sizeof languages / sizeof *languages; l++) {
			char path[KERNEL_PATH_BYTES], last[PROGRAM_CACHE_KEY_LENGTH + 1];
			char *source = NULL;

			kernel_file_path(&family->variants[v], languages[l], path);
			/* A row for CPUs, or for wgmma, has only one kernel file. */
			if (source_load(roof_dir, path, &source, &ignored) != PMPP_OK) {
				pmpp_error_clear(&ignored);
				continue;
			}
			memcpy(last, ret_key, sizeof last);
			program_cache_key((const char *const[]){last, source, NULL}, ret_key);
			free(source);
		}
}

/* The text before the first comma is the version of the driver. The rest differs between
 * backends. */
static void driver_version(const struct gpu_device_info *info, char ret_text[128])
{
	snprintf(ret_text, 128, "%.*s", (int)strcspn(info->driver, ","), info->driver);
}

static void file_name(
	const struct gpu_device_info *info, const char *roof_dir, char ret_name[NAME_BYTES])
{
	const char *identity = *info->uuid ? info->uuid : *info->pci ? info->pci : info->name;
	char units[16], version[128];
	char kernels[PROGRAM_CACHE_KEY_LENGTH + 1], key[PROGRAM_CACHE_KEY_LENGTH + 1];
	const char *const parts[] = {ROOFS_SCHEMA, identity, units, version, kernels, NULL};

	snprintf(units, sizeof units, "%u", info->limits.compute_units);
	driver_version(info, version);
	kernels_key(roof_dir, kernels);
	program_cache_key(parts, key);
	snprintf(ret_name, NAME_BYTES, "%s.json", key);
}

/* ---- Reading and writing ------------------------------------------------------------------- */

struct kept_roofs kept_roofs_none(void)
{
	return (struct kept_roofs){.own = roofs_unknown(), .doubtful = roofs_unknown()};
}

static bool is_sane(const struct roofs_file *file)
{
	for (size_t i = 0; i < file->parts.count; i++)
		if (!roofs_are_sane(&file->parts.items[i].roofs) ||
			!roofs_are_sane(&file->parts.items[i].doubtful))
			return false;
	return true;
}

/* Returns false if there is no usable file; *ret_file is then not initialised. */
static bool load(const char *name, struct roofs_file *ret_file)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	void *text = NULL;
	size_t size = 0;

	if (cache_read(FOLDER, name, MAX_BYTES, &text, &size) != CACHE_READ_OK)
		return false;
	enum pmpp_status status = document_parse(
		&roofs_file_type, ROOFS_SCHEMA, name, text, size, ret_file, &ignored);
	free(text);
	pmpp_error_clear(&ignored);
	if (status != PMPP_OK)
		return false;
	if (is_sane(ret_file))
		return true;
	record_finish(&roofs_file_type, ret_file);
	return false;
}

/* Copies only figures and ages; the file keeps all other members of the record. */
static void take(struct roofs_record *roofs, const struct roofs_record *kept, double written_utc_s)
{
	struct roofs_record figures = *kept;
	double elapsed_s = fmax(0, (double)time(NULL) - written_utc_s);

	for (int role = 0; role < ROOF_FIGURE_COUNT; role++)
		*roof_age(&figures, (enum roof_role)role) += elapsed_s;
	figures.age_s += elapsed_s;
	roofs_complete(roofs, &figures);
}

static void load_own(
	const struct gpu_device_info *info, const struct roofs_part *part, struct kept_roofs *kept)
{
	double age_s = (double)time(NULL) - part->doubtful_utc_s;

	take(&kept->own, &part->roofs, part->written_utc_s);
	kept->complete = part->complete;
	/* age_s < 0: the clock was wrong when the part was written, or is wrong now. */
	kept->pause = part->doubtful.record.present && age_s >= 0 &&
		      age_s < doubtful_max_s[suite_device_class(info)];
	if (part->doubtful.record.present && age_s >= 0)
		take(&kept->doubtful, &part->doubtful, part->doubtful_utc_s);
}

struct kept_roofs roofs_cache_load(const struct gpu_device_info *info, const char *roof_dir)
{
	struct kept_roofs kept = kept_roofs_none();
	struct roofs_file file;
	char name[NAME_BYTES];

	file_name(info, roof_dir, name);
	if (!load(name, &file))
		return kept;
	for (size_t i = 0; i < file.parts.count; i++)
		if (text_equal(file.parts.items[i].backend, gpu_backend_name(info->backend)))
			load_own(info, &file.parts.items[i], &kept);
	record_finish(&roofs_file_type, &file);
	return kept;
}

/* Returns the part of a backend; adds it if there is none. NULL: no memory. */
static struct roofs_part *part_of(struct roofs_file *file, const char *backend)
{
	for (size_t i = 0; i < file->parts.count; i++)
		if (text_equal(file->parts.items[i].backend, backend))
			return &file->parts.items[i];
	struct roofs_part *part = record_list_add(&roofs_part_type, &file->parts);
	if (part)
		text_set(&part->backend, backend);
	return part;
}

void roofs_cache_store(
	const struct gpu_device_info *info, const char *roof_dir, const struct kept_roofs *kept)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct roofs_file file;
	char name[NAME_BYTES], version[128];
	char *text = NULL;

	file_name(info, roof_dir, name);
	if (!load(name, &file))
		record_init(&roofs_file_type, &file);
	driver_version(info, version);
	text_set(&file.schema, ROOFS_SCHEMA);
	text_set(&file.device, info->name);
	text_set(&file.driver, version);
	struct roofs_part *part = part_of(&file, gpu_backend_name(info->backend));
	if (part) {
		part->written_utc_s = (double)time(NULL);
		part->complete = kept->complete;
		record_finish(&roofs_type, &part->roofs);
		part->roofs = kept->own;
		record_finish(&roofs_type, &part->doubtful);
		part->doubtful = kept->doubtful;
		part->doubtful.record.present =
			kept->doubtful.flags && doubtful_max_s[suite_device_class(info)] > 0;
		part->doubtful_utc_s = (double)time(NULL);
	}
	if (part &&
		record_write(&roofs_file_type, &file, RECORD_INDENTED, &text, &ignored) == PMPP_OK)
		cache_file_write(FOLDER, name, &(struct iovec){text, strlen(text)}, 1);
	free(text);
	pmpp_error_clear(&ignored);
	record_finish(&roofs_file_type, &file);
}
