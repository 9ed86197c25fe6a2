// What the program's side reports to the device.
#include "base/demangle.h"
#include "sim/cuda/program/failed_calls.h"
#include "sim/cuda/program/runtime.h"
#include "sim/cuda/program/session.h"

namespace sim::cuda {

void Runtime::report(HostMisuse rule, const void* first, std::string first_action, const void* second,
                     std::string second_action, std::string message) {
    report(rule, calling_place(first), std::move(first_action), second, std::move(second_action), std::move(message));
}

void Runtime::report(HostMisuse rule, const CodePlace& first, std::string first_action, const void* second,
                     std::string second_action, std::string message) {
    report(rule, first, std::move(first_action), second ? code_place(second, true) : CodePlace{},
           std::move(second_action), std::move(message));
}

void Runtime::report(HostMisuse rule, const CodePlace& first, std::string first_action, const CodePlace& second,
                     std::string second_action, std::string message) {
    const auto texts = [](const CodePlace& place, std::string action) {
        if (place.file.empty() && !action.empty())
            action += " (" + place.function + "; build the program with -g for the line)";
        return place.file + '\0' + action + '\0';
    };
    const bool alone = second.function.empty();
    std::string payload = texts(first, std::move(first_action));
    payload += texts(second, alone ? std::string() : std::move(second_action));
    payload += message + '\0';
    // Not through call(): this is called while a reply is being dealt with.
    backend_->call(Report{rule, first.line, alone ? 0 : second.line, 0}, std::string_view(payload));
}

void Runtime::report(HostMisuse rule, const CodePlace& first, std::string action, std::string message) {
    std::string payload = first.file + '\0' + std::move(action);
    if (first.file.empty())
        payload += " (" + first.function + "; build the program with -g for the line)";
    payload += std::string(3, '\0') + std::move(message) + '\0';
    backend_->call(Report{rule, first.line, 0, 0}, std::string_view(payload)); // not through call(), as above
}

void Runtime::report_unused_kernels() {
    const std::lock_guard lock(tables().mutex);
    if (std::ranges::any_of(tables().modules, [](const auto& module) { return module->id != 0; }))
        return; // the device knows what is in it
    constexpr size_t most = 20;
    size_t count = 0;
    for (const auto& [host, function] : tables().functions)
        if (++count <= most)
            not_done(NotDone::Kind::kernel, base::function_name(function->name));
}

void Runtime::not_done(NotDone::Kind kind, std::string_view what) {
    try {
        backend_->call(NotDone{kind, 0}, what); // not through call(), as in report()
    } catch (const std::exception&) {           // the device is gone, and the next call will say so
    }
}

void report_refused(std::string_view function) {
    const CodePlace place = place_of_call();
    std::string text = std::string(function) + '\0' + place.file;
    if (!place.file.empty())
        text += ':' + std::to_string(place.line);
    Runtime::get().not_done(NotDone::Kind::function, text);
}

} // namespace sim::cuda
