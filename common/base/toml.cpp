// toml++, compiled once: `toml` in meson.build has other units take its headers without the functions.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
