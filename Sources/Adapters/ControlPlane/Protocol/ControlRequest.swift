/// What a program may ask a running node: the methods of the control socket.
package enum ControlRequest: Hashable, Sendable {
    case status
    case identity
    case devices
    case talk(TalkOrder)
    /// `peer` is a name, a short id or a whole NodeID, as the person wrote it.
    case mute(peer: String, isMuted: Bool)
    case volume(peer: String, decibels: Double)
    /// -100 left … 100 right; nil for the place that comes of itself.
    case pan(peer: String, pan: Int?)
    case priority(peer: String, hasPriority: Bool)
    /// Lowers everything that is heard; 0 ends it.
    case dim(decibels: Double)
    case block(peer: String)
    case unblock(peer: String)
    case ping(peer: String)
    case latency(peer: String)
    case record(RecordOrder)
    /// Writes the latest seconds of the mix into a file inside `directory`.
    case replay(seconds: Int, directory: String)
    /// Pretends that nothing passes between this node and `peer`: the laboratory's broken cable.
    case cut(peer: String, isCut: Bool)
    /// Says good-bye to everyone and ends the node.
    case leave
}

/// What is done about the recording.
package enum RecordOrder: Hashable, Sendable {
    /// Into a new folder inside `directory`.
    case start(directory: String, hasTracks: Bool)
    case stop
    case status
}

/// What is done to the talk key.
package enum TalkOrder: Hashable, Sendable {
    case on
    case off
    case toggle
    /// Down now, up by itself after so many seconds unless renewed; how a terminal without key-up
    /// events holds the key.
    case hold(seconds: Double)
    /// A finger goes down on the key, or up again; what that means is the mode's.
    case press
    case release
    /// A press that has ended at once, from a keyboard that tells of no releases.
    case tap
    /// The microphone is off for so many seconds, or until `uncough`.
    case cough(seconds: Double?)
    case uncough
}
