// How far a kernel's copies run ahead of its waits, and the part of a case's points that this earns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/provenance/flow.h"

namespace check {

/// One for each case that is about overlap. After each check::call, whose inputs check::follow names, one of the first
/// functions takes what the call shows; judge() then ends the case unless nearly all of the overlap is there.
/// Where flow() shows nothing (copies that end early, a GPU), nothing is taken and judge() holds.
class Overlap {
  public:
    /// At each wait `promised` phases of mbarriers are in flight, the awaited one among them. `which`: the
    /// configuration, "4 stages".
    void phases(uint32_t promised, std::string_view which = "this kernel");
    /// As phases(), for a ring with as many stages as the kernel likes, of which threads read one: all others are in
    /// flight. Where that is one, it must be filled while the other one is read.
    void ring(std::string_view which = "this kernel");
    /// The same where wgmma reads the stages: all are in flight but those that products in flight still read. If none
    /// is left, it is enough that no thread waits for its own copies.
    void ring_of_products(std::string_view which = "this kernel");
    /// For kernels whose threads wait for what they have copied themselves. A copy is early by one if another group was
    /// awaited while it was in flight, and by one more if a tile was computed meanwhile; `promised`: by how many.
    void groups(uint32_t promised, std::string_view which = "this kernel");
    /// As groups(), for phases of mbarriers.
    void early_phases(uint32_t promised, std::string_view which = "this kernel");
    /// For kernels whose blocks compute several tiles: the epilogue of a tile loads its sums from Tensor Memory, and
    /// stores its results, beside the products of the next one. Loads count for one half, stores for the other.
    void epilogues(std::string_view which = "this kernel");
    /// For kernels whose warpgroups take turns at the tensor cores: a turn has `products` wgmma or more, and a
    /// warpgroup that hands it over does not wait for that. Turns half as long earn nothing, and waits cost up to half.
    void turns(uint32_t products, std::string_view which = "this kernel");
    /// `promise`: what the lab asks for, in the reader's words.
    void judge(std::string_view promise) const;

  private:
    void in_flight(const sim::provenance::Flow&, double promised, std::string_view which);
    void early(const sim::provenance::Ahead&, double most, uint32_t promised, std::string_view which);
    void take(const sim::provenance::Ahead&, double share, const std::string& what);

    double shares_ = 0, worst_ = 1;
    unsigned calls_ = 0;
    std::string said_; ///< about the call with the least overlap
};

} // namespace check
