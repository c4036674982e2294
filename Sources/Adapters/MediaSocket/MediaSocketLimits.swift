/// Bounds of the media socket.
package enum MediaSocketLimits {
    /// What one datagram may hold; longer ones are no protocol of ours. Above the 1,200 bytes that
    /// are sent (RFC 8200 §5: every IPv6 link carries 1,280).
    package static let datagramBytesMax = 2_048
    /// Read by one recvmmsg.
    package static let batchDatagramsMax = 32
    /// 64 peers at 400 packets/s, or 32 at 800, of 250 bytes for 160 ms; the kernel may give less.
    package static let receiveBufferBytes: Int32 = 1_024 * 1_024
    package static let sendBufferBytes: Int32 = 512 * 1_024
    /// Expedited forwarding (RFC 3246), for voice (RFC 4594 §4.1).
    package static let dscpExpedited: Int32 = 46
    /// The highest that needs no privilege; `pfifo_fast` puts it into its first band.
    package static let socketPriority: Int32 = 6
}
