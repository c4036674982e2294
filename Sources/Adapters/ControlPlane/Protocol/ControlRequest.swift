/// A request of a program to a running node: the methods of the control socket.
package enum ControlRequest: Hashable, Sendable {
    case status
    case identity
    case devices
    case talk(TalkOrder)
    /// `peer` is a name, a short id or a whole NodeID, as the person wrote it.
    case mute(peer: String, isMuted: Bool)
    case volume(peer: String, decibels: Double)
    /// -100 left … 100 right; nil for the automatic pan.
    case pan(peer: String, pan: Int?)
    case priority(peer: String, hasPriority: Bool)
    /// Lowers the whole mix; 0 ends it.
    case dim(decibels: Double)
    case block(peer: String)
    case unblock(peer: String)
    case ping(peer: String)
    case latency(peer: String)
    case record(RecordOrder)
    /// Writes the latest seconds of the mix into a file inside `directory`.
    case replay(seconds: Int, directory: String)
    /// For the laboratory: cuts the traffic between this node and `peer` as a broken cable would, or ends the cut.
    case cut(peer: String, isCut: Bool)
    /// Says good-bye to everyone and ends the node.
    case stop
}

/// An order for the recording.
package enum RecordOrder: Hashable, Sendable {
    /// Records into a new folder inside `directory`.
    case start(directory: String, hasTracks: Bool)
    case stop
    case status
}

/// An order for the talk key.
package enum TalkOrder: Hashable, Sendable {
    case on
    case off
    case toggle
    /// Presses the key now. It is released after `seconds` unless the order is repeated. A terminal without key-up
    /// events holds the key in this way.
    case hold(seconds: Double)
    /// The key was pressed. The effect depends on the mode of the key.
    case press
    /// The key was released. The effect depends on the mode of the key.
    case release
    /// The key was pressed and released at once. A keyboard that reports no releases sends it.
    case tap
    /// Switches the microphone off for `seconds`, or until `uncough` if nil.
    case cough(seconds: Double?)
    case uncough
}
