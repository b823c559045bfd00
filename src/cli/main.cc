// cli/main.cc -- the conclave command.
#include "cli/command.h"

int main(int argc, char** argv) { return conclave::command(argc, argv); }
