// What is said of a host that accesses memory which it shares with the device, and that the device uses.
#pragma once

#include "sim/rules/phrases.h"

namespace sim::hazards {

/// Does the host write, in a conflict with it?
inline bool host_writes(const HostConflict& conflict) {
    return conflict.what == "the host" ? conflict.writes : conflict.other_wrote;
}

/// `work`: "kernel fill", "cudaMemset".
inline Explanation touched_early(const std::string& work, events::CallSite call, bool host_writes, bool work_writes,
                                 bool signals) {
    const bool kernel = work.starts_with("kernel");
    const std::string before =
        kernel
            ? "A launch returns before the kernel has run, and nothing between the launch and this line makes the "
              "host wait for it: "
            : fmt::format("{} may return before the device has run it, and nothing since makes the host wait: ", work);
    Explanation text{
        .action = fmt::format("the host {} memory that {} {}", host_writes ? "writes" : "reads", work,
                              work_writes ? "writes" : "reads"),
        .other_action = work_writes ? "wrote it" : "read it",
        .message = before + (host_writes && work_writes ? "either value may be the last one."
                             : host_writes              ? "the device may read the old value or the new one."
                                                        : "the host may read the old value or the new one."),
        .remedy = "Call cudaDeviceSynchronize, or cudaStreamSynchronize for that stream, before the host touches the "
                  "memory.",
    };
    if (signals) {
        text.message =
            "The kernel has accesses by which it and the host may signal each other while it runs, but no fence "
            "of system scope orders its other accesses with them: " +
            text.message.substr(before.size());
        text.remedy =
            "Call __threadfence_system() between the access and the signal, and after a wait for a signal; or "
            "let the host wait for the kernel (cudaDeviceSynchronize).";
    }
    if (call && kernel)
        text.also_calls.emplace_back(call, work + " is launched here");
    return text;
}

/// A kernel meets an access of the host.
inline Explanation touched_early(const Conflict& conflict) {
    const Operation& kernel = conflict.context().ordering.operations.current();
    Explanation text = touched_early(kernel.what, kernel.site, conflict.other_wrote, conflict.writes(), kernel.signals);
    text.reversed = true;
    return text;
}
/// The host meets an access of the device, or the other way round; the first place is the host's.
inline Explanation touched_early(const HostConflict& conflict) {
    const bool meets = conflict.what == "the host";
    return touched_early(meets ? conflict.other : conflict.what, conflict.launched_at, host_writes(conflict),
                         meets ? conflict.other_wrote : conflict.writes, conflict.signals);
}

/// What the rules for the host's reads and writes say of these facts, if anything.
inline std::optional<Explanation> touched_early(const Facts& facts, bool writes, HostMisuse::Kind kind) {
    if (const auto* conflict = facts.as<Conflict>();
        conflict && conflict->other_is_host() && conflict->other_wrote == writes)
        return touched_early(*conflict);
    if (const auto* host = facts.as<HostConflict>();
        host && host->by_host && host_writes(*host) == writes && !host->frees)
        return touched_early(*host);
    const auto* misuse = facts.as<HostMisuse>();
    if (!misuse || misuse->kind != kind)
        return std::nullopt;
    return Explanation{.message = misuse->message};
}

} // namespace sim::hazards
