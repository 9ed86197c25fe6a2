// Compilers that have read a program's headers and wait for the rest of it.
#pragma once

#include "compile/servers/plan.h"

namespace servers {

/// What stops behind the headers: cicc and cudafe++. g++ reads all of its input before it begins; it has precompiled
/// The compilers that stop behind the headers: cicc and cudafe++. g++ reads all of its input before it begins, so it
/// has precompiled headers instead, made from cudafe++'s output for the headers.
enum class Kind { device, host, precompiled };
/// Files in a server's folder.
constexpr const char* headers_file = "headers";
constexpr const char* macros_file = "macros.h";           ///< those that the headers define
constexpr const char* preprocess_file = "preprocess";     ///< the words of the preprocessor's command, for "INPUT"
constexpr const char* dependencies_file = "dependencies"; ///< the dependencies of the headers' text
constexpr const char* search_file = "search";             ///< the folders that the preprocessor searches, one per line
constexpr const char* prefix_file = "prefix.ii";          ///< the headers as the compiler reads them
constexpr const char* fatbinary_file = "fatbinary";       ///< device: the words of fatbinary's command
constexpr const char* object_file = "object";             ///< host: of g++'s, from "INPUT" to "OUTPUT"
constexpr const char *precompiled_file = "headers.cpp", *precompiled_gch = "headers.cpp.gch"; ///< host
constexpr const char* trouble_file = "trouble"; ///< why there is no server

/// What internal names end with, for all programs.
constexpr const char* module_id = "_a57c1ab0_9_kernel_cu_main";

/// Becomes the server in `folder`, which holds the headers; or, beside the host's server, makes the precompiled
/// headers. `stop`: the library that stops a compiler. Returns the exit code, if it fails.
int serve(const fs::path& folder, Kind kind, const Words& nvcc, const fs::path& stop);

void keep_words(const fs::path& file, const Words& words);
Words kept_words(const fs::path& file);

} // namespace servers
