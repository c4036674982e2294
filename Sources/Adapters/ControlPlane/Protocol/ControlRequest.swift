/// What a program may ask a running node: the methods of the control socket.
package enum ControlRequest: Hashable, Sendable {
    case status
    case identity
    case devices
    case talk(TalkOrder)
    /// `peer` is a name, a short id or a whole NodeID, as the person wrote it.
    case mute(peer: String, isMuted: Bool)
    case volume(peer: String, decibels: Double)
    /// `pan` is -100 (left) to 100 (right); nil is the automatic place.
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
    /// Drops everything between this node and `peer`, as a broken cable would; for the laboratory.
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
    /// The key is down for so many seconds, unless this is sent again. A terminal that tells of no key release holds
    /// the key this way.
    case hold(seconds: Double)
    /// A finger goes down on the key, or up again; the mode of the key decides what follows.
    case press
    case release
    /// A short press, from a keyboard that tells of no release.
    case tap
    /// The microphone is off for so many seconds, or until `uncough`.
    case cough(seconds: Double?)
    case uncough
}
