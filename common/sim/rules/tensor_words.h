// Sentences that the rules about Tensor Memory share.
#pragma once

#include "sim/rules/phrases.h"

namespace sim::hazards {

/// "tcgen05.mma"
inline const char* name_of(TensorUse::By by) {
    constexpr const char* names[] = {"tcgen05.ld", "tcgen05.st", "tcgen05.mma", "tcgen05.cp", "tcgen05.shift"};
    return names[size_t(by)];
}

/// "loaded cells"
inline std::string tensor_verb(const TensorUse& now, bool frees) {
    return frees                ? "freed columns"
           : now.is_operation() ? "issued an operation on cells"
           : now.wrote          ? "stored to cells"
                                : "loaded cells";
}

/// "loaded cells of Tensor Memory that a tcgen05.mma may still be writing"
inline std::string tensor_action(const TensorUse& now, const TensorUse& other, bool frees) {
    return fmt::format("{} of Tensor Memory that a {} may still be {}", tensor_verb(now, frees), name_of(other.by),
                       other.wrote ? "writing" : "reading");
}
inline std::string tensor_action(const TensorConflict& conflict) {
    return tensor_action(conflict.now, conflict.other, conflict.frees);
}

/// The operation's thread has executed a commit at `pc`, which arrives on `barrier`, and nobody has waited for it.
inline void commit_unawaited(Explanation& text, const std::string& barrier, uint32_t pc) {
    text.message += fmt::format("Its thread has executed tcgen05.commit, which arrives on {}, but nothing orders this "
                                "access after that phase.",
                                barrier);
    text.remedy = fmt::format("Wait for that phase of {} before the access, or synchronise with a thread that has "
                              "waited.",
                              barrier);
    text.also = {{pc, "the commit"}};
}

/// Another thread than the operation's has executed a commit at `pc`. `waited`: the mbarrier on which that arrives, if
/// the access comes after it.
inline void committed_elsewhere(Explanation& text, const std::string& waited, uint32_t pc) {
    text.message += waited.empty()
                        ? "Its thread has executed no tcgen05.commit since. Another thread has, but a commit tracks "
                          "the operations of its own thread only."
                        : fmt::format("This thread has waited for {}, on which the tcgen05.commit of another thread "
                                      "arrives. A commit tracks the operations of its own thread only.",
                                      waited);
    text.remedy = "Let one thread issue the operations and execute tcgen05.commit: with elect.sync, choose it once and "
                  "keep it for both.";
    text.also = {{pc, "the commit, which tracks nothing of that thread"}};
}

} // namespace sim::hazards
