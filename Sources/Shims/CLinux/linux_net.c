#define _GNU_SOURCE
#include "linux_net.h"

#include <endian.h>
#include <errno.h>
#include <netinet/ip.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Defined in <linux/in6.h>, which cannot be included together with <netinet/in.h>.
#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29
#endif

static bool is_v4(struct linux_endpoint e) { return e.high == 0 && e.low >> 32 == 0xFFFF; }

struct sockaddr_in linux_sockaddr_in(struct linux_endpoint endpoint) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htobe16(endpoint.port)};
    address.sin_addr.s_addr = htobe32((uint32_t)endpoint.low);
    return address;
}

struct sockaddr_in6 linux_sockaddr_in6(struct linux_endpoint endpoint) {
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htobe16(endpoint.port), .sin6_scope_id = endpoint.scope};
    uint64_t words[2] = {htobe64(endpoint.high), htobe64(endpoint.low)};
    memcpy(&address.sin6_addr, words, sizeof words);
    return address;
}

bool linux_endpoint_of(const struct sockaddr *address, struct linux_endpoint *out) {
    if (address == NULL) return false;
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        *out = (struct linux_endpoint){
            .low = UINT64_C(0xFFFF00000000) | be32toh(v4.sin_addr.s_addr), .port = be16toh(v4.sin_port)};
        return true;
    }
    if (address->sa_family != AF_INET6) return false;
    struct sockaddr_in6 v6;
    memcpy(&v6, address, sizeof v6);
    uint64_t words[2];
    memcpy(words, &v6.sin6_addr, sizeof words);
    *out = (struct linux_endpoint){
        .high = be64toh(words[0]), .low = be64toh(words[1]),
        .scope = v6.sin6_scope_id, .port = be16toh(v6.sin6_port)};
    return true;
}

int linux_prefix_length(const struct sockaddr *netmask) {
    struct linux_endpoint mask;
    if (!linux_endpoint_of(netmask, &mask)) return -1;
    if (netmask->sa_family == AF_INET) return __builtin_popcount((uint32_t)mask.low);
    return __builtin_popcountll(mask.high) + __builtin_popcountll(mask.low);
}

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t fill(union address *out, struct linux_endpoint endpoint) {
    if (is_v4(endpoint)) {
        out->v4 = linux_sockaddr_in(endpoint);
        return sizeof out->v4;
    }
    out->v6 = linux_sockaddr_in6(endpoint);
    return sizeof out->v6;
}

static int fail(int descriptor) {
    int reason = errno;
    close(descriptor);
    return -reason;
}

static int set(int descriptor, int level, int name, int value) {
    return setsockopt(descriptor, level, name, &value, sizeof value);
}

static int open_udp(struct linux_endpoint endpoint) {
    int family = is_v4(endpoint) ? AF_INET : AF_INET6;
    int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    if (family == AF_INET6 && set(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 1) < 0) return fail(descriptor);
    return descriptor;
}

int linux_udp_open(struct linux_endpoint endpoint, struct linux_udp_options options) {
    int descriptor = open_udp(endpoint);
    if (descriptor < 0) return descriptor;
    // These options improve the service but are not necessary, so an error is ignored.
    set(descriptor, SOL_SOCKET, SO_RCVBUF, options.receive_buffer_bytes);
    set(descriptor, SOL_SOCKET, SO_SNDBUF, options.send_buffer_bytes);
    if (options.dscp != 0) {
        if (is_v4(endpoint)) set(descriptor, IPPROTO_IP, IP_TOS, options.dscp << 2);
        else set(descriptor, IPPROTO_IPV6, IPV6_TCLASS, options.dscp << 2);
    }
    // This must follow IP_TOS, which also sets the priority.
    if (options.priority != 0) set(descriptor, SOL_SOCKET, SO_PRIORITY, options.priority);
    // Linux takes this option at the level of IPv4 for both families.
    set(descriptor, IPPROTO_IP, IP_FREEBIND, 1);
    union address address;
    socklen_t length = fill(&address, endpoint);
    if (bind(descriptor, &address.any, length) < 0) return fail(descriptor);
    return descriptor;
}

int linux_local_endpoint(int descriptor, struct linux_endpoint *out) {
    union address address;
    socklen_t length = sizeof address;
    if (getsockname(descriptor, &address.any, &length) < 0) return -errno;
    return linux_endpoint_of(&address.any, out) ? 0 : -EAFNOSUPPORT;
}

static int join_v4(int descriptor, struct linux_endpoint group, int index) {
    struct ip_mreqn membership = {.imr_ifindex = index};
    membership.imr_multiaddr = linux_sockaddr_in(group).sin_addr;
    struct ip_mreqn outgoing = {.imr_ifindex = index};
    if (setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_IF, &outgoing, sizeof outgoing) < 0) return -1;
    if (set(descriptor, IPPROTO_IP, IP_MULTICAST_ALL, 0) < 0) return -1;
    if (set(descriptor, IPPROTO_IP, IP_MULTICAST_TTL, 1) < 0) return -1;
    if (set(descriptor, IPPROTO_IP, IP_MULTICAST_LOOP, 1) < 0) return -1;
    return setsockopt(descriptor, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership);
}

