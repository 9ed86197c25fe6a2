#include "sim/cuda/session.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <cxxabi.h>
#include <dlfcn.h>
#include <unistd.h>

#include "sim/cuda/command.h"

namespace sim::cuda {

namespace {

const char* setting(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

} // namespace

Session& Session::get() {
    static Session* session = new Session; // never destroyed: programs call us from their own destructors
    return *session;
}

machine::Options Session::device_options() const {
    machine::Options options;
    const std::string_view schedule = setting("ASYNCLAB_SCHEDULE");
    using machine::Schedule;
    if (schedule == "eager") {
        options.schedule.completion = Schedule::Completion::eager;
        options.schedule.warps = Schedule::Warps::one_ahead;
    } else if (schedule == "random") {
        options.schedule.completion = Schedule::Completion::random;
        options.schedule.warps = Schedule::Warps::random;
    }
    if (const uint64_t seed = std::strtoull(setting("ASYNCLAB_SEED"), nullptr, 10))
        options.schedule.seed = seed;
    if (const uint64_t sms = std::strtoull(setting("ASYNCLAB_SMS"), nullptr, 10); sms && sms <= 1024)
        options.properties.sm_count = static_cast<uint32_t>(sms);
    return options;
}

int Session::device_fd() const {
    const std::string_view device = setting("ASYNCLAB_DEVICE");
    return device.starts_with("fd:") ? std::atoi(device.data() + 3) : -1;
}

void Session::report(const HostFinding& finding) {
    const std::lock_guard lock(mutex_);
    findings_.push_back(finding);
    std::fprintf(stderr, "asynclab: %s [%s]: %s\n", finding.severity == HostFinding::Severity::error ? "error" : "note",
                 finding.rule.c_str(), finding.message.c_str());
}

void Session::note_once(const void* site, std::string_view rule, std::string_view message) {
    {
        const std::lock_guard lock(mutex_);
        if (!noted_.emplace(site, rule).second)
            return;
    }
    report(
        {HostFinding::Severity::note, std::string(rule), std::string(message) + "\n  call:   " + describe_code(site)});
}

void Session::say(std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (std::find(said_.begin(), said_.end(), line) != said_.end())
        return;
    said_.emplace_back(line);
    std::fprintf(stderr, "asynclab: %.*s\n", static_cast<int>(line.size()), line.data());
}

void Session::cannot_run(std::string_view why) {
    say(why);
    std::fflush(nullptr);
    _exit(exit_not_supported);
}

std::vector<HostFinding> Session::findings() {
    const std::lock_guard lock(mutex_);
    return findings_;
}

std::string describe_code(const void* address) {
    Dl_info info{};
    if (!address || !dladdr(address, &info) || !info.dli_fname)
        return "unknown code";
    const auto offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(info.dli_fbase);
    // addr2line knows the line if the program was built with -g. The address may be a return address: one byte back.
    const std::string file = info.dli_fname;
    if (file.find('\'') == std::string::npos) {
        char command[4608];
        // Position-dependent programs are described by their own addresses.
        const bool fixed = reinterpret_cast<uintptr_t>(info.dli_fbase) == 0x400000;
        std::snprintf(command, sizeof command, "addr2line -s -e '%s' 0x%zx 2>/dev/null", file.c_str(),
                      fixed ? reinterpret_cast<uintptr_t>(address) - 1 : offset - 1);
        if (FILE* pipe = popen(command, "r")) {
            char line[512] = "";
            const bool got = std::fgets(line, sizeof line, pipe);
            pclose(pipe);
            std::string text = line;
            text = text.substr(0, text.find_first_of(" \n"));
            if (got && !text.empty() && text.find("??") == std::string::npos && !text.ends_with(":0"))
                return text;
        }
    }
    std::string name = info.dli_sname ? info.dli_sname : file.substr(file.rfind('/') + 1);
    int status = -1;
    if (char* plain = info.dli_sname ? abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status) : nullptr) {
        name = plain;
        std::free(plain);
    }
    char where[32];
    std::snprintf(where, sizeof where, "+0x%zx", offset);
    return name + where + " (build the program with -g for the line)";
}

} // namespace sim::cuda
