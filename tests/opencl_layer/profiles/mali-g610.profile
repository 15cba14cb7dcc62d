# Arm Mali-G610 MP4 (RK3588), driver g6p0. Source: github.com/bbaranoff/OrangePi5-OpenCL
# (clinfo.txt). The name is internal, local memory is a part of global memory,
# CL_DEVICE_MAX_WARP_COUNT_ARM fails although its extension is listed.

CL_PLATFORM_NAME = "ARM Platform"
CL_PLATFORM_VENDOR = "ARM"
CL_PLATFORM_VERSION = "OpenCL 2.1 v1.g6p0-01eac0"
CL_PLATFORM_EXTENSIONS = cl_khr_icd

CL_DEVICE_TYPE = gpu
CL_DEVICE_NAME = "Mali-LODX r0p0"
CL_DEVICE_VENDOR = "ARM"
CL_DEVICE_VENDOR_ID = 0xa8670000
CL_DEVICE_VERSION = "OpenCL 2.1 v1.g6p0-01eac0"
CL_DRIVER_VERSION = "2.1"
CL_DEVICE_PROFILE = "FULL_PROFILE"
CL_DEVICE_OPENCL_C_VERSION = "OpenCL C 2.0 v1.g6p0-01eac0"
CL_DEVICE_EXTENSIONS = cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_fp16 cl_khr_3d_image_writes cl_khr_depth_images cl_khr_il_program cl_khr_device_uuid cl_khr_subgroups cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot cl_arm_scheduling_controls cl_arm_controlled_kernel_termination
CL_DEVICE_MAX_COMPUTE_UNITS = 4
CL_DEVICE_MAX_CLOCK_FREQUENCY = 1000
CL_DEVICE_MAX_WORK_GROUP_SIZE = 1024
CL_DEVICE_MAX_WORK_ITEM_SIZES = 1024 1024 1024
CL_DEVICE_LOCAL_MEM_SIZE = 32768
CL_DEVICE_LOCAL_MEM_TYPE = global
CL_DEVICE_GLOBAL_MEM_SIZE = 8055664640
CL_DEVICE_MAX_MEM_ALLOC_SIZE = 8055664640
CL_DEVICE_GLOBAL_MEM_CACHE_TYPE = read_write
CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 1048576
CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 64
CL_DEVICE_MEM_BASE_ADDR_ALIGN = 1024
CL_DEVICE_HOST_UNIFIED_MEMORY = 1
CL_DEVICE_PROFILING_TIMER_RESOLUTION = 1000
CL_DEVICE_QUEUE_PROPERTIES = profiling
CL_DEVICE_EXECUTION_CAPABILITIES = kernels
CL_DEVICE_SINGLE_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma
CL_DEVICE_DOUBLE_FP_CONFIG = 0
CL_DEVICE_HALF_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma
CL_DEVICE_MAX_NUM_SUB_GROUPS = 64
CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS = 1
CL_DEVICE_IL_VERSION = "SPIR-V_1.0"
CL_DEVICE_UUID_KHR = 168 103 0 0 0 0 0 0 0 0 0 0 0 0 0 1
CL_DEVICE_SVM_CAPABILITIES = 0x1

CL_KERNEL_WORK_GROUP_SIZE = 1024
CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 16
CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE = 16

c_versions = 1.0 1.1 1.2 2.0
local_overflow = launch
profiling = step
profiling_step_ns = 1000
binaries = no
