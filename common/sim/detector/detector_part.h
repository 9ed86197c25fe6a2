// What the detector keeps of a launch in parts (events/divisible.h): the bytes that the blocks of a part have written,
// who has written them, and who has read what. A launch is in parts only as long as its blocks meet nowhere: no part
// may touch a word that another one writes.
#pragma once

#include "sim/detector/core.h"
#include "sim/events/divisible.h"

namespace sim::hazards {

class DetectorPart final : public events::Divisible {
  public:
    explicit DetectorPart(Core& core) : core_(core) {}

    bool may_divide(const machine::Grid&) const override;
    void begin_part(machine::Grid&, const std::vector<bool>& blocks) override;
    bool independent(const machine::Grid&) override;
    void pack_part(const machine::Grid&, events::Packer& to) const override;
    bool fit(const machine::Grid&, std::span<const std::string_view> parts) const override;
    void join_part(machine::Grid& grid, std::string_view part) override;
    void all_joined(machine::Grid& grid) override;

  private:
    bool is_own(uint64_t block) const {
        const uint64_t linear = block - core_.ordering.operations.base();
        return linear < blocks_.size() && blocks_[linear];
    }
    /// The bulk copies of a part have numbers from `first` on there; here these are greater by `shift`.
    struct NewNumbers {
        uint64_t first, shift;
    };
    void pack_copies(events::Packer& to) const;
    NewNumbers join_copies(events::Unpacker& from);
    bool lost_something() const;

    Core& core_;
    // Of a part:
    std::vector<bool> blocks_; ///< its own, by Block::linear
    uint64_t first_copy_ = 0;  ///< number of the next bulk copy when it began
    uint64_t changes_ = 0;     ///< of the findings until then
    bool lost_before_ = false;
    bool copies_ = false; ///< of its blocks have been in flight between two turns
    // Of all that are joined:
    std::vector<std::string_view> reductions_;
};

} // namespace sim::hazards
