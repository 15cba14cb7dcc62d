# Apple M1 Max, OpenCL 1.2 of macOS. Sources: a clinfo dump of an M1 Max; M1 and M4 Pro:
# github.com/hashcat/hashcat/issues/2976, github.com/alexDickhans/field-localization (clinfo.txt).
# Blocks of 256, no cache, a clock of 1000 MHz, a timer of 1000 ns, alignment of 4096 bytes, no
# f64, f16 or sub-groups. The dump has no SINGLE_FP_CONFIG: the words here are an assumption.

CL_PLATFORM_NAME = "Apple"
CL_PLATFORM_VENDOR = "Apple"
CL_PLATFORM_VERSION = "OpenCL 1.2 (Jan 1 2024 00:00:00)"
CL_PLATFORM_EXTENSIONS = cl_khr_icd

CL_DEVICE_TYPE = gpu
CL_DEVICE_NAME = "Apple M1 Max"
CL_DEVICE_VENDOR = "Apple"
CL_DEVICE_VENDOR_ID = 0x1027f00
CL_DEVICE_VERSION = "OpenCL 1.2 "
CL_DRIVER_VERSION = "1.2 1.0"
CL_DEVICE_PROFILE = "FULL_PROFILE"
CL_DEVICE_OPENCL_C_VERSION = "OpenCL C 1.2 "
CL_DEVICE_EXTENSIONS = cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store cl_khr_3d_image_writes cl_khr_image2d_from_buffer cl_khr_depth_images cl_APPLE_SetMemObjectDestructor cl_APPLE_ContextLoggingFunctions cl_APPLE_clut cl_APPLE_query_kernel_names cl_APPLE_gl_sharing
CL_DEVICE_MAX_COMPUTE_UNITS = 32
CL_DEVICE_MAX_CLOCK_FREQUENCY = 1000
CL_DEVICE_MAX_WORK_GROUP_SIZE = 256
CL_DEVICE_MAX_WORK_ITEM_SIZES = 256 256 256
CL_DEVICE_LOCAL_MEM_SIZE = 32768
CL_DEVICE_LOCAL_MEM_TYPE = local
CL_DEVICE_GLOBAL_MEM_SIZE = 51539607552
CL_DEVICE_MAX_MEM_ALLOC_SIZE = 9663676416
CL_DEVICE_GLOBAL_MEM_CACHE_TYPE = no_cache
CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0
CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 0
CL_DEVICE_MEM_BASE_ADDR_ALIGN = 32768
CL_DEVICE_HOST_UNIFIED_MEMORY = 1
CL_DEVICE_PROFILING_TIMER_RESOLUTION = 1000
CL_DEVICE_QUEUE_PROPERTIES = profiling
CL_DEVICE_EXECUTION_CAPABILITIES = kernels
CL_DEVICE_SINGLE_FP_CONFIG = inf_nan nearest to_zero to_inf fma exact_divide
CL_DEVICE_DOUBLE_FP_CONFIG = 0

CL_KERNEL_WORK_GROUP_SIZE = 256
CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 32

c_versions = 1.0 1.1 1.2
local_overflow = build
profiling = step
profiling_step_ns = 1000
binaries = no
