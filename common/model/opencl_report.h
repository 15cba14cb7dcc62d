/*
 * What an OpenCL driver reports about a device, and the shape of the device that follows from it.
 * Some reports are wrong on some drivers. This module has the rules about them. The rules are the
 * same on every machine, so a test can apply them to reports of devices that the machine lacks.
 */
#ifndef PMPP_COMMON_MODEL_OPENCL_REPORT_H
#define PMPP_COMMON_MODEL_OPENCL_REPORT_H

#include "common/model/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPENCL_REPORT_MAX_SIZES 32
#define NOT_REPORTED (-1)

/* CL_DEVICE_LOCAL_MEM_TYPE */
enum {
	OPENCL_LOCAL_IS_LOCAL = 1,
	OPENCL_LOCAL_IS_GLOBAL = 2
};

/* A text is "" or NULL and a number is NOT_REPORTED if the query fails, or if it belongs to an
 * extension that the device does not list. */
struct opencl_report {
	const char *platform, *vendor, *name, *version;
	const char *board; /* CL_DEVICE_BOARD_NAME_AMD */
	const char *arch;  /* "sm_90", from the queries of NVIDIA */
	bool is_gpu;
	bool is_cpu;

	int64_t compute_units, clock_mhz;
	int64_t block_threads;             /* CL_DEVICE_MAX_WORK_GROUP_SIZE */
	int64_t local_bytes, local_type;   /* CL_DEVICE_LOCAL_MEM_SIZE, ..._TYPE */
	int64_t line_bytes;                /* CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE */
	int64_t cache_bytes, memory_bytes; /* CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, ..._MEM_SIZE */
	int64_t unified;                   /* CL_DEVICE_HOST_UNIFIED_MEMORY */
	int64_t fp64_config;               /* CL_DEVICE_DOUBLE_FP_CONFIG */
	int64_t native_floats;             /* CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT */
	int64_t timer_ns;                  /* CL_DEVICE_PROFILING_TIMER_RESOLUTION */
	int64_t host_cache_bytes;          /* last level, as the system reports it */

	/* cl_amd_device_attribute_query */
	int64_t amd_wavefront, amd_block_threads, amd_simds, amd_banks;
	/* cl_nv_device_attribute_query */
	int64_t nv_warp;
	/* cl_intel_device_attribute_query; device_id: the PCI device */
	int64_t intel_eus, intel_device_id;
	/* cl_intel_required_subgroup_size; 0 sizes: not reported */
	size_t sub_groups[OPENCL_REPORT_MAX_SIZES];
	size_t sub_group_count;

	const char *extensions; /* CL_DEVICE_EXTENSIONS: names with spaces between them */
	bool has_sub_groups;    /* the language has the feature __opencl_c_subgroups */
};

/* Returns the shape. Its texts are valid as long as those of the report. */
struct device_shape opencl_report_shape(const struct opencl_report *report);

#endif
