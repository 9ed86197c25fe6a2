// Kernel launches as a document describes them, without a host program: what the playground runs, and ./lab run
// FILE.ptx. docs/ptx.md describes the document. It is JSON here; the runner makes that from TOML.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "launch/buffer.h"
#include "sim/device/device.h"

namespace launch {

struct Launch {
    sim::machine::Kernel kernel;
    sim::machine::LaunchConfig config;
    std::vector<std::byte> parameters;
};

/// A described launch, placed on the device.
struct Launches {
    std::vector<Buffer> buffers;
    Names numbers; ///< what formulas may name, apart from buffers
    std::vector<Launch> launches;
};

/// Loads `ptx`, and makes the buffers and tensor maps of `description`. Throws Mistake and sim::ptx::ParseError.
Launches prepare(sim::Device& device, std::string_view ptx, const nlohmann::json& description,
                 const ReadFile& read_file);
/// One after the other, as in a stream; the first that fails is the last.
sim::machine::Outcome run(sim::Device& device, const Launches& launches);

/// A buffer that has an expectation, compared with it.
struct Compared {
    std::string buffer;
    uint64_t wrong = 0, of = 0; ///< elements
    uint64_t index = 0;         ///< the first wrong one
    std::string expected, found;
};
std::vector<Compared> compare(sim::Device& device, const Launches& launches);
/// The first elements of a buffer, as "1 2.5 3".
std::string first_elements(sim::Device& device, const Buffer& buffer);

} // namespace launch