static int join_v6(int descriptor, struct linux_endpoint group, int index) {
    struct ipv6_mreq membership = {.ipv6mr_interface = (unsigned)index};
    membership.ipv6mr_multiaddr = linux_sockaddr_in6(group).sin6_addr;
    if (set(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_IF, index) < 0) return -1;
    // Since Linux 4.20. On older kernels the socket still receives only this interface, because it is bound to it.
    set(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
    if (set(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 1) < 0) return -1;
    if (set(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 1) < 0) return -1;
    return setsockopt(descriptor, IPPROTO_IPV6, IPV6_JOIN_GROUP, &membership, sizeof membership);
}

int linux_multicast_open(struct linux_endpoint group, uint32_t interface_index) {
    int descriptor = open_udp(group);
    if (descriptor < 0) return descriptor;
    if (set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1) < 0) return fail(descriptor);
    struct linux_endpoint bound = group;
    bound.scope = is_v4(group) ? 0 : interface_index;
    union address address;
    socklen_t length = fill(&address, bound);
    if (bind(descriptor, &address.any, length) < 0) return fail(descriptor);
    int joined = is_v4(group) ? join_v4(descriptor, group, (int)interface_index)
                              : join_v6(descriptor, group, (int)interface_index);
    return joined < 0 ? fail(descriptor) : descriptor;
}

static void leave_v4(int descriptor, struct linux_endpoint group, int index) {
    struct ip_mreqn membership = {.imr_ifindex = index};
    membership.imr_multiaddr = linux_sockaddr_in(group).sin_addr;
    setsockopt(descriptor, IPPROTO_IP, IP_DROP_MEMBERSHIP, &membership, sizeof membership);
}

static void leave_v6(int descriptor, struct linux_endpoint group, int index) {
    struct ipv6_mreq membership = {.ipv6mr_interface = (unsigned)index};
    membership.ipv6mr_multiaddr = linux_sockaddr_in6(group).sin6_addr;
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_LEAVE_GROUP, &membership, sizeof membership);
}

int linux_multicast_rejoin(int descriptor, struct linux_endpoint group, uint32_t interface_index) {
    int index = (int)interface_index, joined;
    // The socket may have left already, if its interface was gone: an error is ignored.
    if (is_v4(group)) {
        leave_v4(descriptor, group, index);
        joined = join_v4(descriptor, group, index);
    } else {
        leave_v6(descriptor, group, index);
        joined = join_v6(descriptor, group, index);
    }
    return joined < 0 ? -errno : 0;
}

int linux_send_to(int descriptor, const void *bytes, size_t count, struct linux_endpoint to) {
    union address address;
    socklen_t length = fill(&address, to);
    ssize_t sent = sendto(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, &address.any, length);
    return sent < 0 ? -errno : 0;
}

struct linux_outbox {
    int count;
    struct mmsghdr messages[linux_outbox_slots];
    struct iovec pieces[linux_outbox_slots];
    union address addresses[linux_outbox_slots];
    unsigned char bytes[linux_outbox_slots][linux_outbox_slot_bytes];
};

struct linux_outbox *linux_outbox_new(void) {
    struct linux_outbox *outbox = calloc(1, sizeof *outbox);
    if (outbox == NULL) return NULL;
    for (int slot = 0; slot < linux_outbox_slots; slot++) {
        outbox->pieces[slot].iov_base = outbox->bytes[slot];
        outbox->messages[slot].msg_hdr.msg_iov = &outbox->pieces[slot];
        outbox->messages[slot].msg_hdr.msg_iovlen = 1;
        outbox->messages[slot].msg_hdr.msg_name = &outbox->addresses[slot];
    }
    return outbox;
}

void linux_outbox_free(struct linux_outbox *outbox) { free(outbox); }

int linux_outbox_put(struct linux_outbox *outbox, const void *bytes, size_t count, struct linux_endpoint to) {
    if (outbox->count == linux_outbox_slots || linux_outbox_slot_bytes < count) return -1;
    int slot = outbox->count++;
    memcpy(outbox->bytes[slot], bytes, count);
    outbox->pieces[slot].iov_len = count;
    outbox->messages[slot].msg_hdr.msg_namelen = fill(&outbox->addresses[slot], to);
    return outbox->count;
}

int linux_outbox_flush(struct linux_outbox *outbox, int descriptor, int *errors, int *error_count) {
    int next = 0, sent = 0;
    *error_count = 0;
    while (next < outbox->count) {
        unsigned left = (unsigned)(outbox->count - next);
        int done = sendmmsg(descriptor, &outbox->messages[next], left, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (0 < done) {
            next += done;
            sent += done;
        } else if (done == 0 || errno != EINTR) {
            // sendmmsg returns an error only if the first message failed: that message is skipped.
            errors[(*error_count)++] = done == 0 ? EIO : errno;
            next += 1;
        }
    }
    outbox->count = 0;
    return sent;
}
