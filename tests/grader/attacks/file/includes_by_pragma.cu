// expect: compile
// Ways past #include to files that the compiler may open: a precompiled header, a dependency's age, an embedded file.
#pragma GCC dependency "@SECRETFILE@" is older
#pragma comment(linker, "@SECRETFILE@")
#pragma comment(lib, "@SECRETFILE@")
#embed "@SECRETFILE@"
asm(".incbin \"@OTHER@\"\n.include \"@SECRETFILE@\"\n.linkonce discard\n.dumpfile");
#error "no launch function"
#pragma GCC pch_preprocess "@SECRETFILE@"
