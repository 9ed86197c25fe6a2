// Tensor Memory: allocation, loads and stores in every shape, commits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "snippet.h"

using u32 = uint32_t;

namespace tcgen05_test {

std::vector<In> numbered(u32 count = 32) {
    std::vector<In> inputs;
    for (u32 i = 0; i < count; ++i)
        inputs.push_back({i, 0, 0, 0});
    return inputs;
}

const std::string alloc = "mov.u32 %r50, shared; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r50], 64;"
                          "ld.shared.u32 %r51, [%r50];";
const std::string dealloc = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r51, 64;"
                            "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;";

/// "{%r10, %r11}"
std::string registers(u32 count, u32 first) {
    std::string list;
    for (u32 i = 0; i < count; ++i)
        list += fmt::format("{}%r{}", i ? ", " : "{", first + i);
    return list + "}";
}

/// Cell (lane, column) of Tensor Memory contains 100 * lane + column for 16 columns: stored as .32x32b.
std::string filled() {
    std::string text = alloc + "mul.lo.u32 %r52, %r1, 100;";
    for (u32 column = 0; column < 16; ++column)
        text += fmt::format("add.u32 %r{}, %r52, {};", 16 + column, column);
    return text + "tcgen05.st.sync.aligned.32x32b.x16.b32 [%r51], " + registers(16, 16) +
           "; tcgen05.wait::st.sync.aligned;";
}

/// What each lane's register `which` is after the load of `count` registers.
std::vector<u32> loaded(const std::string& shape, u32 count, u32 which, const std::string& more = "",
                        u32 first_lane = 0) {
    const auto results =
        execute(filled() + fmt::format("add.u32 %r53, %r51, {};", first_lane << 16) + "tcgen05.ld.sync.aligned." +
                    shape + ".b32 " + registers(count, 32) + ", [%r53]" + more + "; tcgen05.wait::ld.sync.aligned;" +
                    dealloc + fmt::format("mov.u32 %r10, %r{};", 32 + which),
                numbered());
    std::vector<u32> values;
    for (const Out& out : results)
        values.push_back(out.narrow);
    return values;
}

TEST_CASE("tcgen05.ld: which cells each shape loads") {
    const Target target("sm_100a");
    for (u32 r = 0; r < 4; ++r) {
        const auto whole = loaded("32x32b.x4", 4, r), narrow = loaded("16x64b.x4", 4, r);
        const auto middle = loaded("16x128b.x2", 4, r, "", 16), wide = loaded("16x256b.x1", 4, r);
        const auto two = loaded("16x32bx2.x4", 4, r, ", 8");
        for (u32 t = 0; t < 32; ++t) {
            CHECK(whole[t] == 100 * t + r);
            CHECK(narrow[t] == 100 * (t / 4 + t % 2 * 8) + 2 * r + t / 2 % 2);
            CHECK(middle[t] == 100 * (16 + t / 4 + r % 2 * 8) + r / 2 * 4 + t % 4);
            CHECK(wide[t] == 100 * (t / 4 + r / 2 * 8) + t % 4 * 2 + r % 2);
            CHECK(two[t] == 100 * (t % 16) + r + (t >= 16 ? 8 : 0));
        }
    }
    const auto repeated = loaded("16x256b.x2", 8, 7);
    CHECK(repeated[5] == 100 * (1 + 8) + 8 + 2 + 1);
}

TEST_CASE("tcgen05.ld.pack::16b and tcgen05.st.unpack::16b: two columns to a register") {
    const Target target("sm_100a");
    const auto packed = loaded("32x32b.x2.pack::16b", 2, 1);
    for (u32 t = 0; t < 32; ++t)
        CHECK(packed[t] == ((100 * t + 2) | (100 * t + 3) << 16));
    const auto back = execute(alloc +
                                  "add.u32 %r16, %r1, 0x70000; add.u32 %r17, %r1, 0x90000;"
                                  "tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%r51], {%r16, %r17};"
                                  "tcgen05.wait::st.sync.aligned;"
                                  "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r18, %r19, %r20, %r10}, [%r51];"
                                  "tcgen05.wait::ld.sync.aligned; and.b32 %r10, %r10, 0xffff; mov.u32 %r11, %r20;" +
                                  dealloc,
                              numbered());
    for (u32 t = 0; t < 32; ++t) {
        CHECK(back[t].narrow == 9);
        CHECK((back[t].second & 0xffff) == t);
    }
}

TEST_CASE("tcgen05.ld.red: least and greatest of a lane's columns") {
    const std::string least =
        alloc +
        "sub.u32 %r16, 5, %r1; mov.u32 %r17, 3;"
        "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r51], {%r16, %r17}; tcgen05.wait::st.sync.aligned;"
        "tcgen05.ld.red.sync.aligned.32x32b.x2.min.s32 {%r18, %r19}, %r10, [%r51];"
        "tcgen05.ld.red.sync.aligned.32x32b.x2.max.u32 {%r18, %r19}, %r11, [%r51];"
        "tcgen05.wait::ld.sync.aligned;" +
        dealloc;
    {
        const Target target("sm_103a");
        const auto results = execute(least, numbered());
        for (int t = 0; t < 32; ++t) {
            CHECK(int(results[size_t(t)].narrow) == std::min(5 - t, 3));
            CHECK(results[size_t(t)].second == std::max(u32(5 - t), 3u));
        }
    }
    const Target target("sm_100a");
    CHECK(failure(least, numbered())
              .find("tcgen05.ld.red.sync.aligned.32x32b.x2.min.s32 needs the target sm_103f or "
                    "sm_110f") != std::string::npos);
}

TEST_CASE("tcgen05.alloc: what is refused") {
    const Target target("sm_100a");
    CHECK(failure("mov.u32 %r50, shared; tcgen05.alloc.cta_group::1.sync.aligned.b32 [%r50], 48;", numbered())
              .find("a power of two from 32 to 512") != std::string::npos);
    CHECK(failure(alloc, {In{}}).find("needs all 32 lanes") != std::string::npos);
    CHECK(
        failure("mov.u32 %r50, shared; tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r50], 32;", numbered())
            .find("this launch has no clusters") != std::string::npos);
    CHECK(failure(alloc + "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;", numbered())
              .find("all tcgen05 instructions of a kernel have the same .cta_group") != std::string::npos);
    CHECK(failure(alloc + alloc + alloc + alloc + alloc + alloc + alloc + alloc + alloc, numbered())
              .find("waits in tcgen05.alloc for columns of Tensor Memory; 0 of 512 are free") != std::string::npos);
    CHECK(failure(alloc + "tcgen05.ld.sync.aligned.32x32b.x128.b32 " + registers(1, 10) + ", [%r51];", numbered())
              .find("has 1 registers where 128 are needed") != std::string::npos);
    CHECK(failure(alloc + "add.u32 %r51, %r51, 511; tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r10, %r11}, [%r51];",
                  numbered())
              .find("Tensor Memory has 128 lanes and 512 columns") != std::string::npos);
}

TEST_CASE("tcgen05.alloc: blocks of one SM take turns") {
    const Target target("sm_100a");
    // 16 blocks of one warp on 4 SMs, each of which wants all columns.
    const std::string all = "mov.u32 %r50, shared;"
                            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r50], 512;"
                            "ld.shared.u32 %r51, [%r50]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r51], {%r1};"
                            "tcgen05.wait::st.sync.aligned; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r51];"
                            "tcgen05.wait::ld.sync.aligned; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r51, 512;";
    const auto results = execute(all, numbered(512));
    for (u32 i = 0; i < 512; ++i)
        CHECK(results[i].narrow == i);
}

