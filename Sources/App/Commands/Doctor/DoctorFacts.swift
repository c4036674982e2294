/// What `partyline doctor` found out about this machine; a value, so that its judgement can be
/// tested without the machine.
package struct DoctorFacts: Hashable, Sendable {
    /// Whether a file could be written durably.
    package enum Writability: Hashable, Sendable {
        case writable
        /// What the system said.
        case refused(String)
    }

    /// The state folder that `run` would use.
    package var stateDirectory = ""
    /// What came of writing there.
    package var state = Writability.writable
    /// The control socket answers.
    package var isNodeRunning = false
    /// Nodes that have refused this one because it is on a network that they do not take connections from.
    package var refusers: [String] = []
    /// Connections that this node has refused for the same reason.
    package var refusedConnections: UInt64 = 0
    /// Length of the control socket's path.
    package var controlPathBytes = 0
    /// What a socket address has room for.
    package var controlPathBytesMax = 107
    /// There are PCM devices in /dev/snd.
    package var hasSoundCards = false
    /// This user may open one of them.
    package var canOpenSoundCards = false
    /// PipeWire or PulseAudio has a socket in the runtime folder.
    package var hasSoundServer = false
    /// Noise suppression is in this program.
    package var hasSpeechProcessing = false
    /// D-Bus has its system socket.
    package var hasSystemBus = false
    /// The Avahi daemon has its socket.
    package var hasAvahi = false
    /// Interfaces that are up and carry multicast, loopback not counted.
    package var multicastInterfaces: [String] = []
    /// The port that `run` would try first.
    package var port: UInt16 = 7400
    /// Free for TCP and for UDP.
    package var isPortFree = true
    /// The highest real-time priority that this user may take; 0 is none.
    package var realTimePriorityMax: UInt64 = 0
    /// The hard limit of open files.
    package var openFilesMax: UInt64 = 0

    package init() {}
}
