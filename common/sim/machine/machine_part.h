// What the machine itself keeps of a launch in parts: counters, which instructions were executed, which memory was
// read.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "sim/events/divisible.h"
#include "sim/machine/gpu.h"
#include "sim/machine/program.h"
#include "sim/memory/global_memory.h"

namespace sim::machine {

class MachinePart final : public events::Divisible {
  public:
    using Modules = std::deque<std::unique_ptr<LoadedModule>>;
    MachinePart(Options& options, memory::GlobalMemory& memory, const Modules& modules)
        : options_(options), memory_(memory), modules_(modules) {}

    bool may_divide(const Grid&) const override;
    void begin_part(Grid& grid, const std::vector<bool>& blocks) override;
    bool independent(const Grid& grid) override;
    void pack_part(const Grid& grid, events::Packer& to) const override;
    bool fit(const Grid& grid, std::span<const std::string_view> parts) const override;
    void join_part(Grid& grid, std::string_view part) override;

  private:
    std::vector<DecodedFunction*> functions() const;
    void own_copy(memory::Allocation& of_host);

    Options& options_;
    memory::GlobalMemory& memory_;
    const Modules& modules_;
    // Of a part:
    bool has_printed_ = false;
    size_t functions_ = 0; ///< that were decoded before
    uint64_t first_bulk_ = 0;
    uint32_t first_mbarrier_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> copies_; ///< of host memory that the device can reach
};

} // namespace sim::machine
