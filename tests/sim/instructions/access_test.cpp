// Every instruction whose threads load or store is counted.
#include <algorithm>
#include <map>

#include <doctest/doctest.h>

#include "sim/instructions/list.h"
#include "snippet.h"

namespace access_test {

const std::vector<In> lanes(32);

using Counter = uint64_t sim::machine::Statistics::*;
constexpr Counter loads = &sim::machine::Statistics::global_load_bytes,
                  stores = &sim::machine::Statistics::global_store_bytes,
                  shared_loads = &sim::machine::Statistics::shared_load_bytes,
                  shared_stores = &sim::machine::Statistics::shared_store_bytes,
                  atomics = &sim::machine::Statistics::atomic_bytes;

struct Counted {
    std::string body;
    Counter counter;
    uint64_t bytes; ///< by a warp
};

// %rd20 is the buffer's address, %r40 the thread; %rd6 becomes the generic address of `shared`.
const std::string generic = "mov.u32 %r5, shared; cvt.u64.u32 %rd5, %r5; cvta.shared.u64 %rd6, %rd5;";
const std::string cluster = generic + "mov.u32 %r6, 0; mapa.shared::cluster.u32 %r7, %r5, %r6;";
const std::string ready = "mov.u32 %r5, shared; setp.eq.u32 %p1, %r40, 0; @%p1 mbarrier.init.shared.b64 [%r5+64], 32;"
                          "bar.sync 0; mbarrier.arrive.expect_tx.shared.b64 _, [%r5+64], 8;";

const std::multimap<std::string_view, Counted> threads_access{
    {"ld", {"ld.global.u32 %r10, [%rd20];", loads, 128}},
    {"ld", {"ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd20];", loads, 512}},
    {"ld", {"ld.global.v4.u32 {_, %r10, _, _}, [%rd20];", loads, 512}},
    {"ld", {"ld.volatile.global.u32 %r10, [%rd20];", loads, 128}},
    {"ld", {"ld.u32 %r10, [%rd20];", loads, 128}},
    {"ld", {"ld.shared.u16 %r10, [shared];", shared_loads, 64}},
    {"ld", {generic + "ld.u32 %r10, [%rd6];", shared_loads, 128}},
    {"ld", {cluster + "ld.shared::cluster.u32 %r10, [%r7];", shared_loads, 128}},
    {"ldu", {"ldu.global.u64 %rd10, [%rd20];", loads, 256}},
    {"st", {"st.global.u32 [%rd20], %r1;", stores, 128}},
    {"st", {"st.v2.u64 [%rd20], {%rd1, %rd2};", stores, 512}},
    {"st", {"st.shared.u32 [shared], 1;", shared_stores, 128}},
    {"st", {generic + "st.u32 [%rd6], 1;", shared_stores, 128}},
    {"atom", {"atom.global.add.u32 %r10, [%rd20], 1;", atomics, 128}},
    {"atom", {generic + "atom.exch.b64 %rd10, [%rd6], 1;", atomics, 256}},
    {"red", {"red.global.add.u32 [%rd20], 1;", atomics, 128}},
    {"ldmatrix", {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [shared];", shared_loads, 128}},
    {"ldmatrix", {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [shared];", shared_loads, 512}},
    {"stmatrix", {"stmatrix.sync.aligned.m8n8.x2.shared.b16 [shared], {%r1, %r2};", shared_stores, 256}},
    {"wmma.load",
     {"ld.param.u64 %rd5, [scratch];"
      "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd5], 16;",
      loads, 1024}},
    {"wmma.load",
     {"mov.u32 %r9, shared; cvt.u64.u32 %rd5, %r9;"
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd5], 16;",
      shared_loads, 1024}},
    {"wmma.store",
     {"ld.param.u64 %rd5, [scratch];"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd5], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, 16;",
      stores, 1024}},
    {"st.async",
     {ready + "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r5], %rd1, [%r5+64];", shared_stores,
      256}},
    {"red.async",
     {ready + "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], %r1, [%r5+64];",
      shared_stores, 128}},
};

// Units copy on their own and have counters of their own; barriers and maps are no data.
constexpr std::string_view others_access[] = {"mbarrier.try_wait",
                                              "mbarrier.test_wait",
                                              "mbarrier.complete_tx",
                                              "mbarrier.inval",
                                              "mbarrier.check_layout",
                                              "mbarrier.expect_tx",
                                              "mbarrier.arrive",
                                              "mbarrier.arrive_drop",
                                              "mbarrier.init",
                                              "cp.async.mbarrier.arrive",
                                              "cp.async",
                                              "cp.async.bulk",
                                              "cp.reduce.async.bulk",
                                              "cp.async.bulk.tensor",
                                              "cp.reduce.async.bulk.tensor",
                                              "tensormap.replace",
                                              "st.bulk",
                                              "mbarrier.check_layout",
                                              "clusterlaunchcontrol.try_cancel",
                                              "tensormap.cp_fenceproxy",
                                              "fence.proxy",
                                              "prefetch",
                                              "prefetchu",
                                              "cp.async.bulk.prefetch",
                                              "cp.async.bulk.prefetch.tensor",
                                              "applypriority",
                                              "tcgen05.alloc",
                                              "tcgen05.commit",
                                              "tcgen05.cp",
                                              "tcgen05.ld",
                                              "tcgen05.ld.red",
                                              "tcgen05.shift",
                                              "tcgen05.st",
                                              "discard",
                                              "createpolicy"};

TEST_CASE("every instruction whose threads access memory is counted, whatever the address") {
    for (const auto& [name, counted] : threads_access) {
        CAPTURE(counted.body);
        execute("", lanes); // which loads its inputs
        const uint64_t before = statistics().*counted.counter;
        execute(counted.body, lanes);
        CHECK(statistics().*counted.counter - before == counted.bytes);
    }
}

TEST_CASE("an instruction with an address is counted, or known not to be a thread's access to data") {
    for (const auto* record : sim::instructions::all_instructions())
        if (record->syntax.find('[') != std::string::npos)
            CHECK_MESSAGE(threads_access.contains(record->name) !=
                              (std::ranges::count(others_access, record->name) > 0),
                          std::string(record->name));
}

TEST_CASE("what copies bring is no load of a thread's, and asynchronous stores are no copies") {
    execute("", lanes);
    const uint64_t before = statistics().global_load_bytes;
    execute("mov.u32 %r5, shared; cp.async.ca.shared.global [%r5], [%rd20], 16; cp.async.wait_all;", lanes);
    CHECK(statistics().cp_async_bytes == 512);
    CHECK(statistics().global_load_bytes == before);
    CHECK(statistics().shared_store_bytes == 0);
    execute(threads_access.find("st.async")->second.body, lanes);
    CHECK(statistics().bulk_load_bytes == 0);
}

TEST_CASE("groups are in flight whose copies read something") {
    const std::string dummy = "cp.async.ca.shared.global [%r5+16], [%rd20], 4, 0; cp.async.commit_group;";
    const std::string real = "cp.async.ca.shared.global [%r6], [%rd20], 4; cp.async.commit_group;";
    const std::string begin = "mad.lo.u32 %r6, %r40, 4, 256; mov.u32 %r5, shared; add.u32 %r6, %r5, %r6;";
    execute(begin + real + real + "cp.async.wait_group 1; cp.async.wait_all;", lanes);
    CHECK(statistics().max_copy_groups == 1);
    execute(begin + real + dummy + "cp.async.wait_group 1; cp.async.wait_all;", lanes);
    CHECK(statistics().max_copy_groups == 0);
    execute(begin + real + dummy + real + "cp.async.commit_group; cp.async.wait_group 4; cp.async.wait_all;", lanes);
    CHECK(statistics().max_copy_groups == 2);
    CHECK(statistics().max_matrix_groups == 0);
}

} // namespace access_test
