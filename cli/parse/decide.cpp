// The command line of what helps to decide whether converting pays: measured results, and predicted ones.
#include "cli/parse/command_line.hpp"
