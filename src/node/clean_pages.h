// node/clean_pages.h -- gives back the pages of the program that only its start has needed.
#pragma once
#include <cstddef>

namespace conclave::node {

// Every page of the program and its libraries that was ever touched, and those around it, counts as
// this process's: relocations, the parser of the configuration, handshakes, the first election.
// They are as they are in the file, so they can go: what is needed again is found in the page
// cache, a microsecond for each piece of it, and what is not the system may have.
//
// Whatever can be written to, or holds a page that was (relocations, a debugger's breakpoint),
// stays. How many bytes of address space were let go.
std::size_t let_go_of_clean_pages();

}  // namespace conclave::node
