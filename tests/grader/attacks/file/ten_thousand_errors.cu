// expect: compile
// Each line of the report is a student's, and there are many lines.
#define ONE undeclared::x::y z = "\033[2J::error::<script>";
#define TEN(x) x x x x x x x x x x
TEN(TEN(TEN(TEN(ONE))))
