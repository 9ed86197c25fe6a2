#include "sim/machine/machine_part.h"

#include <cstring>

#include "sim/machine/grid.h"
#include "sim/machine/progress.h"

namespace sim::machine {
namespace {

constexpr uint64_t most_of_host = 256u << 20; // bytes that each part copies

struct Counts {
    Statistics statistics;
    uint64_t bulk;
    uint32_t mbarriers;
};

struct Loads {
    uint64_t address, bytes;
};

} // namespace

bool MachinePart::may_divide(const Grid&) const {
    uint64_t of_host = 0;
    for (const auto& [address, allocation] : memory_)
        if (allocation.live && !allocation.owned)
            of_host += allocation.bytes;
    return of_host <= most_of_host;
}

std::vector<DecodedFunction*> MachinePart::functions() const {
    std::vector<DecodedFunction*> all;
    for (const auto& module : modules_)
        for (DecodedFunction* function : module->all_decoded())
            all.push_back(function);
    return all;
}

void MachinePart::own_copy(memory::Allocation& of_host) {
    copies_.push_back(std::make_unique<std::byte[]>(of_host.bytes));
    std::memcpy(copies_.back().get(), of_host.data, of_host.bytes);
    of_host.data = copies_.back().get();
}

void MachinePart::begin_part(Grid& grid, const std::vector<bool>&) {
    options_.output = [this](std::string_view) { has_printed_ = true; };
    functions_ = functions().size();
    first_bulk_ = grid.next.bulk;
    first_mbarrier_ = grid.next.mbarrier;
    grid.statistics = {};
    memory_.forget_loads();
    for (auto& [address, allocation] : memory_)
        if (allocation.live && !allocation.owned) // another process sees what is written there
            own_copy(const_cast<memory::Allocation&>(allocation));
}

bool MachinePart::independent(const Grid& grid) {
    return !has_printed_ && !grid.depends_on_turns && grid.next.sms.empty() && functions().size() == functions_;
}

void MachinePart::pack_part(const Grid& grid, events::Packer& to) const {
    to.add(Counts{grid.statistics, grid.next.bulk - first_bulk_, grid.next.mbarrier - first_mbarrier_});
    std::vector<Loads> loads;
    for (const auto& [address, allocation] : memory_)
        if (allocation.loaded_bytes)
            loads.push_back({address, allocation.loaded_bytes});
    to.add_all(loads);
    for (const DecodedFunction* function : functions())
        to.add_all(executed_ops(*function));
}

bool MachinePart::fit(const Grid& grid, std::span<const std::string_view> parts) const {
    uint64_t all = grid.statistics.thread_instructions;
    for (const std::string_view part : parts)
        all += events::Unpacker(part).next<Counts>().statistics.thread_instructions;
    return all <= options_.max_instructions;
}

void MachinePart::join_part(Grid& grid, std::string_view part) {
    events::Unpacker from(part);
    const auto counts = from.next<Counts>();
    grid.statistics += counts.statistics;
    executed_so_far.fetch_add(counts.statistics.thread_instructions, std::memory_order_relaxed);
    grid.next.bulk += counts.bulk;
    grid.next.mbarrier += counts.mbarriers;
    for (const Loads& loads : from.all<Loads>())
        if (memory::Allocation* allocation = memory_.find(loads.address))
            allocation->loaded_bytes += loads.bytes;
    for (DecodedFunction* function : functions())
        mark_executed(*function, from.all<uint32_t>());
}

} // namespace sim::machine
