// Copies from pageable memory that took their bytes when they were called, while a function which precedes them in
// their stream had not run. If that function then writes the source, the old bytes are copied.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cuda/program/copies.h"

namespace sim::cuda {

class StagedSources {
  public:
    struct Source {
        Box box;
        uint64_t block = 0; ///< its bytes, as they were
        const void* site = nullptr;
    };

    void add(uint64_t ticket, const Source& source);
    void remove(uint64_t ticket);
    /// Which of these copies have a source that has not changed since they took it?
    std::vector<Source> unchanged(const std::vector<uint64_t>& tickets) const;
    /// Has it changed now?
    static bool changed(const Source& source);

  private:
    std::vector<std::pair<uint64_t, Source>> sources_;
};

} // namespace sim::cuda
