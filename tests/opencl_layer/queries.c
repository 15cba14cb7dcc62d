/* Answers to queries of the platform and the device. */
#include "tests/opencl_layer/layer.h"

#include <string.h>

#define POCL_PLATFORM "Portable Computing Language"
#define MAX_TEXT 8192
#define MAX_NUMBERS 32
#define MAX_NAMES 256
/* Queries of extensions have larger numbers. The layer rejects those that no row below has. */
#define FIRST_EXTENSION_QUERY 0x4000

/* ---- Values ---------------------------------------------------------------------------------- */

enum kind {
	TEXT,
	UINT,
	ULONG,
	SIZE,
	UINTS,
	SIZES,
	BYTES,
	NAMES,
	C_NAMES
};

static const struct {
	const char *word;
	uint64_t bits;
} words[] = {
	{"gpu", CL_DEVICE_TYPE_GPU},
	{"local", CL_LOCAL},
	{"global", CL_GLOBAL},
	{"no_cache", CL_NONE},
	{"read_only", CL_READ_ONLY_CACHE},
	{"read_write", CL_READ_WRITE_CACHE},
	{"kernels", CL_EXEC_KERNEL},
	{"out_of_order", CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE},
	{"profiling", CL_QUEUE_PROFILING_ENABLE},
	{"denormals", CL_FP_DENORM},
	{"inf_nan", CL_FP_INF_NAN},
	{"nearest", CL_FP_ROUND_TO_NEAREST},
	{"to_zero", CL_FP_ROUND_TO_ZERO},
	{"to_inf", CL_FP_ROUND_TO_INF},
	{"fma", CL_FP_FMA},
	{"exact_divide", CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT},
	{"relaxed", CL_DEVICE_ATOMIC_ORDER_RELAXED},
	{"acq_rel", CL_DEVICE_ATOMIC_ORDER_ACQ_REL},
	{"seq_cst", CL_DEVICE_ATOMIC_ORDER_SEQ_CST},
	{"work_item_scope", CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM},
	{"work_group_scope", CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
	{"device_scope", CL_DEVICE_ATOMIC_SCOPE_DEVICE},
};

/* The number of a value: a number, or the bits of its words. Unknown words end the process: a
 * typing error in a profile would otherwise look like a driver's answer. */
static uint64_t bits_of(const char *value)
{
	uint64_t bits = 0;

	if (profile_numbers(value, &bits, 1) == 1)
		return bits;
	while (*value) {
		size_t length = strcspn(value, " ");
		size_t i = 0;

		while (i < sizeof words / sizeof *words &&
			(strlen(words[i].word) != length ||
				memcmp(words[i].word, value, length) != 0))
			i++;
		if (i == sizeof words / sizeof *words)
			layer_stop("the profile has an unknown word", value);
		bits |= words[i].bits;
		value += length + strspn(value + length, " ");
	}
	return bits;
}

/* The number of a key's value, within the limits. */
static uint64_t number_of(const char *key, const char *value)
{
	const char *limit = profile_value(&layer.limits, key);
	uint64_t number = bits_of(value);
	uint64_t most = limit ? bits_of(limit) : UINT64_MAX;

	return number < most ? number : most;
}

uint64_t layer_number(const char *key, uint64_t otherwise)
{
	const char *value = profile_value(&layer.profile, key);

	return value && !profile_is_none(value) ? number_of(key, value) : otherwise;
}

int layer_version(void)
{
	const char *value = profile_value(&layer.profile, "CL_DEVICE_VERSION");

	return value && strlen(value) >= 10 ? (value[7] - '0') * 10 + (value[9] - '0') : 0;
}

cl_int layer_answer(const void *value, size_t bytes, size_t room, void *target, size_t *ret_bytes)
{
	if (target && room < bytes)
		return CL_INVALID_VALUE;
	if (target)
		memcpy(target, value, bytes);
	if (ret_bytes)
		*ret_bytes = bytes;
	return CL_SUCCESS;
}

/* ---- Extensions ------------------------------------------------------------------------------ */

/* Extensions of kernels, by the start of their names. The layer cannot add them to PoCL. */
static const char *const executed[] = {
	"cl_khr_fp16", "cl_khr_fp64", "cl_khr_subgroup", "cl_intel_subgroup", "cl_qcom_subgroup"};

static char own_extensions[MAX_TEXT];

static bool is_executed(const char *name)
{
	for (size_t i = 0; i < sizeof executed / sizeof *executed; i++)
		if (strncmp(name, executed[i], strlen(executed[i])) == 0)
			return true;
	return false;
}

bool layer_executes(const char *extension)
{
	return profile_has_word(own_extensions, extension, strlen(extension));
}

static void read_own_extensions(cl_device_id device)
{
	if (own_extensions[0] == '\0')
		layer.below.clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof own_extensions - 1,
			own_extensions, NULL);
}

