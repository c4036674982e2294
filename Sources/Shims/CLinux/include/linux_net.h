#pragma once
// Sockets as the network adapters need them: addresses as plain numbers, UDP sockets with their
// options, and an outbox that leaves by sendmmsg. Errors are returned as negative errno.
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// An address of either family as 16 bytes in two big-endian words, IPv4 in its mapped form.
struct linux_endpoint {
    uint64_t high;
    uint64_t low;
    uint32_t scope;
    uint16_t port;
};

struct sockaddr_in linux_sockaddr_in(struct linux_endpoint endpoint);
struct sockaddr_in6 linux_sockaddr_in6(struct linux_endpoint endpoint);
/// False for a family that is neither IPv4 nor IPv6, or for NULL.
bool linux_endpoint_of(const struct sockaddr *address, struct linux_endpoint *out);
/// Length of the prefix that a netmask stands for; -1 where it is none.
int linux_prefix_length(const struct sockaddr *netmask);

struct linux_udp_options {
    int receive_buffer_bytes;
    int send_buffer_bytes;
    /// Differentiated services code point (RFC 2474), 0 to leave it.
    int dscp;
    /// SO_PRIORITY, 0 to leave it.
    int priority;
};

/// A bound, non-blocking UDP socket of the endpoint's family, IPv6 for IPv6 alone.
int linux_udp_open(struct linux_endpoint endpoint, struct linux_udp_options options);
/// Where a socket is bound.
int linux_local_endpoint(int descriptor, struct linux_endpoint *out);

/// A non-blocking UDP socket that hears and sends one multicast group on one interface only:
/// bound to the group, so that nothing sent to another address reaches it; shared with other
/// nodes of this host (SO_REUSEADDR), whose packets it hears too; one hop.
int linux_multicast_open(struct linux_endpoint group, uint32_t interface_index);
/// 0, or a negative errno.
int linux_send_to(int descriptor, const void *bytes, size_t count, struct linux_endpoint to);

enum { linux_outbox_slots = 64, linux_outbox_slot_bytes = 2048 };
/// Datagrams that leave together. Allocated once.
struct linux_outbox;
struct linux_outbox *linux_outbox_new(void);
void linux_outbox_free(struct linux_outbox *outbox);
/// The number of datagrams waiting, or -1 where the datagram is longer than a slot or the outbox is full.
int linux_outbox_put(struct linux_outbox *outbox, const void *bytes, size_t count, struct linux_endpoint to);
/// Sends everything and empties the outbox; a datagram that fails does not hold up the next.
/// `errors` has a place for every slot and receives an errno for each that failed.
/// Returns the number sent.
int linux_outbox_flush(struct linux_outbox *outbox, int descriptor, int *errors, int *error_count);