TEST_CASE("tcgen05.alloc.cta_group::2: both blocks of a pair get the same columns") {
    const Target target("sm_100a");
    const std::string pair = "mov.u32 %r50, shared; mov.u32 %r55, %cluster_ctarank;"
                             "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r50], 256;"
                             "ld.shared.u32 %r51, [%r50]; add.u32 %r52, %r1, %r55;"
                             "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r51], {%r52};"
                             "tcgen05.wait::st.sync.aligned; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r51];"
                             "tcgen05.wait::ld.sync.aligned; mov.u32 %r11, %r51;"
                             "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r51, 256;";
    sim::machine::LaunchConfig shape;
    shape.cluster = {2, 1, 1};
    const auto results = execute(pair, numbered(256), {}, 32, shape);
    for (u32 i = 0; i < 256; ++i) {
        CHECK(results[i].narrow == i + i / 32 % 2);
        CHECK(results[i].second == results[i / 64 * 64].second);
    }
}

TEST_CASE("tcgen05.commit: arrives, even if it tracks nothing") {
    const Target target("sm_100a");
    const auto results =
        execute("mov.u32 %r50, shared; setp.eq.u32 %p5, %r1, 0; @%p5 mbarrier.init.shared.b64 [%r50], 1;"
                "bar.warp.sync -1;"
                "@%p5 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r50];"
                "WAIT: mbarrier.try_wait.parity.shared.b64 %p6, [%r50], 0; @!%p6 bra WAIT;"
                "tcgen05.fence::after_thread_sync; tcgen05.fence::before_thread_sync; mov.u32 %r10, 7;",
                numbered());
    for (const Out& out : results)
        CHECK(out.narrow == 7);
}

} // namespace tcgen05_test