/* Writes the list that the device reports. */
static void list_extensions(char text[MAX_TEXT])
{
	const char *value = profile_value(&layer.profile, "CL_DEVICE_EXTENSIONS");

	text[0] = '\0';
	while (value && *value) {
		size_t length = strcspn(value, " ");
		char name[100];

		if (length >= sizeof name || strlen(text) + length + 2 > MAX_TEXT)
			layer_stop("an extension's name is too long", value);
		memcpy(name, value, length);
		name[length] = '\0';
		if (layer.answers_only || !is_executed(name) || layer_executes(name)) {
			strcat(text, text[0] ? " " : "");
			strcat(text, name);
		}
		value += length + strspn(value + length, " ");
	}
}

bool layer_lists(const char *extension)
{
	char text[MAX_TEXT];

	list_extensions(text);
	return profile_has_word(text, extension, strlen(extension));
}

/* ---- The table of queries -------------------------------------------------------------------- */

struct query {
	const char *key;
	cl_uint token;
	enum kind kind;
	int since;             /* the first version that has it, times 10 */
	const char *extension; /* that has it in any version, or in no version without `since` */
};

#define CORE(name, kind, since)                \
	{                                      \
#name, name, kind, since, NULL \
	}
#define OF(name, token, kind, extension)        \
	{                                       \
		name, token, kind, 0, extension \
	}
#define AMD "cl_amd_device_attribute_query"
#define INTEL "cl_intel_device_attribute_query"

