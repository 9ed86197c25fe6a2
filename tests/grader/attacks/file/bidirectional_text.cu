// expect: compile
// Text that reads otherwise than it is: the second line of the message is a comment, as some terminals show it.
#error "‮ ⁦// harmless⁩ ⁦" \u202e
