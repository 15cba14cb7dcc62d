# AMD Instinct MI250X, one die (CDNA2), ROCm. Sources: github.com/openmm/openmm/issues/3940,
# github.com/ROCm/aiter/issues/179; units and clock: krrishnarraj/clpeak, results/. The board name
# is empty. The dump has neither the width nor the sizes of work-groups of AMD's extension, nor
# the local memory (AMD's table: 64 KiB).

CL_PLATFORM_NAME = "AMD Accelerated Parallel Processing"
CL_PLATFORM_VENDOR = "Advanced Micro Devices, Inc."
CL_PLATFORM_VERSION = "OpenCL 2.1 AMD-APP (3452.0)"
CL_PLATFORM_EXTENSIONS = cl_khr_icd

CL_DEVICE_TYPE = gpu
CL_DEVICE_NAME = "gfx90a:sramecc+:xnack-"
CL_DEVICE_VENDOR = "Advanced Micro Devices, Inc."
CL_DEVICE_VENDOR_ID = 0x1002
CL_DEVICE_VERSION = "OpenCL 2.0 "
CL_DRIVER_VERSION = "3452.0 (HSA1.1,LC)"
CL_DEVICE_PROFILE = "FULL_PROFILE"
CL_DEVICE_OPENCL_C_VERSION = "OpenCL C 2.0 "
CL_DEVICE_EXTENSIONS = cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_fp64 cl_khr_fp16 cl_khr_3d_image_writes cl_khr_image2d_from_buffer cl_khr_depth_images cl_khr_gl_sharing cl_khr_subgroups cl_amd_device_attribute_query cl_amd_media_ops cl_amd_media_ops2 cl_amd_copy_buffer_p2p cl_amd_assembly_program
CL_DEVICE_MAX_COMPUTE_UNITS = 110
CL_DEVICE_MAX_CLOCK_FREQUENCY = 1700
CL_DEVICE_MAX_WORK_GROUP_SIZE = 256
CL_DEVICE_MAX_WORK_ITEM_SIZES = 1024 1024 1024
CL_DEVICE_LOCAL_MEM_SIZE = 65536
CL_DEVICE_LOCAL_MEM_TYPE = local
CL_DEVICE_GLOBAL_MEM_SIZE = 68702699520
CL_DEVICE_MAX_MEM_ALLOC_SIZE = 58397294592
CL_DEVICE_GLOBAL_MEM_CACHE_TYPE = read_write
CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 16384
CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 128
CL_DEVICE_MEM_BASE_ADDR_ALIGN = 1024
CL_DEVICE_HOST_UNIFIED_MEMORY = 0
CL_DEVICE_PROFILING_TIMER_RESOLUTION = 1
CL_DEVICE_QUEUE_PROPERTIES = profiling
CL_DEVICE_EXECUTION_CAPABILITIES = kernels
CL_DEVICE_SINGLE_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma exact_divide
CL_DEVICE_DOUBLE_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma
CL_DEVICE_HALF_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma
CL_DEVICE_SVM_CAPABILITIES = 0x3
CL_DEVICE_BOARD_NAME_AMD = ""
CL_DEVICE_TOPOLOGY_AMD = 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3 0 0
CL_DEVICE_GLOBAL_FREE_MEMORY_AMD = 67026944 67026944

CL_KERNEL_WORK_GROUP_SIZE = 256
CL_KERNEL_WORK_GROUP_SIZE.required = 1024
CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 64
CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE = 64

c_versions = 1.0 1.1 1.2 2.0
local_overflow = build
profiling = device
binaries = no
