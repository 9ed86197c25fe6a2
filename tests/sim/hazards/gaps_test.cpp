// The detector reports what it has forgotten only where that matters.
#include <doctest/doctest.h>

#include "sim/device/device.h"

namespace {

using sim::machine::Order;

// A copy into memory that another one wrote `operations` copies before, without being ordered after the last of them
// if `overlaps`. What is not judged then.
std::vector<sim::hazards::Gap> gaps_after(size_t operations, bool overlaps) {
    sim::Device gpu({});
    const uint64_t here = gpu.allocate(4), elsewhere = gpu.allocate(4);
    const std::vector<std::byte> four(4);
    CHECK(gpu.write(here, four, {}, "cudaMemcpy"));
    for (size_t i = 0; i < operations; ++i)
        CHECK(gpu.write(elsewhere, four, {}, "cudaMemcpy"));
    Order order;
    if (overlaps)
        order.unordered = {gpu.next_operation() - 1};
    CHECK(gpu.write(here, four, order, "cudaMemcpyAsync"));
    CHECK(gpu.reporter().findings().empty());
    return gpu.gaps();
}

} // namespace

TEST_CASE("an operation that is too old to be remembered is reported when its order matters") {
    const auto gaps = gaps_after(70'000, true);
    REQUIRE(gaps.size() == 1);
    CHECK(gaps[0].what.find("32768 operations before") != std::string::npos);
    CHECK_FALSE(gaps[0].next.empty());
}

TEST_CASE("it does not matter to what is ordered after everything, nor while it is remembered") {
    CHECK(gaps_after(70'000, false).empty());
    CHECK(gaps_after(1'000, true).empty());
}
