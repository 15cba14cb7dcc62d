# Intel UHD 630 class [0x9bca] (Gen9.5), NEO 21.24. Sources:
# github.com/intel/compute-runtime/issues/428; cache and largest buffer: issues 205 and 207 of the
# same tracker; cl_khr_subgroups: github.com/ROCm/legacy-rocm-build/issues/1310. The dump has no
# memory size; here 12 GB. The clock is 0: the driver reports 0 where it cannot read sysfs (issue
# 478). No UUID in this driver.

CL_PLATFORM_NAME = "Intel(R) OpenCL HD Graphics"
CL_PLATFORM_VENDOR = "Intel(R) Corporation"
CL_PLATFORM_VERSION = "OpenCL 3.0 "
CL_PLATFORM_EXTENSIONS = cl_khr_icd

CL_DEVICE_TYPE = gpu
CL_DEVICE_NAME = "Intel(R) UHD Graphics [0x9bca]"
CL_DEVICE_VENDOR = "Intel(R) Corporation"
CL_DEVICE_VENDOR_ID = 0x8086
CL_DEVICE_VERSION = "OpenCL 3.0 NEO "
CL_DRIVER_VERSION = "21.24.20098"
CL_DEVICE_PROFILE = "FULL_PROFILE"
CL_DEVICE_OPENCL_C_VERSION = "OpenCL C 3.0 "
CL_DEVICE_EXTENSIONS = cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store cl_khr_fp16 cl_khr_3d_image_writes cl_khr_depth_images cl_khr_il_program cl_khr_spir cl_intel_subgroups cl_intel_subgroups_short cl_intel_subgroups_char cl_intel_subgroups_long cl_intel_required_subgroup_size cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce cl_khr_subgroups cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
CL_DEVICE_MAX_COMPUTE_UNITS = 24
CL_DEVICE_MAX_CLOCK_FREQUENCY = 0
CL_DEVICE_MAX_WORK_GROUP_SIZE = 256
CL_DEVICE_MAX_WORK_ITEM_SIZES = 256 256 256
CL_DEVICE_LOCAL_MEM_SIZE = 65536
CL_DEVICE_LOCAL_MEM_TYPE = local
CL_DEVICE_GLOBAL_MEM_SIZE = 12884901888
CL_DEVICE_MAX_MEM_ALLOC_SIZE = 4294959104
CL_DEVICE_GLOBAL_MEM_CACHE_TYPE = read_write
CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 524288
CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 64
CL_DEVICE_MEM_BASE_ADDR_ALIGN = 1024
CL_DEVICE_HOST_UNIFIED_MEMORY = 1
CL_DEVICE_PROFILING_TIMER_RESOLUTION = 83
CL_DEVICE_QUEUE_PROPERTIES = profiling
CL_DEVICE_EXECUTION_CAPABILITIES = kernels
CL_DEVICE_SINGLE_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma exact_divide
CL_DEVICE_DOUBLE_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma
CL_DEVICE_HALF_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma
CL_DEVICE_SUB_GROUP_SIZES_INTEL = 8 16 32
CL_DEVICE_MAX_NUM_SUB_GROUPS = 32
CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS = 1
CL_DEVICE_IL_VERSION = "SPIR-V_1.2 "
CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES = relaxed acq_rel seq_cst work_group_scope device_scope
CL_DEVICE_ATOMIC_FENCE_CAPABILITIES = relaxed acq_rel seq_cst work_item_scope work_group_scope device_scope
CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT = 1
CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT = 1
CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT = 1
CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 32
CL_DEVICE_OPENCL_C_FEATURES = __opencl_c_int64 __opencl_c_atomic_order_acq_rel __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device __opencl_c_atomic_scope_all_devices __opencl_c_generic_address_space __opencl_c_program_scope_global_variables __opencl_c_work_group_collective_functions

CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 32
CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE = 32
CL_KERNEL_WORK_GROUP_SIZE = 256

c_versions = 1.0 1.1 1.2 2.0 3.0
options = -cl-intel-greater-than-4GB-buffer-required -cl-intel-256-GRF-per-thread
local_overflow = launch
profiling = device
binaries = no
