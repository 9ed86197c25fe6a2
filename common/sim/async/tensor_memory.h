// Tensor Memory of one SM: 128 lanes of 512 columns of 32-bit cells (PTX ISA, "Tensor Memory"). It keeps values alone;
// who may touch which cells, and in what order, is the hazard detector's business.
#pragma once

#include <cstdint>
#include <vector>

namespace sim::async {

class TensorMemory {
  public:
    static constexpr uint32_t lanes = 128, columns = 512;
    static constexpr uint32_t poison = 0xdbdbdbdb; ///< what cells hold that nothing has written

    /// An address as instructions have it: the lane in the upper, the column in the lower 16 bits.
    struct Address {
        explicit Address(uint32_t bits) : lane(bits >> 16), column(bits & 0xffff) {}
        uint32_t lane, column;
    };

    uint32_t& cell(uint32_t lane, uint32_t column) { return cells_[column * lanes + lane]; }
    uint32_t cell(uint32_t lane, uint32_t column) const { return cells_[column * lanes + lane]; }

  private:
    std::vector<uint32_t> cells_ = std::vector<uint32_t>(lanes * columns, poison);
};

} // namespace sim::async
