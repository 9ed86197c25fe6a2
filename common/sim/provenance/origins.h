// Which copies a value depends on: sets of copies. A set that is the union of others only refers to them, so that it
// costs as much as a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim::provenance {

/// A set of copies; 0: the empty one.
using Origin = uint32_t;

class Origins {
  public:
    Origins() { clear(); }
    void clear();
    /// The set of this copy. `landed`: it is one that is followed.
    Origin of_copy(uint32_t copy, bool landed);
    Origin join(Origin a, Origin b);
    /// Of what a matrix instruction makes of operands of this origin. `in_place`: it reads some where copies landed.
    Origin multiplied(Origin, bool in_place);
    bool is_landed(Origin origin) const { return nodes_[origin].flags & landed; }
    bool is_multiplied(Origin origin) const { return nodes_[origin].flags & product; }
    bool is_multiplied_in_place(Origin origin) const { return nodes_[origin].flags & product_in_place; }

    /// Some of the copies of a set, at most so many, in ascending order.
    std::vector<uint32_t> first_copies(Origin, size_t most) const;
    /// Marks the copies of each set.
    std::vector<bool> copies(const std::vector<Origin>& sets, size_t count) const;

  private:
    enum Flag : uint8_t { leaf = 1, landed = 2, product = 4, product_in_place = 8 };
    struct Node {
        uint32_t a = 0, b = 0; ///< leaf: a copy's number, 0; else sets
        uint8_t flags = 0;
    };
    struct Known {
        uint32_t a = 0, b = 0;
        Origin joined = 0;
    };
    Origin add(const Node&);
    std::vector<Node> nodes_;
    std::vector<Known> known_; ///< the most recent unions
};

} // namespace sim::provenance
