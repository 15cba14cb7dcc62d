# Qualcomm Adreno 650, driver of 2020. Source: github.com/xmrig/xmrig/issues/2383. The name has no
# model, the clock is 1 MHz, the preferred multiple 128. A kernel's largest block is below the
# device's: krrishnarraj/clpeak (src/opencl/cl_common.cpp) capped it at 128. A required size of up
# to 1024 is an assumption.

CL_PLATFORM_NAME = "QUALCOMM Snapdragon(TM)"
CL_PLATFORM_VENDOR = "QUALCOMM"
CL_PLATFORM_VERSION = "OpenCL 2.0 QUALCOMM build: commit #000000 Date: 00/00/20"
CL_PLATFORM_EXTENSIONS = cl_khr_icd

CL_DEVICE_TYPE = gpu
CL_DEVICE_NAME = "QUALCOMM Adreno(TM)"
CL_DEVICE_VENDOR = "QUALCOMM"
CL_DEVICE_VENDOR_ID = 0x5143
CL_DEVICE_VERSION = "OpenCL 2.0 Adreno(TM) 650"
CL_DRIVER_VERSION = "OpenCL 2.0 QUALCOMM build: commit #000000"
CL_DEVICE_PROFILE = "FULL_PROFILE"
CL_DEVICE_OPENCL_C_VERSION = "OpenCL C 2.0 Adreno(TM) 650"
CL_DEVICE_EXTENSIONS = cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store cl_khr_fp16 cl_khr_3d_image_writes cl_khr_depth_images cl_khr_subgroups cl_qcom_subgroup_shuffle cl_qcom_reqd_sub_group_size cl_qcom_ext_host_ptr
CL_DEVICE_MAX_COMPUTE_UNITS = 3
CL_DEVICE_MAX_CLOCK_FREQUENCY = 1
CL_DEVICE_MAX_WORK_GROUP_SIZE = 1024
CL_DEVICE_MAX_WORK_ITEM_SIZES = 1024 1024 1024
CL_DEVICE_LOCAL_MEM_SIZE = 32768
CL_DEVICE_LOCAL_MEM_TYPE = local
CL_DEVICE_GLOBAL_MEM_SIZE = 3992293376
CL_DEVICE_MAX_MEM_ALLOC_SIZE = 998073344
CL_DEVICE_GLOBAL_MEM_CACHE_TYPE = read_write
CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 131072
CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 64
CL_DEVICE_MEM_BASE_ADDR_ALIGN = 1024
CL_DEVICE_HOST_UNIFIED_MEMORY = 1
CL_DEVICE_PROFILING_TIMER_RESOLUTION = 1000
CL_DEVICE_QUEUE_PROPERTIES = profiling
CL_DEVICE_EXECUTION_CAPABILITIES = kernels
CL_DEVICE_SINGLE_FP_CONFIG = inf_nan nearest to_inf
CL_DEVICE_DOUBLE_FP_CONFIG = 0
CL_DEVICE_HALF_FP_CONFIG = inf_nan nearest
CL_DEVICE_SVM_CAPABILITIES = 0x3

CL_KERNEL_WORK_GROUP_SIZE = 128
CL_KERNEL_WORK_GROUP_SIZE.required = 1024
CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 128
CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE = 64

c_versions = 1.0 1.1 1.2 2.0
local_overflow = launch
profiling = step
profiling_step_ns = 1000
binaries = no
