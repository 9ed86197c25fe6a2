// The instructions of lab 18's tensor cores, which labs 19 and 20 use, too: 64 x 256 sums of a warpgroup, in float, of
// products of bfloat16.
#pragma once

#include <cstdint>

/// What one thread holds of its warpgroup's 64 x 256 sums.
struct Sums {
    float of[256 / 2];
    bool begun = false; // the first product overwrites `of`: if we set it to zero, ptxas would serialise the products
};

/// The registers that the next products read, and the sums, are written.
__device__ inline void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// The products issued since the last commit become a group.
__device__ inline void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Returns when at most the N youngest groups of this warpgroup are incomplete.
template <int N>
__device__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

#define FOUR(i) "+f"(sums.of[i]), "+f"(sums.of[i + 1]), "+f"(sums.of[i + 2]), "+f"(sums.of[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

/// Issues sums += A * transpose of B. A has 64 rows and B has 256, both of 16 elements.
__device__ inline void wgmma(Sums& sums, uint64_t a, uint64_t b) {
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
                 "%128, %129, add, 1, 1, 0, 0;\n}"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80), SIXTEEN(96),
                   SIXTEEN(112)
                 : "l"(a), "l"(b), "r"(int(sums.begun)));
    sums.begun = true;
}
