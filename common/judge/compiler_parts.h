// What compile.cpp and with_servers.cpp share.
#pragma once

#include <algorithm>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "judge/compile.h"

namespace judge {

/// One nvcc, running.
struct Compiler::Job {
    fs::path folder;
    compile::Watched watched;
    process::Process process;
};

/// A lab's parts while they are made.
struct Compiler::Parts {
    std::vector<std::pair<check::Target, Job>> ptx;
    std::map<std::string, std::string> keys; ///< in the cache, by target
    std::optional<Job> host;
    std::optional<fs::path> host_entry; ///< in the cache
    std::string host_key;               ///< if the file includes none of the user's: kernels do not matter
    std::string whole_key;              ///< else
    std::shared_future<std::vector<fs::path>> search; ///< folders of headers
    Origin origin; ///< of a program that is to be made

    /// Makes the program in `folder` the cache's.
    void keep_program(const Cache& cache, const fs::path& folder, const std::string& interface,
                      const std::optional<compile::Dependencies>& dependencies) {
        base::write_file(folder / "interface", interface);
        base::write_file(folder / "origin", origin.file.string() + "\n" + origin.text);
        host_entry = cache.keep(folder, dependencies && dependencies->own.empty() ? host_key : whole_key, dependencies);
    }
    /// The program and its origin, of the cache's entry.
    void tell_program(Compiled& result) const {
        result.program = *host_entry / "program";
        const std::string origin = base::read_file(*host_entry / "origin");
        const size_t end = std::min(origin.find('\n'), origin.size());
        result.origin = {origin.substr(0, end), origin.substr(std::min(end + 1, origin.size()))};
    }

    void give_up() {
        const auto drop = [](Job& job) {
            job.process.kill();
            fs::remove_all(job.folder);
        };
        for (auto& [target, job] : ptx)
            drop(job);
        if (host)
            drop(*host);
    }
};

inline double since(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Waits for a compiler. Returns what is wrong with `source`; empty: nothing.
std::string after(process::Process& process, const fs::path& source, const Ticker& ticker, const std::string& what);

/// Was it, or one of those that it started, ended because its time was up?
bool out_of_time(const process::Process& process);

} // namespace judge
