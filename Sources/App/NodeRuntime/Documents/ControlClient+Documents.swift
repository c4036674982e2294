package import ControlPlane

/// What a program asks a running node, with the type of each answer. All throw what `ControlClient.document` throws.
extension ControlClient {
    /// The node's whole health.
    package func status(timeoutSeconds: Double) throws(ControlClientError) -> StatusDocument {
        try document(.status, timeoutSeconds: timeoutSeconds)
    }

    /// Who the node is.
    package func identity(timeoutSeconds: Double) throws(ControlClientError) -> IdentityDocument {
        try document(.identity, timeoutSeconds: timeoutSeconds)
    }

    /// The sound devices that the node sees.
    package func devices(timeoutSeconds: Double) throws(ControlClientError) -> DevicesDocument {
        try document(.devices, timeoutSeconds: timeoutSeconds)
    }

    /// One round trip to a peer; the node answers when the probe does, or is given up.
    package func ping(_ peer: String, timeoutSeconds: Double) throws(ControlClientError) -> PingDocument {
        try document(.ping(peer: peer), timeoutSeconds: timeoutSeconds)
    }

    /// Mouth to ear between the node and a peer.
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

    /// Works the talk key and returns what it then is.
    package func talk(_ order: TalkOrder, timeoutSeconds: Double) throws(ControlClientError) -> TalkDocument {
        try document(.talk(order), timeoutSeconds: timeoutSeconds)
    }

    /// The next event, or nil where none comes in time.
    ///
    /// - Throws: what `nextEvent(_:timeoutSeconds:)` throws.
    package func nextEvent(timeoutSeconds: Double) throws(ControlClientError) -> EventDocument? {
        try nextEvent(EventDocument.self, timeoutSeconds: timeoutSeconds)
    }
}
