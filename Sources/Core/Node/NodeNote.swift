package import Channels

/// What the parts of a node beside the mesh tell the shell.
package enum NodeNote: Sendable {
    case directory(DirectoryNote)
    /// What has happened to a call.
    case call(CallEvent)
    case code(ChannelCodeNote)
}

extension VoiceNode {
    /// Returns the next note, in the order in which they came; nil if there is none. Call it after `nextOutput()` has
    /// returned nil.
    package mutating func nextNote() -> NodeNote? { notes.isEmpty ? nil : notes.removeFirst() }
}
