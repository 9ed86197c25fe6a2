// expect: compile
// <script>alert(1)</script> "]]> ::error::x %0A =HYPERLINK("http://x")
#error "<script>alert(1)</script><img src=x onerror=alert(1)> ::error file=x::owned \033[31m"
