// cp.reduce.async.bulk and red.async: every operation with every type that the manual allows for it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "snippet.h"

namespace bulk_reduction_test {

/// 16 bytes of copies of `b`, in shared memory, reduced into 16 bytes of copies of `a` in global memory.
std::string reduction(const std::string& operation) {
    return "mov.u32 %r5, shared; mad.lo.u32 %r5, %r40, 16, %r5; st.shared.u64 [%r5], %rd2; st.shared.u64 [%r5+8], %rd2;"
           "st.global.u64 [%rd20], %rd1; st.global.u64 [%rd20+8], %rd1; fence.proxy.async;"
           "cp.reduce.async.bulk.global.shared::cta.bulk_group" +
           operation +
           " [%rd20], [%r5], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ld.global.u64 %rd10, "
           "[%rd20+8];";
}

template <class T>
void check(const std::string& operation, const std::vector<T>& values, const std::function<T(T, T)>& expected) {
    CAPTURE(operation);
    auto twice = [](T value) {
        uint64_t all = 0;
        for (size_t i = 0; i < 8 / sizeof(T); ++i)
            std::memcpy(reinterpret_cast<char*>(&all) + i * sizeof(T), &value, sizeof(T));
        return all;
    };
    std::vector<In> inputs;
    for (const T a : values)
        for (const T b : values)
            inputs.push_back({twice(a), twice(b), 0, 0});
    check64(reduction(operation), inputs, [&](const In& in) {
        T a, b;
        std::memcpy(&a, &in.a, sizeof(T));
        std::memcpy(&b, &in.b, sizeof(T));
        return twice(expected(a, b));
    });
}

template <class T>
void check_integers(const std::string& type, const std::vector<T>& values) {
    if (type != "s64") // there is no such sum
        check<T>(".add." + type, values,
                 [](T a, T b) { return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b)); });
    check<T>(".min." + type, values, [](T a, T b) { return std::min(a, b); });
    check<T>(".max." + type, values, [](T a, T b) { return std::max(a, b); });
}
template <class T>
void check_bits(const std::string& type, const std::vector<T>& values) {
    check<T>(".and." + type, values, [](T a, T b) { return a & b; });
    check<T>(".or." + type, values, [](T a, T b) { return a | b; });
    check<T>(".xor." + type, values, [](T a, T b) { return a ^ b; });
}
template <class To, class From>
std::vector<To> as(const std::vector<From>& values) {
    return {values.begin(), values.end()};
}

TEST_CASE("bulk reductions of integers") {
    check_integers<uint32_t>("u32", integers32());
    check_integers<int32_t>("s32", as<int32_t>(integers32()));
    check_integers<uint64_t>("u64", integers64());
    check_integers<int64_t>("s64", as<int64_t>(integers64()));
    check_bits<uint32_t>("b32", integers32());
    check_bits<uint64_t>("b64", integers64());
    // inc and dec wrap at the source value
    check<uint32_t>(".inc.u32", integers32(), [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; });
    check<uint32_t>(".dec.u32", integers32(), [](uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; });
}

TEST_CASE("bulk reductions of floating-point numbers") {
    const std::vector<float> values = {0.0f, 1.0f, -2.5f, 1e-3f, 3e7f, -1e20f};
    check<float>(".add.f32", values, [](float a, float b) { return a + b; });
    const std::vector<double> wide = {0.0, 1.0, -2.5, 1e-9, 3e15, -1e200};
    check<double>(".add.f64", wide, [](double a, double b) { return a + b; });
    // 1 and 2 in each 16-bit format
    for (const auto& [type, one, two] : {std::tuple{"f16", 0x3c00, 0x4000}, {"bf16", 0x3f80, 0x4000}}) {
        const std::vector<uint16_t> some = {uint16_t(one), uint16_t(two)};
        check<uint16_t>(".add.noftz." + std::string(type), {uint16_t(one)},
                        [&, sum = two](uint16_t, uint16_t) { return uint16_t(sum); });
        check<uint16_t>(".min." + std::string(type), some, [](uint16_t a, uint16_t b) { return std::min(a, b); });
        check<uint16_t>(".max." + std::string(type), some, [](uint16_t a, uint16_t b) { return std::max(a, b); });
    }
}

TEST_CASE("reductions that do not exist are refused") {
    for (const std::string operation :
         {".min.f32", ".max.f64", ".and.f32", ".xor.f16", ".inc.s32", ".dec.u64", ".add.b32", ".and.u32", ".add.s64"}) {
        CAPTURE(operation);
        CHECK(failure(reduction(operation)) != "");
    }
}

TEST_CASE("red.async: every operation") {
    struct {
        const char *operation, *type;
        uint64_t a, b, expected;
    } const rows[] = {
        {"add", "u32", 7, ~0u, 6}, {"add", "s32", 7, ~0u, 6},   {"add", "u64", 7, ~0ull - 8, ~0ull - 1},
        {"min", "u32", 7, ~0u, 7}, {"min", "s32", 7, ~0u, ~0u}, {"max", "u32", 7, ~0u, ~0u},
        {"max", "s32", 7, ~0u, 7}, {"inc", "u32", 7, 9, 8},     {"inc", "u32", 7, 7, 0},
        {"dec", "u32", 7, 9, 6},   {"dec", "u32", 0, 9, 9},     {"and", "b32", 6, 3, 2},
        {"or", "b32", 6, 3, 7},    {"xor", "b32", 6, 3, 5},
    };
    for (const auto& row : rows) {
        CAPTURE(row.operation);
        CAPTURE(row.type);
        const bool wide = row.type[1] == '6';
        const auto out =
            execute("mov.u32 %r5, shared; mbarrier.init.shared::cta.b64 [shared], 1; st.shared.u64 [shared+128], %rd1;"
                    "add.u32 %r6, %r5, 128; mapa.shared::cluster.u32 %r7, %r6, 0; mapa.shared::cluster.u32 %r8, %r5, 0;"
                    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [shared], " +
                        std::string(wide ? "8" : "4") +
                        "; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." + row.operation +
                        "." + row.type + " [%r7], " + (wide ? "%rd2" : "%r2") +
                        ", [%r8];"
                        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p5, [shared], 0; @!%p5 bra WAIT;"
                        "ld.shared.u64 %rd10, [shared+128];",
                    {In{row.a, row.b, 0, 0}});
        CHECK(out[0].wide == row.expected);
    }
}

} // namespace bulk_reduction_test
