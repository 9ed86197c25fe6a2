// Waiting compilers for one's own files: they have read a program's headers and wait for the rest of it. They outlive
// the process that started them, so that the next check finds them, and end after some idle minutes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/paths.h"
#include "compile/dependencies/dependencies.h"

namespace servers {

namespace fs = std::filesystem;

/// How many servers this machine has memory for; 0: ASYNCLAB_WARM says that none are wanted.
size_t most_servers(size_t at_most);

class OwnServers {
  public:
    explicit OwnServers(const base::Paths& paths);

    /// The folders of the servers for one way of calling nvcc.
    struct Family {
        std::vector<fs::path> devices; ///< as `archs`
        fs::path host;                 ///< empty if not wanted
    };
    /// Finds or starts those that have read the leading headers of `source`. `nvcc`: the command without targets. None:
    /// the file has no headers in front, or the machine no memory for servers, or ASYNCLAB_WARM is 0.
    std::optional<Family> family(const fs::path& source, const std::vector<std::string>& nvcc,
                                 const std::vector<std::string>& archs, bool host) const;
    /// Adds the dependencies of its servers' headers; false: they are not known.
    static bool read(const Family& family, compile::Watched& watched);
    /// The command that compiles into `folder`: FOLDER/kernel.ARCH.ptx, FOLDER/kernel.o. Exit code let_nvcc_do_it: it
    /// cannot.
    std::vector<std::string> compile(const Family& family, const fs::path& source, const fs::path& folder,
                                     const std::vector<std::string>& archs, unsigned seconds) const;

  private:
    std::optional<fs::path> find_or_start(const char* kind, const std::string& headers,
                                          const std::vector<std::string>& nvcc, const fs::path& beside) const;
    void precompile(const fs::path& host) const;
    void make_room() const;
    fs::path program_, stop_, folder_;
    size_t most_ = 0; ///< servers; 0: use none
};

} // namespace servers
