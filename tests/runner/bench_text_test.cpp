// What `lab bench` shows of a measurement: bandwidth, or for products of matrices operations per second beside
// cuBLAS's.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runner/bench_labs.h"

using namespace runner;

namespace {

const check::Lab lab{.title = "Products", .concepts = {}, .targets = {}};

LabBench bench(double operations, double library) {
    LabBench one;
    one.lab = "18_wgmma_ring";
    one.rows.push_back({.version = "reference",
                        .variant = "4096 cubed",
                        .bytes = 3 * 4096 * 4096 * 2,
                        .seconds = 200e-6,
                        .of_copy = 0.1,
                        .operations = operations,
                        .library = library});
    return one;
}
constexpr double product = 2.0 * 4096 * 4096 * 4096;

} // namespace

TEST_CASE("a copy has a bandwidth, and nothing of cuBLAS") {
    const std::string shown = text(bench(0, 0), lab, false);
    CHECK(shown.find("503 GB/s  0.10 of the copy") != shown.npos);
    CHECK(shown.find("TFLOP/s") == shown.npos);
    const auto row = to_json(bench(0, 0))["results"][0];
    CHECK(row["operations_per_second"].is_null());
    CHECK(row["of_cublas"].is_null());
}

TEST_CASE("a product has operations per second") {
    const std::string shown = text(bench(product, 0), lab, false);
    CHECK(shown.find("687.2 TFLOP/s   503 GB/s") != shown.npos);
    CHECK(shown.find("of the copy") == shown.npos);
    CHECK(shown.find("cuBLAS") == shown.npos);
    CHECK(to_json(bench(product, 0))["results"][0]["operations_per_second"].get<double>() ==
          doctest::Approx(product / 200e-6));
}

TEST_CASE("beside cuBLAS, if that was measured") {
    const std::string shown = text(bench(product, 180e-6), lab, false);
    CHECK(shown.find("687.2 TFLOP/s  0.90 of cuBLAS") != shown.npos);
    CHECK(to_json(bench(product, 180e-6))["results"][0]["of_cublas"].get<double>() == doctest::Approx(0.9));
}
