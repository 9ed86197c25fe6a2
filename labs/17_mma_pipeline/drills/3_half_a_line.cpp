#include "check/check.h"

EXERCISE(17_mma_pipeline, drills, 3_half_a_line) = {
    .title = "Rows of 64 bytes",
    .concepts = {"a swizzle by hand", "ldmatrix"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_17_drill_3 {

struct Chunk {
    uint16_t element[8];
};

void check_fragments() {
    const auto elements = check::random_values<uint16_t>(512);
    std::vector<Chunk> chunks(64);
    std::memcpy(chunks.data(), elements.data(), 64 * sizeof(Chunk));
    const auto in = check::device(chunks);
    const auto out = check::output<uint32_t>(256);
    check::call(in, out);
    std::vector<uint32_t> expected(256);
    for (size_t i = 0; i < 256; ++i) {
        const size_t lane = i % 32, row = i / 32 % 2 * 8 + lane / 4, column = i / 64 * 8 + lane % 4 * 2;
        expected[i] = elements[32 * row + column] | uint32_t{elements[32 * row + column + 1]} << 16;
    }
    check::equal(out, expected);
}

LAB_CASE("two steps of a tile", 1) {
    check_fragments();
}

LAB_CASE("no bank conflicts", 2) {
    check_fragments();
    const auto& seen = check::stats();
    check::that(seen.shared_store_bytes == 1024 && seen.shared_load_bytes == 1024, "the tile is in shared memory once");
    check::that(seen.shared_bank_cycles == seen.shared_accesses, "no access to shared memory has bank conflicts");
}

} // namespace lab_17_drill_3
