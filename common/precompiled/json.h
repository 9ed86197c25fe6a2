// For the libraries above the device, which read and write files and JSON. See standard.h.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <nlohmann/json.hpp>

#include "precompiled/standard.h"
