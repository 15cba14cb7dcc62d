# Intel Arc A770 16 GB (Xe-HPG), NEO 22.49. Sources: github.com/intel/compute-runtime/issues/618;
# A380: github.com/krrishnarraj/clpeak/issues/202; limits in the code: intel/compute-runtime,
# opencl/source/cl_device/cl_device_caps.cpp. The kernel's preferred multiple is twice the width.
# No cl_khr_subgroups, no f64.

CL_PLATFORM_NAME = "Intel(R) OpenCL HD Graphics"
CL_PLATFORM_VENDOR = "Intel(R) Corporation"
CL_PLATFORM_VERSION = "OpenCL 3.0 "
CL_PLATFORM_EXTENSIONS = cl_khr_icd

CL_DEVICE_TYPE = gpu
CL_DEVICE_NAME = "Intel(R) Arc(TM) A770 Graphics"
CL_DEVICE_VENDOR = "Intel(R) Corporation"
CL_DEVICE_VENDOR_ID = 0x8086
CL_DEVICE_VERSION = "OpenCL 3.0 NEO "
CL_DRIVER_VERSION = "22.49.25018.24"
CL_DEVICE_PROFILE = "FULL_PROFILE"
CL_DEVICE_OPENCL_C_VERSION = "OpenCL C 1.2 "
CL_DEVICE_EXTENSIONS = cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store cl_khr_fp16 cl_khr_3d_image_writes cl_khr_depth_images cl_khr_il_program cl_khr_spir cl_intel_subgroups cl_intel_subgroups_short cl_intel_subgroups_char cl_intel_subgroups_long cl_intel_required_subgroup_size cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce cl_khr_device_uuid cl_khr_pci_bus_info cl_intel_device_attribute_query
CL_DEVICE_MAX_COMPUTE_UNITS = 512
CL_DEVICE_MAX_CLOCK_FREQUENCY = 2400
CL_DEVICE_MAX_WORK_GROUP_SIZE = 1024
CL_DEVICE_MAX_WORK_ITEM_SIZES = 1024 1024 1024
CL_DEVICE_LOCAL_MEM_SIZE = 65536
CL_DEVICE_LOCAL_MEM_TYPE = local
CL_DEVICE_GLOBAL_MEM_SIZE = 16225243136
CL_DEVICE_MAX_MEM_ALLOC_SIZE = 4294959104
CL_DEVICE_GLOBAL_MEM_CACHE_TYPE = read_write
CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 16777216
CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 64
CL_DEVICE_MEM_BASE_ADDR_ALIGN = 1024
CL_DEVICE_HOST_UNIFIED_MEMORY = 0
CL_DEVICE_PROFILING_TIMER_RESOLUTION = 52
CL_DEVICE_QUEUE_PROPERTIES = profiling
CL_DEVICE_EXECUTION_CAPABILITIES = kernels
CL_DEVICE_SINGLE_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma exact_divide
CL_DEVICE_DOUBLE_FP_CONFIG = 0
CL_DEVICE_HALF_FP_CONFIG = denormals inf_nan nearest to_zero to_inf fma
CL_DEVICE_SUB_GROUP_SIZES_INTEL = 8 16 32
CL_DEVICE_MAX_NUM_SUB_GROUPS = 128
CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS = 0
CL_DEVICE_IL_VERSION = "SPIR-V_1.2 "
CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES = relaxed acq_rel seq_cst work_group_scope device_scope
CL_DEVICE_ATOMIC_FENCE_CAPABILITIES = relaxed acq_rel seq_cst work_item_scope work_group_scope device_scope
CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT = 1
CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT = 1
CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT = 1
CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 64
CL_DEVICE_OPENCL_C_FEATURES = __opencl_c_int64 __opencl_c_atomic_order_acq_rel __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device __opencl_c_atomic_scope_all_devices __opencl_c_generic_address_space __opencl_c_program_scope_global_variables __opencl_c_work_group_collective_functions
CL_DEVICE_UUID_KHR = 134 128 160 86 0 0 0 0 0 0 0 0 0 0 0 1
CL_DEVICE_PCI_BUS_INFO_KHR = 0 3 0 0
CL_DEVICE_IP_VERSION_INTEL = 0x30dc008
CL_DEVICE_ID_INTEL = 0x56a0
CL_DEVICE_NUM_SLICES_INTEL = 8
CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL = 4
CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL = 16
CL_DEVICE_NUM_THREADS_PER_EU_INTEL = 8

CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 64
CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE = 32
CL_KERNEL_WORK_GROUP_SIZE = 1024

c_versions = 1.0 1.1 1.2 3.0
options = -cl-intel-greater-than-4GB-buffer-required -cl-intel-256-GRF-per-thread
local_overflow = launch
profiling = device
binaries = no
