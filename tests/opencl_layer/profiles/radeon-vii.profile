# AMD Radeon VII (GCN5), ROCm. Source: a clinfo dump in AMD's ROCm tracker, driver 3212.0; 60
# units and blocks of 256 also in github.com/diku-dk/futhark/issues/731. HALF_FP_CONFIG is 0
# although cl_khr_fp16 is listed.

CL_PLATFORM_NAME = "AMD Accelerated Parallel Processing"
CL_PLATFORM_VENDOR = "Advanced Micro Devices, Inc."
CL_PLATFORM_VERSION = "OpenCL 2.1 AMD-APP (3212.0)"
CL_PLATFORM_EXTENSIONS = cl_khr_icd

CL_DEVICE_TYPE = gpu
CL_DEVICE_NAME = "gfx906"
CL_DEVICE_VENDOR = "Advanced Micro Devices, Inc."
CL_DEVICE_VENDOR_ID = 0x1002
CL_DEVICE_VERSION = "OpenCL 2.0 "
CL_DRIVER_VERSION = "3212.0 (HSA1.1,LC)"
CL_DEVICE_PROFILE = "FULL_PROFILE"
CL_DEVICE_OPENCL_C_VERSION = "OpenCL C 2.0 "
CL_DEVICE_EXTENSIONS = cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_fp64 cl_khr_fp16 cl_khr_3d_image_writes cl_khr_image2d_from_buffer cl_khr_depth_images cl_khr_gl_sharing cl_khr_subgroups cl_amd_device_attribute_query cl_amd_media_ops cl_amd_media_ops2 cl_amd_copy_buffer_p2p cl_amd_assembly_program
CL_DEVICE_MAX_COMPUTE_UNITS = 60
CL_DEVICE_MAX_CLOCK_FREQUENCY = 1801
CL_DEVICE_MAX_WORK_GROUP_SIZE = 256
CL_DEVICE_MAX_WORK_ITEM_SIZES = 1024 1024 1024
CL_DEVICE_LOCAL_MEM_SIZE = 65536
CL_DEVICE_LOCAL_MEM_TYPE = local
CL_DEVICE_GLOBAL_MEM_SIZE = 17163091968
CL_DEVICE_MAX_MEM_ALLOC_SIZE = 14588628168
CL_DEVICE_GLOBAL_MEM_CACHE_TYPE = read_write
CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 16384
CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 64
CL_DEVICE_MEM_BASE_ADDR_ALIGN = 1024
CL_DEVICE_HOST_UNIFIED_MEMORY = 0
CL_DEVICE_PROFILING_TIMER_RESOLUTION = 1
CL_DEVICE_QUEUE_PROPERTIES = profiling
CL_DEVICE_EXECUTION_CAPABILITIES = kernels
CL_DEVICE_SINGLE_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma exact_divide
CL_DEVICE_DOUBLE_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma
CL_DEVICE_HALF_FP_CONFIG = 0
CL_DEVICE_SVM_CAPABILITIES = 0x3
CL_DEVICE_BOARD_NAME_AMD = "Vega 20 [Radeon VII]"
CL_DEVICE_TOPOLOGY_AMD = 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3 0 0
CL_DEVICE_WAVEFRONT_WIDTH_AMD = 64
CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD = 256
CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD = 1024
CL_DEVICE_LOCAL_MEM_BANKS_AMD = 32
CL_DEVICE_GLOBAL_FREE_MEMORY_AMD = 16695296 16695296

CL_KERNEL_WORK_GROUP_SIZE = 256
CL_KERNEL_WORK_GROUP_SIZE.required = 1024
CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 64
CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE = 64

c_versions = 1.0 1.1 1.2 2.0
local_overflow = build
profiling = device
binaries = no
