// Copies that sm_100 adds: gather4 and scatter4, im2col::w, pairs of blocks, byte masks; and what newer PTX has on
// sm_90.
#include <doctest/doctest.h>

#include "whole_kernel.h"

using namespace whole_kernel;
using sim::async::LoadMode;
using sim::async::Swizzle;
using u32 = uint32_t;

namespace blackwell_copies_test {

const std::string gather = "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
                           "[tile], [%rd3, {%r1, %r2, %r3, %r4, %r5}], [bar];";
const std::string rows = "mov.u32 %r1, 4; mov.u32 %r2, 3; mov.u32 %r3, 1; mov.u32 %r4, 16; mov.u32 %r5, -1;";

bool says(const Result& result, const std::string& what) {
    return result.error.find(what) != std::string::npos;
}

TEST_CASE("gather4 puts four rows of a matrix one behind the other, and fills those outside") {
    const Setup setup{.map = matrix(16, 16, 8, 1)};
    for (const auto completion : {Completion::lazy, Completion::eager, Completion::random}) {
        Setup one = setup;
        one.completion = completion;
        const Result result = run(rows + expecting("128") + gather + wait + write_out("32"), one);
        CHECK(result.error == "");
        CHECK(result.found.empty());
        for (u32 row = 0; row < 4; ++row)
            for (u32 i = 0; i < 8; ++i)
                CHECK(result.out[8 * row + i] == (row == 0 ? 3 * 16 + 4 + i : row == 1 ? 16 + 4 + i : 0));
    }
    Setup swizzled = setup;
    swizzled.map.swizzle = Swizzle::span32;
    const Result result = run(rows + expecting("128") + gather + wait + write_out("32"), swizzled);
    CHECK(result.out[8] == 16 + 4); // rows of 32 bytes: bit 7 is not set before the fifth
    CHECK(result.out[0] == 3 * 16 + 4);
    // Four rows are a part of a tile: they may start in the middle of the swizzle's period, but not anywhere.
    const auto at = [&](const std::string& offset) {
        std::string text = rows + expecting("128") + gather + wait;
        return run(text.replace(text.find("[tile]"), 6, "[tile+" + offset + "]"), swizzled).found;
    };
    swizzled.map = matrix(64, 16, 32, 1);
    swizzled.map.swizzle = Swizzle::span128;
    CHECK_FALSE(at("512").contains("swizzle-offset"));
    CHECK(at("128").contains("swizzle-offset"));
}

TEST_CASE("gather4: what is read before the wait is reported, and so is a missing byte") {
    const Setup setup{.map = matrix(16, 16, 8, 1)};
    CHECK(run(rows + expecting("128") + gather + write_out("32") + wait, setup).found.contains("missing-wait"));
    CHECK_FALSE(says(run(rows + expecting("128") + gather + wait, setup), "deadlock"));
    CHECK(run(rows + expecting("160") + gather + wait, setup).found.contains("deadlock"));
}

TEST_CASE("gather4 needs a box of one row, five coordinates, a multiple of 16 bytes, and a target that has it") {
    Setup setup{.map = matrix(16, 16, 8, 2)};
    const std::string copy = rows + expecting("128") + gather;
    CHECK(says(run(copy, setup), "its box has 2 rows"));
    setup.map = matrix(16, 16, 8, 1);
    CHECK(says(run("mov.u32 %r1, 3;" + copy.substr(copy.find(';') + 1), setup), "multiple of 16 bytes"));
    const std::string two = "mov.u32 %r1, 0;" + expecting("128") +
                            "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
                            "[tile], [%rd3, {%r1, %r1}], [bar];";
    CHECK(says(run(two, setup), "5 are needed"));
    setup.target = "sm_90a";
    CHECK(says(run(copy, setup), "needs the target sm_100 or newer"));
    setup.target = "sm_120a"; // with its own block as destination only
    CHECK(run(copy + wait, setup).error == "");
    setup.map.interleave = sim::async::Interleave::bytes16;
    CHECK(says(run(copy, setup), "interleaved"));
}

TEST_CASE("scatter4 stores rows where they belong, and what they cover is written") {
    Setup setup{.map = matrix(16, 16, 8, 1), .map_of_out = true};
    const std::string fill = "mov.u32 %r10, tile; mov.u32 %r11, 0;"
                             "FILL: st.shared.u32 [%r10], %r11; add.u32 %r10, %r10, 4; add.u32 %r11, %r11, 1;"
                             "setp.lt.u32 %p2, %r11, 32; @%p2 bra FILL;";
    const std::string fence = "fence.proxy.async.shared::cta;";
    const std::string store = "mov.u32 %r1, 8; mov.u32 %r2, 5; mov.u32 %r3, 0; mov.u32 %r4, 20; mov.u32 %r5, 15;"
                              "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
                              "[%rd3, {%r1, %r2, %r3, %r4, %r5}], [tile]; cp.async.bulk.commit_group;"
                              "cp.async.bulk.wait_group 0;";
    const Result result = run(fill + fence + store, setup);
    CHECK(result.error == "");
    CHECK(result.found.empty());
    for (u32 i = 0; i < 8; ++i) {
        CHECK(result.out[5 * 16 + 8 + i] == i);
        CHECK(result.out[0 * 16 + 8 + i] == 8 + i);
        CHECK(result.out[15 * 16 + 8 + i] == 24 + i);
        CHECK(result.out[5 * 16 + i] == 0);
    }
    CHECK(run(fill + store, setup).found.contains("missing-proxy-fence"));
    const std::string wrong = "mov.u32 %r1, 8; mov.u32 %r2, -5; mov.u32 %r3, 0;";
    CHECK(says(run(fill + fence + wrong +
                       "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
                       "[%rd3, {%r1, %r2, %r3, %r3, %r3}], [tile];",
                   setup),
               "must not start before its beginning"));
}

TEST_CASE("im2col::w takes pixels along w, then those of the next image, and the halo at the end") {
    Setup setup;
    setup.map.rank = 4; // c = 4, w = 3, h = 2, n = 3
    setup.map.type = sim::async::ElementType::u32;
    setup.map.im2col = true;
    setup.map.wide = LoadMode::im2col_w;
    setup.map.dim = {4, 3, 2, 3, 1};
    setup.map.stride = {16, 48, 96, 0};
    setup.map.channels_per_pixel = 4;
    setup.map.pixels_per_column = 5;
    const std::string copy =
        "mov.u32 %r1, 0; mov.u32 %r2, 1; mov.u32 %r3, 1; mov.u32 %r4, 0; mov.b16 %h1, 2; mov.b16 %h2, 0;" +
        expecting("112") +
        "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes "
        "[tile], [%rd3, {%r1, %r2, %r3, %r4}], [bar], {%h1, %h2};";
    const Result result = run(copy + wait + write_out("28"), setup);
    CHECK(result.error == "");
    CHECK(result.found.empty());
    const u32 pixels[] = {4, 5, 9, 10, 11}; // of 16 bytes: (w 1, 2), then w 0 to 2 of image 1, each with h = 1
    for (u32 i = 0; i < 5; ++i)
        CHECK(result.out[4 * i] == 4 * pixels[i]);
    CHECK(result.out[20] == 0); // beyond the last column
    CHECK(result.out[24] == 0);
    setup.map.wide = LoadMode::im2col;
    CHECK(says(run(copy, setup), "encoded for im2col, and the copy is an im2col::w copy"));
}

TEST_CASE("a pair of blocks: each loads its half, and the even block's mbarrier counts both") {
    const Setup setup{.grid = 4, .cluster = 2, .map = matrix(16, 16, 16, 4)};
    const auto kernel = [](const std::string& group, const std::string& barrier) {
        return "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p2, %r1, 0; mov.u32 %r9, %ctaid.x; shl.b32 %r2, %r9, 2;"
               "mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;"
               "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r3, bar; mov.u32 %r4, 0; mov.u32 %r5, tile;"
               "@%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;" +
               barrier + "cp.async.bulk.tensor.2d." + group +
               "shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd3, {%r4, %r2}], [%r3];"
               "@!%p2 bra LATER;" +
               wait + "LATER: barrier.cluster.arrive; barrier.cluster.wait; shl.b32 %r9, %r9, 6;" +
               write_out("64", "%r9");
    };
    const std::string masked = "and.b32 %r3, %r3, 0xfeffffff;", mapped = "mapa.shared::cluster.u32 %r3, %r3, 0;";
    for (const auto& barrier : {masked, mapped}) {
        const Result result = run(kernel("cta_group::2.", barrier), setup);
        CHECK(result.error == "");
        CHECK(result.found.empty());
        for (u32 i = 0; i < 256; ++i)
            CHECK(result.out[i] == i);
    }
    // An unmasked address is the block's own mbarrier, which expects nothing: the even block waits for ever.
    CHECK(run(kernel("cta_group::2.", ""), setup).found.contains("deadlock"));
    CHECK(says(run(kernel("cta_group::1.", masked), setup), "both belong to the receiving block"));
    Setup older = setup;
    older.target = "sm_90a";
    CHECK(says(run(kernel("cta_group::2.", mapped), older), "needs the target sm_100f or sm_110f"));
}

TEST_CASE("the blocks of a pair have different addresses for a variable, and use them as before") {
    const Setup setup{.grid = 2, .cluster = 2};
    const std::string body = "mov.u32 %r1, tile; mov.u32 %r2, %cluster_ctarank; add.u32 %r3, %r2, 10;"
                             "st.shared.u32 [%r1], %r3; st.shared.u32 [tile+4], %r3; ld.shared.u32 %r4, [%r1+4];"
                             "cvta.shared.u64 %rd4, tile; ld.u32 %r5, [%rd4]; getctarank.shared::cluster.u32 %r6, %r1;"
                             "barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r7, %r1, 0x1000000;"
                             "ld.shared::cluster.u32 %r8, [%r7]; barrier.cluster.arrive; barrier.cluster.wait;"
                             "isspacep.shared::cta %p1, %rd4; selp.u32 %r9, 1, 0, %p1; mul.wide.u32 %rd5, %r2, 32;"
                             "add.u64 %rd5, %rd5, %rd2; st.global.v4.u32 [%rd5], {%r4, %r5, %r6, %r8};"
                             "st.global.u32 [%rd5+16], %r9;";
    const Result result = run(body, setup);
    CHECK(result.error == "");
    CHECK(result.found.empty());
    for (u32 rank = 0; rank < 2; ++rank) {
        CHECK(result.out[8 * rank] == 10 + rank);
        CHECK(result.out[8 * rank + 1] == 10 + rank);
        CHECK(result.out[8 * rank + 2] == rank);
        CHECK(result.out[8 * rank + 3] == 11 - rank); // the peer's
        CHECK(result.out[8 * rank + 4] == 1);
    }
}

TEST_CASE("cp_mask copies the bytes of each 16 that it names, and no others are written") {
    const std::string fill = "st.shared.v4.u32 [tile], {-1, -1, -1, -1}; st.shared.v4.u32 [tile+16], {-1, -1, -1, -1};"
                             "fence.proxy.async.shared::cta; mov.b16 %h1, 0xf00c;";
    const std::string copy = "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd2], [tile], 32, %h1;"
                             "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    const Result result = run(fill + copy);
    CHECK(result.error == "");
    CHECK(result.found.empty());
    const u32 expected[] = {0xffff0000, 0, 0, 0xffffffff};
    for (u32 i = 0; i < 8; ++i)
        CHECK(result.out[i] == expected[i % 4]);
    CHECK(says(run(fill + copy, {.target = "sm_90a"}), "needs the target sm_100 or newer"));
    // Bytes that it leaves out may be written by others meanwhile; those that it names may not.
    const std::string early = fill + copy.substr(0, copy.find("cp.async.bulk.wait_group"));
    const std::string late = "cp.async.bulk.wait_group 0;";
    CHECK(run(early + "st.global.u32 [%rd2+4], 7;" + late).found.empty());
    CHECK_FALSE(run(early + "st.global.u32 [%rd2+12], 7;" + late).found.empty());
}

TEST_CASE("ignore_oob leaves out up to 15 bytes at each end, which need not exist") {
    const std::string copy = "add.u64 %rd4, %rd1, 4080; mov.u32 %r1, 0; mov.u32 %r2, 12;" + expecting("16") +
                             "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob "
                             "[tile], [%rd4], 16, %r1, %r2, [bar];" +
                             wait + write_out("1");
    const Result result = run(copy, {.target = "sm_90"});
    CHECK(result.error == "");
    CHECK(result.found.empty());
    CHECK(result.out[0] == 1020);
    CHECK(says(run("add.u64 %rd4, %rd1, 4080; mov.u32 %r1, 16;" + expecting("16") +
                   "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob "
                   "[tile], [%rd4], 16, %r1, 0, [bar];"),
               "each is 0 to 15"));
}

TEST_CASE("a copy to .shared::cta stays in its block") {
    const std::string mine = expecting("64") +
                             "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                             "[tile], [%rd1], 64, [bar];" +
                             wait + write_out("16");
    const Result result = run(mine, {.target = "sm_90"});
    CHECK(result.error == "");
    CHECK(result.out[15] == 15);
    const std::string peer = expecting("64") +
                             "mov.u32 %r1, %cluster_ctarank; xor.b32 %r1, %r1, 1; mov.u32 %r2, tile;"
                             "mapa.shared::cluster.u32 %r3, %r2, %r1;"
                             "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 64, [bar];";
    CHECK(says(run(peer, {.target = "sm_90", .grid = 2, .cluster = 2}), "block's own shared memory"));
}

TEST_CASE("st.bulk zeroes shared memory, and counts as a store") {
    const std::string zero = "mov.u64 %rd4, 64; mov.u32 %r15, tile; st.bulk.weak.shared::cta [%r15], %rd4, 0;";
    const Result result = run("st.shared.u32 [tile+64], 5; st.shared.u32 [tile+60], 5;" + zero + write_out("17"));
    CHECK(result.error == "");
    CHECK(result.found.empty());
    CHECK(result.out[15] == 0);
    CHECK(result.out[16] == 5);
    CHECK(says(run("mov.u32 %r1, 20; mov.u32 %r15, tile; st.bulk.shared::cta [%r15], %r1, 0;"), "multiple of 8"));
    CHECK(says(run("mov.u32 %r15, tile; st.bulk.shared::cta [%r15+8000], 4096, 0;"), "shared memory"));
    CHECK(says(run("st.bulk [%rd2], 64, 0;"), "own shared memory"));
    CHECK(says(run(zero, {.target = "sm_90a"}), "needs the target sm_100 or newer"));
    const std::string other =
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra ZERO; " + write_out("1") + " ret; ZERO: " + zero;
    CHECK(run(other, {.block = 64}).found.contains("read-after-write-race"));
}

} // namespace blackwell_copies_test
