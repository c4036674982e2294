#pragma once
// The addresses of this host's network interfaces, and the kind of each interface.
#include "linux_net.h"

struct linux_interface_address {
    char name[16];
    uint32_t index;
    /// False in the row that stands for a network card itself: `address` and `prefix_length` have no meaning there.
    bool has_address;
    struct linux_endpoint address;
    int prefix_length;
    /// Whether the interface is up and has a carrier. Always so where `has_address`.
    bool is_running;
    bool is_loopback;
    bool is_broadcast;
    bool can_multicast;
    bool is_wireless;
    /// Whether the interface is made by software on this host. False for bonds and VLANs, since these use a real wire.
    bool is_virtual;
};

/// Writes at most `capacity` rows: one for each network card, whether it is running or not, and then one for each
/// address of the interfaces that are up and running. Returns their number, or a negative errno.
int linux_interface_addresses(struct linux_interface_address *out, int capacity);
