#include "linux_eventfd.h"
