import Primitives

/// The figures of the protocol that the project grew from, as its description has them.
enum BaselineLimits {
    /// "Start advertising (after 0.5 s delay)".
    static let advertiseDelay = Interval.milliseconds(500)
    /// "Wi-Fi: handshake delay 0.5 seconds", from the connection to the handshake message.
    static let handshakeDelay = Interval.milliseconds(500)
    static let heartbeatInterval = Interval.seconds(10)
    static let cooldownFirst = Interval.milliseconds(500)
    static let cooldownMax = Interval.seconds(30)
    static let failuresBeforeReset = 5
    static let stableAfter = Interval.seconds(15)
    /// An advert of a machine that is gone ends by then: lifetime of a host's records (RFC 6762 §10).
    static let advertLifetime = Interval.seconds(120)

    // MARK: Sizes of its messages, which are JSON with UUIDs as text

    static let handshakeBytes = 141
    static let heartbeatBytes = 176
    /// 36 characters, two quotes, a comma.
    static let listedNodeBytes = 39
}
