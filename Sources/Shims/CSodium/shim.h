#ifndef PARTYLINE_CSODIUM_SHIM_H
#define PARTYLINE_CSODIUM_SHIM_H

#include <sodium.h>

#endif
