// Measures classes of instructions, loops, and what synchronisation costs. `add(what, parameter, value)` takes a line
// of the result.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "measure_bench.cuh"
#include "measure_classes.cuh"
#include "measure_cluster.cuh"
#include "measure_waits.cuh"

template <class Class, class Add>
void measure_class(Bench& bench, const Add& add, const std::string& name) {
    const int many = bench.rounds(64);
    const double each = 32.0 * many * Class::instructions;
    add((name + ", in a chain").c_str(), "",
        bench.cycles([&](Out* out) { class_chains<Class, 1><<<1, 32>>>(out, many); }) / each);
    for (const int warps : {1, 4, 16})
        add((name + ", of four chains of each of " + std::to_string(warps) + " warps").c_str(), "",
            bench.cycles([&](Out* out) { class_chains<Class, 4><<<1, 32 * warps>>>(out, many); }) / each / warps);
}

template <class Add>
void measure_classes(Bench& bench, const Add& add) {
    using namespace classes;
    measure_class<IntegerAdd>(bench, add, "add.u32");
    measure_class<IntegerFma>(bench, add, "mad.lo.u32");
    measure_class<WideFma>(bench, add, "mad.wide.u32");
    measure_class<Logic>(bench, add, "lop3.b32");
    measure_class<Shift>(bench, add, "shf.l.b32");
    measure_class<FloatFma>(bench, add, "fma.rn.f32");
    measure_class<FloatAdd>(bench, add, "add.rn.f32");
    measure_class<HalfFma>(bench, add, "fma.rn.f16x2");
    measure_class<Select>(bench, add, "setp and selp, and add.u32, of two");
    measure_class<Exponential>(bench, add, "ex2.approx.f32");
    measure_class<ToInteger>(bench, add, "cvt of f32 and s32");
    measure_class<ToPair>(bench, add, "cvt.rn.bf16x2.f32");
    measure_class<CountBits>(bench, add, "popc.b32");
    measure_class<Division>(bench, add, "div.u32");
    measure_class<Shuffle>(bench, add, "shfl.sync");
    measure_class<ReduceMatch>(bench, add, "redux.sync");
}

template <class Step, class Add>
void measure_step(Bench& bench, const Add& add, const std::string& name) {
    const int many = bench.rounds(64);
    for (const int warps : {1, 8})
        add((name + ", by each of " + std::to_string(warps) + " warps").c_str(), "",
            bench.cycles([&](Out* out) { synchronisation<Step><<<1, 32 * warps>>>(out, many); }) / (16.0 * many));
}

template <class Add>
void measure_waits(Bench& bench, const Add& add, const uint4* data) {
    using namespace steps;
    const int many = bench.rounds(64);
    measure_step<GlobalTimer>(bench, add, "a look at the global timer");
    measure_step<ArriveState>(bench, add, "an arrival on an mbarrier whose state is needed");
    measure_step<TestWait>(bench, add, "a test of an mbarrier by 32 lanes");
    measure_step<Commit>(bench, add, "cp.async.commit_group and wait_group");
    measure_step<CopiesArrive>(bench, add, "cp.async.mbarrier.arrive.noinc");
    measure_step<WarpBarrier>(bench, add, "bar.warp.sync");
    measure_step<Store>(bench, add, "st.shared");
    measure_step<StoreLoad>(bench, add, "st.shared, and ld.shared of it");
    measure_step<LoadWord>(bench, add, "ld.shared and add");
    measure_step<LoadFourWords>(bench, add, "ld.shared.v4 and add");
    measure_step<Matrix>(bench, add, "ldmatrix.x4 and add");
    if (bench.gpu.major >= 9) {
        measure_step<Fence>(bench, add, "fence.proxy.async.shared::cta");
        measure_step<FenceAfterStore>(bench, add, "st.shared and fence.proxy.async.shared::cta");
        measure_step<Elect>(bench, add, "elect.sync and add");
        measure_step<BulkCommit>(bench, add, "cp.async.bulk.commit_group and wait_group.read");
        for (const uint32_t size : {16u, 2048u})
            add(("a bulk copy of " + std::to_string(size) + " bytes, until the next one").c_str(), "",
                bench.cycles([&](Out* out) { bulk_issue<<<1, 1>>>(data, out, size); }) / 16);
    }
    add("an mbarrier handed over and back", "",
        bench.cycles([&](Out* out) { hand_over<<<1, 64>>>(out, many); }) / many);
    for (const int warps : {1, 8}) {
        const std::string by = ", by each of " + std::to_string(warps) + " warps";
        add(("2 KiB by cp.async from the L2 cache, awaited as a group" + by).c_str(), "",
            bench.cycles([&](Out* out) { copies_awaited<false><<<1, 32 * warps>>>(data, out, many); }) / many);
        add(("2 KiB by cp.async from the L2 cache, awaited by an mbarrier" + by).c_str(), "",
            bench.cycles([&](Out* out) { copies_awaited<true><<<1, 32 * warps>>>(data, out, many); }) / many);
    }
}

/// Boxes of 64 rows of 128 bytes in a matrix whose rows have 8 KiB.
inline CUtensorMap box_map(const uint4* data) {
    CUtensorMap map{};
    const cuuint64_t size[] = {8192, BOX_ROWS}, pitch[] = {8192};
    const cuuint32_t box[] = {BOX_BYTES, BOX_ROWS}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, const_cast<uint4*>(data), size, pitch, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        std::fprintf(stderr, "cuTensorMapEncodeTiled refuses a map\n");
        std::exit(1);
    }
    return map;
}

template <class Add>
void measure_clusters(Bench& bench, const Add& add, const uint4* data) {
    const int many = bench.rounds(64);
    for (const int warps : {1, 4, 8, 12})
        add(("a barrier of a cluster of two blocks of " + std::to_string(warps) + " warps").c_str(),
            warps == 1 ? "cluster_barrier" : "",
            bench.cycles([&](Out* out) { cluster_barriers<<<2, 32 * warps>>>(out, many); }) / many);
    add("an mbarrier handed over to another SM and back", "",
        bench.cycles([&](Out* out) { cluster_hand_over<<<2, 1>>>(out, many); }) / many);
    const CUtensorMap map = box_map(data);
    for (const bool box : {false, true})
        add((std::string("a bulk copy of 8 KiB from the L2 cache") + (box ? ", a box of 64 rows" : "")).c_str(), "",
            bench.cycles([&](Out* out) { box_copies<<<1, 1>>>(map, data, out, many, box); }) / many);
}

template <class Add>
void measure_loops(Bench& bench, const Add& add) {
    const int turns = bench.rounds(1024);
    for (const int warps : {1, 4, 8, 16}) {
        const auto round = [&](auto kernel, const char* body) {
            add(("a round of a loop of " + std::string(body) + " mad and a branch, of " + std::to_string(warps) +
                 " warps")
                    .c_str(),
                "", bench.cycles([&](Out* out) { kernel<<<1, 32 * warps>>>(out, turns); }) / turns);
        };
        round(loops<1>, "1");
        round(loops<4>, "4");
        round(loops<16>, "16");
        round(loops<32>, "32");
    }
}
