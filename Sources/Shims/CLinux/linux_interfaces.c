#define _GNU_SOURCE
#include "linux_interfaces.h"

#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/if_addr.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has(const char *name, const char *entry) {
    char path[64];
    snprintf(path, sizeof path, "/sys/class/net/%s/%s", name, entry);
    return access(path, F_OK) == 0;
}

static bool is_made_by_software(const char *name) {
    char path[64], resolved[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/net/%s", name);
    if (realpath(path, resolved) == NULL) return false;
    if (strstr(resolved, "/devices/virtual/") == NULL) return false;
    snprintf(path, sizeof path, "/proc/net/vlan/%s", name);
    return !has(name, "bonding") && access(path, F_OK) != 0;
}

// Returns the text of a file of /proc, for the caller to free; NULL if it cannot be read or is empty.
static char *text_of(const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return NULL;
    char *text = NULL;
    size_t capacity = 0;
    ssize_t count = getdelim(&text, &capacity, 0, file);
    fclose(file);
    if (0 < count) return text;
    free(text);
    return NULL;
}

bool linux_is_tentative(const char *table, struct linux_endpoint address, uint32_t index) {
    char key[64];
    snprintf(key, sizeof key, "%016" PRIx64 "%016" PRIx64 " %02" PRIx32 " ", address.high, address.low, index);
    const char *row = strstr(table, key);
    unsigned flags;
    if (row == NULL || sscanf(row + strlen(key), "%*x %*x %x", &flags) != 1) return false;
    return (flags & IFA_F_TENTATIVE) && !(flags & IFA_F_OPTIMISTIC);
}

int linux_interface_addresses(struct linux_interface_address *out, int capacity) {
    struct ifaddrs *list;
    if (getifaddrs(&list) < 0) return -errno;
    // The C library does not tell the flags of an address.
    char *table = text_of("/proc/net/if_inet6");
    int count = 0;
    for (struct ifaddrs *entry = list; entry != NULL && count < capacity; entry = entry->ifa_next) {
        struct linux_interface_address item = {0};
        item.is_running = (entry->ifa_flags & IFF_UP) && (entry->ifa_flags & IFF_RUNNING);
        item.has_address = linux_endpoint_of(entry->ifa_addr, &item.address);
        // The C library lists every interface once by itself, before the addresses.
        bool is_link = entry->ifa_addr != NULL && entry->ifa_addr->sa_family == AF_PACKET;
        if (item.has_address ? !item.is_running : !is_link) continue;
        item.index = if_nametoindex(entry->ifa_name);
        item.prefix_length = item.has_address ? linux_prefix_length(entry->ifa_netmask) : 0;
        if (item.index == 0 || item.prefix_length < 0) continue;
        if (item.has_address && table != NULL && linux_is_tentative(table, item.address, item.index)) continue;
        // `ifa_name` may be the label of an address, such as br0:1, which sysfs does not know.
        if (if_indextoname(item.index, item.name) == NULL) continue;
        item.is_loopback = entry->ifa_flags & IFF_LOOPBACK;
        item.is_broadcast = entry->ifa_flags & IFF_BROADCAST;
        item.can_multicast = entry->ifa_flags & IFF_MULTICAST;
        item.is_wireless = has(item.name, "wireless") || has(item.name, "phy80211");
        item.is_virtual = !item.is_loopback && is_made_by_software(item.name);
        if (is_link && (item.is_loopback || item.is_virtual)) continue;
        out[count++] = item;
    }
    free(table);
    freeifaddrs(list);
    return count;
}
