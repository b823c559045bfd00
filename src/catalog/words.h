// catalog/words.h -- what elections and detectors are asked and tell, whichever they are: the words
// a node shares with all of them.
#pragma once
#include "detect/detection.h"
#include "elect/definition.h"
#include "elect/election.h"
