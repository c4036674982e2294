#pragma once
// The addresses of this host's interfaces, and what kind of interface each is.
#include "linux_net.h"

struct linux_interface_address {
    char name[16];
    uint32_t index;
    struct linux_endpoint address;
    int prefix_length;
    bool is_loopback;
    bool is_broadcast;
    bool can_multicast;
    bool is_wireless;
    /// Made by software on this host; bonds and VLANs, which stand for a wire, not counted.
    bool is_virtual;
};

/// Addresses of interfaces that are up and running, `capacity` at most. The number, or a negative errno.
int linux_interface_addresses(struct linux_interface_address *out, int capacity);
