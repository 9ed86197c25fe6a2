// Runs one of the programs, as if it were this process's only one.
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "program.h"

int main(int argc, char** argv) {
    for (const Program* table : {example_programs, case_programs})
        for (const Program* program = table; program->name; ++program)
            if (argc == 2 && std::strcmp(program->name, argv[1]) == 0)
                return program->main() & 0x7f;
    std::fprintf(stderr, "usage: %s PROGRAM\n", argv[0]);
    return 2;
}
