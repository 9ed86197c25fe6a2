#include "helpers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

using namespace sim::ptx;

namespace {

const Function& function_like(const Module& module, std::string_view part) {
    for (const auto& function : module.functions)
        if (function->name.find(part) != std::string::npos)
            return *function;
    throw std::runtime_error("no such function");
}

size_t count(const Function& function, std::string_view opcode) {
    return std::count_if(function.body().begin(), function.body().end(),
                         [&](const Instruction& i) { return i.opcode.starts_with(opcode); });
}

} // namespace

TEST_CASE("nvcc -O3: calls, recursion, printf, assert, function pointers, switch, local arrays") {
    const auto module = parse(read_data("language.sm_90a.ptx"));
    CHECK(module->target == "sm_90a");
    CHECK(module->function("vprintf")->is_extern);
    CHECK(module->function("__assertfail")->is_extern);
    CHECK(module->variable("man")->managed);
    CHECK(module->variable("dyn")->dynamic);
    CHECK(module->variable("table")->addresses.size() == 2);
    CHECK(function_like(*module, "gsPi").max_threads[0] == 128);
    CHECK(function_like(*module, "clPi").required_cluster[0] == 2);
    const Function& sw = function_like(*module, "2swPi");
    CHECK(count(sw, "call") >= 4);
    CHECK(sw.code().prototypes.size() == 2);
    CHECK(std::any_of(sw.code().locals.begin(), sw.code().locals.end(),
                      [](auto& v) { return v->space == Space::local; }));
    const Function& cl = function_like(*module, "2clPi");
    CHECK(count(cl, "barrier.cluster.arrive") == 2);
    const SourceMap map(*module);
    for (uint32_t i = 0; i < cl.body().size(); ++i) {
        REQUIRE(map.lines(cl, i).size() == 1);
        CHECK(map.lines(cl, i)[0].file.ends_with("/language.cu"));
    }
}

TEST_CASE("nvcc -G: debug sections are skipped, depots and inlined library code are read") {
    const auto module = parse(read_data("language.debug.ptx"));
    CHECK(module->functions.size() > 20);
    const Function& sw = function_like(*module, "2swPi");
    const SourceMap map(*module);
    for (uint32_t i = 0; i < sw.body().size(); ++i) {
        REQUIRE(map.lines(sw, i).size() == 1);
        CHECK(map.lines(sw, i)[0].file.ends_with("/language.cu"));
    }
}

TEST_CASE("half a megabyte of PTX is parsed in well under a tenth of a second") {
    std::string text = read_data("two_calls.sm_90.ptx");
    const std::string head = text.substr(0, text.find(".visible .entry"));
    const std::string entries = text.substr(head.size(), text.find("\t.file") - head.size());
    std::string large = head;
    for (int copy = 0; large.size() < 500'000; ++copy) {
        std::string part = entries;
        for (size_t at = 0; (at = part.find(".visible .entry _Z", at)) != std::string::npos; at += 20)
            part.insert(at + 18, std::to_string(copy) + "copy");
        large += part;
    }
    double best = 1;
    for (int attempt = 0; attempt < 5; ++attempt) {
        const auto start = std::chrono::steady_clock::now();
        const auto module = parse(large);
        const SourceMap map(*module);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    const size_t kilobytes = large.size() / 1000;
    MESSAGE(kilobytes, " KB parsed and mapped in ", best, " s");
#ifndef __SANITIZE_ADDRESS__
    CHECK(best < 0.1);
#endif
}