static const struct query device_queries[] = {
	CORE(CL_DEVICE_TYPE, ULONG, 10),
	CORE(CL_DEVICE_NAME, TEXT, 10),
	CORE(CL_DEVICE_VENDOR, TEXT, 10),
	CORE(CL_DEVICE_VENDOR_ID, UINT, 10),
	CORE(CL_DEVICE_VERSION, TEXT, 10),
	CORE(CL_DRIVER_VERSION, TEXT, 10),
	CORE(CL_DEVICE_PROFILE, TEXT, 10),
	CORE(CL_DEVICE_OPENCL_C_VERSION, TEXT, 11),
	CORE(CL_DEVICE_EXTENSIONS, TEXT, 10),
	CORE(CL_DEVICE_MAX_COMPUTE_UNITS, UINT, 10),
	CORE(CL_DEVICE_MAX_CLOCK_FREQUENCY, UINT, 10),
	CORE(CL_DEVICE_MAX_WORK_GROUP_SIZE, SIZE, 10),
	CORE(CL_DEVICE_MAX_WORK_ITEM_SIZES, SIZES, 10),
	CORE(CL_DEVICE_LOCAL_MEM_SIZE, ULONG, 10),
	CORE(CL_DEVICE_LOCAL_MEM_TYPE, UINT, 10),
	CORE(CL_DEVICE_GLOBAL_MEM_SIZE, ULONG, 10),
	CORE(CL_DEVICE_MAX_MEM_ALLOC_SIZE, ULONG, 10),
	CORE(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, UINT, 10),
	CORE(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, ULONG, 10),
	CORE(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, UINT, 10),
	CORE(CL_DEVICE_MEM_BASE_ADDR_ALIGN, UINT, 10),
	CORE(CL_DEVICE_HOST_UNIFIED_MEMORY, UINT, 11),
	CORE(CL_DEVICE_PROFILING_TIMER_RESOLUTION, SIZE, 10),
	CORE(CL_DEVICE_QUEUE_PROPERTIES, ULONG, 10),
	CORE(CL_DEVICE_EXECUTION_CAPABILITIES, ULONG, 10),
	CORE(CL_DEVICE_SINGLE_FP_CONFIG, ULONG, 10),
	CORE(CL_DEVICE_DOUBLE_FP_CONFIG, ULONG, 12),
	OF("CL_DEVICE_HALF_FP_CONFIG", 0x1033, ULONG, "cl_khr_fp16"),
	CORE(CL_DEVICE_IMAGE_SUPPORT, UINT, 10),
	CORE(CL_DEVICE_BUILT_IN_KERNELS, TEXT, 12),
	CORE(CL_DEVICE_SVM_CAPABILITIES, ULONG, 20),
	CORE(CL_DEVICE_MAX_NUM_SUB_GROUPS, UINT, 21),
	CORE(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, UINT, 21),
	{"CL_DEVICE_IL_VERSION", CL_DEVICE_IL_VERSION, TEXT, 21, "cl_khr_il_program"},
	CORE(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, ULONG, 30),
	CORE(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, ULONG, 30),
	CORE(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, UINT, 30),
	CORE(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, UINT, 30),
	CORE(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, UINT, 30),
	CORE(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, SIZE, 30),
	CORE(CL_DEVICE_NUMERIC_VERSION, UINT, 30),
	CORE(CL_DEVICE_EXTENSIONS_WITH_VERSION, NAMES, 30),
	{"c_versions", CL_DEVICE_OPENCL_C_ALL_VERSIONS, C_NAMES, 30, NULL},
	CORE(CL_DEVICE_OPENCL_C_FEATURES, NAMES, 30),
	CORE(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, TEXT, 30),
	OF("CL_DEVICE_UUID_KHR", 0x106A, BYTES, "cl_khr_device_uuid"),
	OF("CL_DRIVER_UUID_KHR", 0x106B, BYTES, "cl_khr_device_uuid"),
	OF("CL_DEVICE_PCI_BUS_INFO_KHR", 0x410F, UINTS, "cl_khr_pci_bus_info"),
	OF("CL_DEVICE_TOPOLOGY_AMD", 0x4037, BYTES, AMD),
	OF("CL_DEVICE_BOARD_NAME_AMD", 0x4038, TEXT, AMD),
	OF("CL_DEVICE_GLOBAL_FREE_MEMORY_AMD", 0x4039, SIZES, AMD),
	OF("CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD", 0x4040, UINT, AMD),
	OF("CL_DEVICE_SIMD_WIDTH_AMD", 0x4041, UINT, AMD),
	OF("CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD", 0x4042, UINT, AMD),
	OF("CL_DEVICE_WAVEFRONT_WIDTH_AMD", 0x4043, UINT, AMD),
	OF("CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD", 0x4044, UINT, AMD),
	OF("CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD", 0x4047, UINT, AMD),
	OF("CL_DEVICE_LOCAL_MEM_BANKS_AMD", 0x4048, UINT, AMD),
	OF("CL_DEVICE_GFXIP_MAJOR_AMD", 0x404A, UINT, AMD),
	OF("CL_DEVICE_GFXIP_MINOR_AMD", 0x404B, UINT, AMD),
	OF("CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD", 0x4030, SIZE, AMD),
	OF("CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD", 0x4031, SIZE, AMD),
	OF("CL_DEVICE_SUB_GROUP_SIZES_INTEL", 0x4108, SIZES, "cl_intel_required_subgroup_size"),
	OF("CL_DEVICE_IP_VERSION_INTEL", 0x4250, UINT, INTEL),
	OF("CL_DEVICE_ID_INTEL", 0x4251, UINT, INTEL),
	OF("CL_DEVICE_NUM_SLICES_INTEL", 0x4252, UINT, INTEL),
	OF("CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL", 0x4253, UINT, INTEL),
	OF("CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL", 0x4254, UINT, INTEL),
	OF("CL_DEVICE_NUM_THREADS_PER_EU_INTEL", 0x4255, UINT, INTEL),
};

