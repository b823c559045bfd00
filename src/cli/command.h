// cli/command.h -- the command line, understood and obeyed.
#pragma once

namespace conclave {

int command(int argc, const char* const* argv);  // the exit code

}  // namespace conclave
