#include "sim/ptx/toolkit_files.h"

#include <doctest/doctest.h>

using sim::ptx::is_toolkit_file;

TEST_CASE("headers of the toolkit and the system are not the program's") {
    for (const char* path : {
             "/usr/local/cuda/bin/../targets/x86_64-linux/include/cuda_pipeline_helpers.h",
             "/usr/local/cuda-13.0/include/cooperative_groups/details/sync.h",
             "/home/me/toolkits/12.4/targets/sbsa-linux/include/crt/sm_90_rt.hpp",
             "/home/me/env/lib/python3.11/site-packages/nvidia/cu13/include/cccl/cuda/std/__atomic/api.h",
             "/home/me/conda/include/cuda/std/detail/libcxx/include/barrier",
             "/home/me/conda/include/cuda/__barrier/barrier_block_scope.h",
             "/home/me/conda/include/cuda/barrier",
             "/home/me/conda/include/cuda_fp16.hpp",
             "/home/me/src/cccl/libcudacxx/include/cuda/std/cstdint",
             "/home/me/src/cccl/cub/cub/block/block_reduce.cuh",
             "/home/me/project/third_party/cutlass/include/cute/arch/copy_sm90_tma.hpp",
             "/usr/include/c++/12/bits/move.h",
             "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h",
             "include/cute/arch/copy_sm90_tma.hpp",
             "../cutlass/include/cutlass/arch/barrier.h",
             "libcudacxx/include/cuda/std/cstdint",
             "targets/x86_64-linux/include/cuda_pipeline_helpers.h",
             "C:\\CUDA\\v13.0\\include\\cuda_pipeline_primitives.h",
         })
        CHECK_MESSAGE(is_toolkit_file(path), path);
}

TEST_CASE("a program's own headers are its own, also in folders called include or cuda") {
    for (const char* path : {
             "kernel.cu",
             "/lab/kernel.cu",
             "/home/me/project/include/helpers.cuh",
             "/home/me/project/include/cuda_helpers.cuh",
             "/home/me/project/include/cuda/copy.cuh",
             "/home/me/cuda/samples/stencil.cu",
             "/home/me/course/cooperative_groups/kernel.cu",
             "/home/me/targets/include/tile.h",
             "/home/me/cuda_pipeline.cu",
             "/usr/local/src/lab/kernel.cu",
             "include/helpers.cuh",
             "./include/cuda/copy.cuh",
             "cute/tile.cuh",
             "usr/include/tile.h",
             "/home/me/lib/usr/include/x.h",
             "/home/me/cccl/libcudacxx/test/support/concurrent_agents.h",
             "/home/me/cccl/examples/transform.cu",
             "/home/me/cutlass/examples/00_basic_gemm/basic_gemm.cu",
         })
        CHECK_MESSAGE(!is_toolkit_file(path), path);
}