static const struct query platform_queries[] = {
	CORE(CL_PLATFORM_NAME, TEXT, 10),
	CORE(CL_PLATFORM_VENDOR, TEXT, 10),
	CORE(CL_PLATFORM_VERSION, TEXT, 10),
	CORE(CL_PLATFORM_PROFILE, TEXT, 10),
	CORE(CL_PLATFORM_EXTENSIONS, TEXT, 10),
	CORE(CL_PLATFORM_NUMERIC_VERSION, UINT, 30),
};

static const struct query *find_query(const struct query *table, size_t count, cl_uint token)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].token == token)
			return &table[i];
	return NULL;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Where an answer goes: the last three arguments of clGet*Info(). */
struct room {
	size_t bytes;
	void *target;
	size_t *ret_bytes;
};

static cl_int give(const void *value, size_t bytes, const struct room *room)
{
	return layer_answer(value, bytes, room->bytes, room->target, room->ret_bytes);
}

/* The lowest bytes of each number: the host is little-endian. */
static cl_int give_numbers(
	const uint64_t *numbers, size_t count, size_t bytes, const struct room *room)
{
	unsigned char list[MAX_NUMBERS * sizeof *numbers];

	for (size_t i = 0; i < count; i++)
		memcpy(list + i * bytes, &numbers[i], bytes);
	return give(list, count * bytes, room);
}

/* A list of names with version 1.0. */
static cl_int give_names(const char *value, const struct room *room)
{
	cl_name_version list[MAX_NAMES] = {{0}};
	size_t count = 0;

	while (*value && count < MAX_NAMES) {
		size_t length = strcspn(value, " ");

		list[count].version = CL_MAKE_VERSION(1, 0, 0);
		if (length < sizeof list->name)
			memcpy(list[count++].name, value, length);
		value += length + strspn(value + length, " ");
	}
	return give(list, count * sizeof *list, room);
}

/* A list of versions of OpenCL C: "1.0 1.1 1.2". */
static cl_int give_c_names(const char *value, const struct room *room)
{
	cl_name_version list[MAX_NUMBERS] = {{0}};
	size_t count = 0;

	while (strlen(value) >= 3 && count < MAX_NUMBERS) {
		list[count].version = CL_MAKE_VERSION(
			(cl_version)(value[0] - '0'), (cl_version)(value[2] - '0'), 0);
		strcpy(list[count++].name, "OpenCL C");
		value += 3 + strspn(value + 3, " ");
	}
	return give(list, count * sizeof *list, room);
}

/* The answer to a query: a value of the profile. */
static cl_int give_value(const struct query *query, const char *value, const struct room *room)
{
	static const size_t bytes[] = {
		[UINT] = 4, [ULONG] = 8, [SIZE] = 8, [UINTS] = 4, [SIZES] = 8, [BYTES] = 1};
	uint64_t numbers[MAX_NUMBERS];
	size_t count = 1;

	if (query->kind == TEXT)
		return give(value, strlen(value) + 1, room);
	if (query->kind == NAMES)
		return give_names(value, room);
	if (query->kind == C_NAMES)
		return give_c_names(value, room);
	if (query->kind == UINTS || query->kind == SIZES || query->kind == BYTES)
		count = profile_numbers(value, numbers, MAX_NUMBERS);
	else
		numbers[0] = number_of(query->key, value);
	return give_numbers(numbers, count, bytes[query->kind], room);
}

/* The version that CL_DEVICE_NUMERIC_VERSION and CL_PLATFORM_NUMERIC_VERSION report. */
static cl_int give_version(const struct room *room)
{
	cl_version number = CL_MAKE_VERSION(
		(cl_version)(layer_version() / 10), (cl_version)(layer_version() % 10), 0);

	return give(&number, sizeof number, room);
}

