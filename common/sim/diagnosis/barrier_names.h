// The names of mbarriers in the program's source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace sim::hazards {

/// The names of a launch's mbarriers, by events::Mbarrier::id. Blocks have the same few.
class BarrierNames {
  public:
    void clear() {
        of_.clear();
        names_.clear();
    }
    void add(uint32_t id, std::string name) {
        auto known = std::find(names_.begin(), names_.end(), name);
        if (known == names_.end())
            known = names_.insert(known, std::move(name));
        of_.resize(std::max<size_t>(of_.size(), size_t{id} + 1));
        of_[id] = uint16_t(known - names_.begin() + 1);
    }
    /// "the mbarrier full[1]", "the mbarrier at shared address 24".
    std::string of(uint32_t id) const {
        const uint16_t name = id < of_.size() ? of_[id] : 0;
        return name ? "the mbarrier " + names_[name - 1u] : "the mbarrier";
    }

  private:
    std::vector<uint16_t> of_;
    std::vector<std::string> names_;
};

} // namespace sim::hazards
