package import ControlPlane

/// The requests to a running node, each with the type of its answer. All throw the errors of `ControlClient.document`.
extension ControlClient {
    /// The whole status of the node.
    package func status(timeoutSeconds: Double) throws(ControlClientError) -> StatusDocument {
        try document(.status, timeoutSeconds: timeoutSeconds)
    }

    /// The identity of the node.
    package func identity(timeoutSeconds: Double) throws(ControlClientError) -> IdentityDocument {
        try document(.identity, timeoutSeconds: timeoutSeconds)
    }

    /// The sound devices that the node sees.
    package func devices(timeoutSeconds: Double) throws(ControlClientError) -> DevicesDocument {
        try document(.devices, timeoutSeconds: timeoutSeconds)
    }

    /// Measures one round trip to a peer. The node replies when the probe is answered, or when it gives the probe up.
    package func ping(_ peer: String, timeoutSeconds: Double) throws(ControlClientError) -> PingDocument {
        try document(.ping(peer: peer), timeoutSeconds: timeoutSeconds)
    }

    /// The latency from mouth to ear between the node and a peer.
    package func latency(_ peer: String, timeoutSeconds: Double) throws(ControlClientError) -> LatencyDocument {
        try document(.latency(peer: peer), timeoutSeconds: timeoutSeconds)
    }

    /// Starts or ends a recording, or asks about it.
    package func record(_ order: RecordOrder, timeoutSeconds: Double) throws(ControlClientError) -> RecordingDocument {
        try document(.record(order), timeoutSeconds: timeoutSeconds)
    }

    /// Writes the latest seconds of sound into a file.
    package func replay(
        seconds: Int, directory: String, timeoutSeconds: Double
    ) throws(ControlClientError) -> ReplayDocument {
        try document(.replay(seconds: seconds, directory: directory), timeoutSeconds: timeoutSeconds)
    }

    /// Works the talk key, and returns its state afterwards.
    package func talk(_ order: TalkOrder, timeoutSeconds: Double) throws(ControlClientError) -> TalkDocument {
        try document(.talk(order), timeoutSeconds: timeoutSeconds)
    }

    /// The next event, or nil if none comes in time.
    ///
    /// - Throws: the errors of `nextEvent(_:timeoutSeconds:)`.
    package func nextEvent(timeoutSeconds: Double) throws(ControlClientError) -> EventDocument? {
        try nextEvent(EventDocument.self, timeoutSeconds: timeoutSeconds)
    }
}
