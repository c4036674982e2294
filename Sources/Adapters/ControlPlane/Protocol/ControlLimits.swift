/// The bounds of the control socket (docs/THREATS.md, "Threats and what meets them").
package enum ControlLimits {
    /// Programs that may be connected at once; one more is told so and closed.
    package static let clientsMax = 16
    /// A request, without its line feed. A longer line closes the client.
    package static let requestLineBytesMax = 64 * 1024
    /// A reply as the client reads it: the matrix of 64 nodes has 4,096 cells of about 60 bytes.
    package static let replyLineBytesMax = 4 * 1024 * 1024
    /// Requests of one client that wait for their replies; one more is refused with an error.
    package static let requestsInFlightMax = 32
    /// How long the server's end waits for requests in flight; a ping of a silent peer takes as long.
    package static let drainMillisecondsMax: Int64 = 1_000
    /// Bytes that wait for one client to read them; a client further behind is dropped.
    package static let unreadBytesMax = 1024 * 1024
    /// Events that wait to be encoded; a further one is dropped, which shows as a gap in `sequence`.
    package static let eventsWaitingMax = 256
    /// `sun_path` of `sockaddr_un`, its closing zero included (unix(7)).
    package static let socketPathBytesMax = 108
    /// How long the talk key may be held by one request.
    package static let holdSecondsMax = 3_600.0
    /// A listener's volume for one peer; the mixer goes no further up.
    package static let gainDecibelsRange = -60.0...12.0
    /// A listener's place for one peer.
    package static let panRange = -100...100
    /// Sound that one replay may ask for.
    package static let replaySecondsMax = 300
    /// By how much a listener may lower everything.
    package static let dimDecibelsRange = 0.0...60.0
}
