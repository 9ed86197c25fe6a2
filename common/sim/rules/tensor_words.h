// Sentences that the rules about Tensor Memory share.
#pragma once

#include "sim/rules/phrases.h"

namespace sim::hazards {

/// "tcgen05.mma"
inline const char* name_of(TensorUse::By by) {
    constexpr const char* names[] = {"tcgen05.ld", "tcgen05.st", "tcgen05.mma", "tcgen05.cp", "tcgen05.shift"};
    return names[size_t(by)];
}

/// "loaded cells of Tensor Memory that a tcgen05.mma may still be writing"
inline std::string tensor_action(const TensorUse& now, const TensorUse& other, bool frees) {
    const char* verb = frees                ? "freed columns"
                       : now.is_operation() ? "issued an operation on cells"
                       : now.wrote          ? "stored to cells"
                                            : "loaded cells";
    return fmt::format("{} of Tensor Memory that a {} may still be {}", verb, name_of(other.by),
                       other.wrote ? "writing" : "reading");
}
inline std::string tensor_action(const TensorConflict& conflict) {
    return tensor_action(conflict.now, conflict.other, conflict.frees);
}

} // namespace sim::hazards
