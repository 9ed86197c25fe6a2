// Results of earlier compilations. The ways that compile one's own files store their results here.
#pragma once

#include "compile/cache.h"
#include "compile/tools.h"
#include "compile/ways/way.h"

namespace compile {

class Cached : public Way {
  public:
    Cached(const Tools& tools, const Cache& cache) : tools_(tools), cache_(cache) {}
    std::string_view name() const override { return "cached"; }
    Answer make(const Order& order) const override;

    /// A new folder to compile in.
    fs::path workspace() const { return cache_.workspace(); }
    /// Keeps FOLDER/kernel.ptx. Returns where it is then. No dependencies: it is not found again.
    fs::path keep_ptx(const Order& order, const std::string& arch, const fs::path& folder,
                      const std::optional<Dependencies>& dependencies) const;
    /// Keeps FOLDER/program. `interface`: see Program.
    Program keep_program(const Order& order, const fs::path& folder, const std::string& interface,
                         const std::optional<Dependencies>& dependencies) const;

    /// Where `nvcc`, the compiler and its flags, looks for the headers of a source; empty: unknown.
    std::vector<fs::path> search_path(const std::vector<std::string>& nvcc, const fs::path& source) const;

  private:
    std::string key(std::string_view kind, std::string_view text, const std::vector<std::string>& flags) const;
    std::string ptx_key(const Order& order, const std::string& arch) const;
    std::vector<std::string> program_keys(const Order& order) const;

    const Tools& tools_;
    const Cache& cache_;
};

} // namespace compile
