#include "judge/compiler_parts.h"

#include <sys/wait.h>

#include <fmt/format.h>

#include "base/files.h"

namespace judge {

using base::shown;
using process::Process;

std::string after(Process& process, const fs::path& source, const Ticker& ticker, const std::string& what) {
    if (process.finish([&] {
            if (ticker)
                ticker("compiling " + what);
        }) &&
        process.status() == 0)
        return {};
    if (process.too_much_output())
        return "the compiler printed without end\n";
    if (out_of_time(process))
        return fmt::format("{}: the compiler had not finished after {} s of processor time\n", shown(source),
                           process.limits().processor_seconds);
    const std::string text = shorten_errors(process.output(), source);
    return text.empty() ? "nvcc failed: " + process::describe_status(process.status()) + "\n" : text;
}

// nvcc says of a compiler that it had started what ended it: cicc "died due to signal 9", or "Killed" by a shell.
bool out_of_time(const Process& process) {
    const int status = process.status();
    const process::Limits& limits = process.limits();
    if (status == 0)
        return false;
    if (limits.wall.count() && process.elapsed() > limits.wall)
        return true;
    const std::string& said = process.output();
    return limits.processor_seconds && process.elapsed() > std::chrono::seconds(limits.processor_seconds) &&
           (WIFSIGNALED(status) || said.find("died due to signal") != said.npos || said.find("Killed") != said.npos);
}

} // namespace judge
