/// The bounds of the control socket (docs/THREATS.md, "Threats and what meets them").
package enum ControlLimits {
    /// Programs that may be connected at once. A further one gets an error and is closed.
    package static let clientsMax = 16
    /// Bytes of a request, without its line feed. A longer line closes the client.
    package static let requestLineBytesMax = 64 * 1024
    /// Bytes of a reply that the client reads. The matrix of 64 nodes has 4,096 cells of about 60 bytes.
    package static let replyLineBytesMax = 4 * 1024 * 1024
    /// Requests of one client that wait for their turn. A further one is refused with an error.
    package static let requestsWaitingMax = 32
    /// A connection that a node does not accept for so long is given up: it is stopped, or very busy.
    package static let connectSecondsMax = 3.0
    /// When the server stops, it waits this long for requests in flight. A ping of a silent peer takes as long.
    package static let drainMillisecondsMax: Int64 = 1_000
    /// Bytes that may wait for one client to read them. A client that is further behind is dropped.
    package static let unreadBytesMax = 1024 * 1024
    /// A client that sends no more, or is refused, has this long to read its last replies. Then it is dropped.
    package static let lastReadMillisecondsMax: Int64 = 5_000
    /// The interval at which the server looks whether its socket file is still there.
    package static let lookMilliseconds: Int64 = 3_000
    /// Events that may wait to be encoded. A further one is dropped, which shows as a gap in `sequence`.
    package static let eventsWaitingMax = 256
    /// Size of `sun_path` in `sockaddr_un`, including its final zero (unix(7)).
    package static let socketPathBytesMax = 108
    /// The longest time for which one request may hold the talk key.
    package static let holdSecondsMax = 3_600.0
    /// A listener's volume for one peer. The mixer permits no higher one.
    package static let gainDecibelsRange = -60.0...12.0
    /// The level of a channel at its listener.
    package static let levelDecibelsRange = -60.0...12.0
    /// The seconds for which a call may be open.
    package static let callSecondsRange = 1.0...120.0
    /// Channels in one request.
    package static let channelsMax = 32
    /// A listener's pan for one peer.
    package static let panRange = -100...100
    /// The length of sound that one replay may ask for.
    package static let replaySecondsMax = 300
    /// The number of dB by which a listener may lower the whole mix.
    package static let dimDecibelsRange = 0.0...60.0
}
