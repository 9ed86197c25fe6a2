// Reports in the words of the library that the program uses: cuda::pipeline, cuda::barrier.
#pragma once

#include <string_view>

#include "sim/rules/rule.h"

namespace sim::hazards {

// Of Places::library_call.
inline bool is_consumer_wait(std::string_view call) {
    return call.ends_with("::consumer_wait");
}
inline bool is_producer_acquire(std::string_view call) {
    return call.ends_with("::producer_acquire");
}
inline bool is_producer_commit(std::string_view call) {
    return call.ends_with("::producer_commit");
}
inline bool is_consumer_release(std::string_view call) {
    return call.ends_with("::consumer_release");
}
/// A cuda::barrier, or one of the functions that take one.
inline bool is_barrier_object(std::string_view call) {
    return call.find("barrier::") != call.npos || call.find("device::barrier_") != call.npos;
}

/// Says which call of a cuda::pipeline is missing, if the accesses belong to one.
void pipeline_words(const Conflict& conflict, Explanation& text);
void pipeline_words(const EarlyRead& read, Explanation& text);
/// The thread has waited for the right phase, with .relaxed.
void relaxed_wait(const Conflict& conflict, Explanation& text);

} // namespace sim::hazards
