// A lab's check as the tests want it: cases whose expectations hold or do not. program.cpp is what they call; what it
// is asked for is the first argument.
#include <algorithm>

#include "check/check.h"
#include "check/streams.h"

namespace {

enum Does : int {
    copies,
    copies_but_the_last,
    writes_beyond,
    changes_the_input,
    nothing,
    fails,
    leaves,
    on_the_host,
    uploads,
    refused,
    asks_for_the_architecture,
    asks_for_all_properties,
    asks_for_the_multiprocessors,
    copies_in_a_thread,
    copies_after_the_return,
    copies_when_told
};

std::vector<float> twice(std::vector<float> values) {
    for (float& value : values)
        value *= 2;
    return values;
}

long copies_on_device() {
    return std::ranges::count(check::operations(), check::HostOperation::Kind::copy_on_device,
                              &check::HostOperation::kind);
}

} // namespace

LAB_CASE("a copy of the host's memory", 2) {
    const auto in = check::random<float>(100, check::MemoryKind::pageable);
    const auto out = check::output<float>(100, check::MemoryKind::pageable);
    CHECK(out.read()[99] == out.values()[99]); // 0xDB at first
    check::call(on_the_host, in, out, 100);
    check::equal(out, twice(in.values()));
    check::unchanged(in);
}
LAB_CASE("right values that no kernel has written", 3) {
    const auto in = check::random<float>(64);
    const auto out = check::output<float>(64);
    check::call(copies, in, out, 64);
    CHECK(out.read() == in.values());
    check::equal(out, in.values());
}
LAB_CASE("the last element is missing", 1) {
    const auto in = check::random<float>(64);
    const auto out = check::output<float>(64);
    check::call(copies_but_the_last, in, out, 64);
    check::equal(out, in.values());
}
LAB_CASE("padding is written", 1) {
    const auto in = check::random<float>(24);
    const auto out = check::output<float>(24);
    check::call(copies, in, out, 24);
    check::equal(out, in.values(), {.rows = 4, .columns = 5, .pitch = 6});
}
LAB_CASE("rows and columns", 1) {
    const auto in = check::zeros<float>(24);
    const auto out = check::output<float>(24);
    check::call(copies, in, out, 24);
    std::vector<float> expected(24);
    expected[2 * 6 + 3] = 1.5f;
    check::equal(out, expected, {.rows = 4, .columns = 6});
}
LAB_CASE("a slice, and new contents", 1) {
    auto in = check::zeros<float>(32);
    const auto out = check::output<float>(40);
    in.write(std::vector<float>(32, 3.0f));
    check::call(copies, in, out + 4, 32);
    CHECK(out.slice(4, 32).read() == std::vector<float>(32, 3.0f));
    CHECK(out.slice(0, 4).read() != std::vector<float>(4, 3.0f));
    CHECK((out + 4).size() == 36);
    check::that(check::launches().empty(), "no kernel is launched");
}
LAB_CASE("an input is changed", 1) {
    const auto in = check::random<float>(16);
    const auto out = check::output<float>(16);
    check::call(changes_the_input, in, out, 16);
    check::unchanged(in);
}
LAB_CASE("a write beyond the end", 1) {
    const auto in = check::random<float>(16);
    const auto out = check::output<float>(16);
    check::call(writes_beyond, in, out, 16);
}
LAB_CASE("a mechanism is missing", 1) {
    const auto in = check::random<float>(16);
    const auto out = check::output<float>(16);
    check::call(copies, in, out, 16);
    check::that(check::stats().cp_async_bytes >= 64, "the input arrives by cp.async");
}
LAB_CASE("a CUDA error", 1) {
    const auto in = check::random<float>(16);
    check::call(fails, in, in, 16);
}
LAB_CASE("the program leaves", 1) {
    const auto in = check::random<float>(16);
    check::call(leaves, in, in, 16);
}
LAB_CASE("too few arguments", 1) {
    check::call(nothing, nullptr);
}
LAB_CASE("numbers are in their ranges", 1) {
    for (int i = 0; i < 1000; ++i) {
        const int64_t n = check::random_between(-3, 4);
        CHECK((n >= -3 && n <= 4));
    }
    for (const float value : check::random_values<float>(1000)) {
        CHECK((value >= -4 && value < 4));
        CHECK(value * 16 == std::round(value * 16));
    }
    CHECK(check::random_values<uint32_t>(8) != check::random_values<uint32_t>(8));
}
LAB_CASE("a tolerance is relative above 1", 1) {
    const auto in = check::device(std::vector<float>{1000.0f, 0.001f});
    const auto out = check::output<float>(2, check::MemoryKind::pageable);
    check::call(on_the_host, check::Buffer<float>(in.values(), check::MemoryKind::pageable), out, 2);
    check::equal(out, {2000.019f, 0.00201f}, {}, 1e-5);
    check::equal(out, {2000.0f, 0.00205f}, {}, 1e-5);
}
LAB_CASE("an upload that nobody looks at", 1) {
    const auto in = check::random<float>(16);
    check::call(uploads, in, in, 17 << 20);
    check::that(check::operations().size() == 2, "a copy, and a wait for it");
}
LAB_CASE("an upload that is more than the trace keeps", 1) {
    const auto in = check::random<float>(16);
    check::call(uploads, in, in, 17 << 20);
    check::that(check::uploaded().empty(), "nothing is uploaded");
}
LAB_CASE("an upload that is more than can be repeated", 1) {
    const auto in = check::random<float>(16);
    check::call(uploads, in, in, 65 << 20);
}
LAB_CASE("a refused function", 1) {
    const auto in = check::random<float>(16);
    check::call(refused, in, in, 16);
}
LAB_CASE("the program asks for the architecture", 1) {
    const auto in = check::random<float>(16);
    check::call(asks_for_the_architecture, in, in, 16);
}
LAB_CASE("the program asks for all properties", 1) {
    const auto in = check::random<float>(16);
    check::call(asks_for_all_properties, in, in, 16);
}
LAB_CASE("the program asks for the multiprocessors", 1) {
    const auto in = check::random<float>(16);
    check::call(asks_for_the_multiprocessors, in, in, 16);
}
LAB_CASE("the case asks for the target", 1) {
    const auto in = check::random<float>(16);
    check::call(nothing, in, in, 16);
    CHECK(check::target().sm == 90);
}
LAB_CASE("a copy by another thread of the program", 1) {
    const auto in = check::random<float>(16);
    const auto out = check::output<float>(16);
    check::call(copies_in_a_thread, in, out, 16);
    CHECK(out.read() == in.values());
    CHECK(copies_on_device() == 1);
}
LAB_CASE("a copy after the launch function has returned", 1) {
    const auto in = check::random<float>(16);
    const auto out = check::output<float>(16);
    check::call(copies_after_the_return, in, out, 16);
    CHECK(out.read() == in.values());
    CHECK(copies_on_device() == 1);
}
LAB_CASE("two calls in two streams", 1) {
    const auto in = check::random<float>(32);
    const auto one = check::output<float>(32), other = check::output<float>(16);
    check::call_beside(copies, in, one, 32);
    check::call(copies, in, other, 16);
    CHECK(one.read() == in.values());
    CHECK(other.read()[15] == in.values()[15]);
    REQUIRE(copies_on_device() == 2);
    CHECK(check::operations()[0].stream != check::operations()[1].stream);
    check::call(copies, in, one, 32);
    CHECK(copies_on_device() == 1);
}
LAB_CASE("two calls to the same place", 1) {
    const auto in = check::random<float>(32);
    const auto out = check::output<float>(32);
    check::call_beside(copies, in, out, 32);
    check::call(copies, in, out, 32);
}
LAB_CASE("a copy when the call is over", 1) {
    auto flag = check::zeros<int>(1, check::MemoryKind::pageable);
    const auto out = check::output<float>(32);
    check::call(copies_when_told, flag, out, 16);
    flag.write(std::vector<int>{1});
    while (flag.read() != std::vector<int>{2})
        ;
    CHECK(out.read().size() == 32);
}

LAB_BENCH {
    FAIL("no case");
}