/* Whether the device's version or one of its extensions has a query. */
static bool has_query(const struct query *query)
{
	return (query->since > 0 && layer_version() >= query->since) ||
	       (query->extension && layer_lists(query->extension));
}

static cl_int CL_API_CALL get_device_info(
	cl_device_id device, cl_device_info what, size_t bytes, void *target, size_t *ret_bytes)
{
	static const size_t count = sizeof device_queries / sizeof *device_queries;
	const struct query *query = find_query(device_queries, count, what);
	const struct room room = {bytes, target, ret_bytes};
	char extensions[MAX_TEXT];
	const char *value;

	read_own_extensions(device);
	if (query ? !has_query(query) : what >= FIRST_EXTENSION_QUERY)
		return CL_INVALID_VALUE;
	if (what == CL_DEVICE_NUMERIC_VERSION)
		return give_version(&room);
	value = query ? profile_value(&layer.profile, query->key) : NULL;
	if (what == CL_DEVICE_EXTENSIONS || what == CL_DEVICE_EXTENSIONS_WITH_VERSION) {
		list_extensions(extensions);
		value = extensions;
	}
	if (value)
		return profile_is_none(value) ? CL_INVALID_VALUE : give_value(query, value, &room);
	if (query && query->extension)
		return CL_INVALID_VALUE;
	return layer.below.clGetDeviceInfo(device, what, bytes, target, ret_bytes);
}

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info what,
	size_t bytes, void *target, size_t *ret_bytes)
{
	static const size_t count = sizeof platform_queries / sizeof *platform_queries;
	const struct query *query = find_query(platform_queries, count, what);
	const struct room room = {bytes, target, ret_bytes};
	const char *value = query ? profile_value(&layer.profile, query->key) : NULL;

	if (query && !has_query(query))
		return CL_INVALID_VALUE;
	if (what == CL_PLATFORM_NUMERIC_VERSION)
		return give_version(&room);
	if (value)
		return give_value(query, value, &room);
	return layer.below.clGetPlatformInfo(platform, what, bytes, target, ret_bytes);
}

/* ---- Lists of platforms and devices ---------------------------------------------------------- */

static bool is_pocl(cl_platform_id platform)
{
	char name[100] = "";

	return layer.below.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) ==
		       CL_SUCCESS &&
	       strcmp(name, POCL_PLATFORM) == 0;
}

/* Only PoCL's platform is left. */
static cl_int CL_API_CALL get_platforms(cl_uint room, cl_platform_id *platforms, cl_uint *ret_count)
{
	cl_platform_id found[32];
	cl_uint count = 0, kept = 0;
	cl_int code = layer.below.clGetPlatformIDs(32, found, &count);

	if (code != CL_SUCCESS)
		return code;
	for (cl_uint i = 0; i < count && i < 32; i++)
		if (is_pocl(found[i]))
			found[kept++] = found[i];
	for (cl_uint i = 0; platforms && i < kept && i < room; i++)
		platforms[i] = found[i];
	if (ret_count)
		*ret_count = kept;
	return kept > 0 ? CL_SUCCESS : CL_PLATFORM_NOT_FOUND_KHR;
}

/* PoCL's first device has the type of the profile. */
static cl_int CL_API_CALL get_devices(cl_platform_id platform, cl_device_type type, cl_uint room,
	cl_device_id *devices, cl_uint *ret_count)
{
	cl_device_type own = layer_number("CL_DEVICE_TYPE", CL_DEVICE_TYPE_GPU);

	if (type != CL_DEVICE_TYPE_ALL && !(type & (own | CL_DEVICE_TYPE_DEFAULT)))
		return CL_DEVICE_NOT_FOUND;
	if (ret_count)
		*ret_count = 1;
	if (!devices)
		return CL_SUCCESS;
	return room > 0 ? layer.below.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, devices, NULL)
			: CL_INVALID_VALUE;
}

void layer_add_queries(cl_icd_dispatch *table)
{
	table->clGetPlatformIDs = get_platforms;
	table->clGetPlatformInfo = get_platform_info;
	table->clGetDeviceIDs = get_devices;
	table->clGetDeviceInfo = get_device_info;
}
