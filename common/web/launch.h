// A kernel launch as a JSON document describes it, without a host program: what the playground runs.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/device/device.h"
#include "web/formula.h"

namespace web {

/// The elements of a buffer.
enum class Type : uint8_t { u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64 };
uint32_t bytes_of(Type type);

struct Buffer {
    std::string name;
    Type type = Type::f32;
    uint64_t count = 0;
    uint64_t address = 0;
    std::string expected;       ///< a formula (formula.h) for each element after the launch; empty: anything is right
    std::vector<double> before; ///< the elements before the launch, as the formulas see them
};

/// What is described, placed on the device.
struct Launch {
    sim::machine::Kernel kernel;
    sim::machine::LaunchConfig config;
    std::vector<std::byte> parameters;
    std::vector<Buffer> buffers;
    Names numbers; ///< what formulas may name, apart from buffers
};

/// Loads the PTX of `description` and makes its buffers and tensor maps. Throws base::Problem, ptx::ParseError,
/// nlohmann::json::exception. docs/playground.md describes the document.
Launch prepare(sim::Device& device, const nlohmann::json& description);

/// {"buffer", "wrong", "of", "index", "expected", "found"} for each buffer with a formula for what it should contain;
/// the last three only if an element is wrong.
nlohmann::json results(sim::Device& device, const Launch& launch);

} // namespace web
