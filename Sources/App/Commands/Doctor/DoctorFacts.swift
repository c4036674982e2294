import NodeRuntime

/// The facts about this machine that `partyline doctor` checks. They are a value, so that tests of the checks need no
/// such machine.
package struct DoctorFacts: Hashable, Sendable {
    /// Whether a file could be written and synced, and this user may use the files of a state folder.
    package enum Writability: Hashable, Sendable {
        case writable
        /// The folder, or a file in it, is closed to this user: perhaps it is another user's. The text is a sentence.
        case closed(String)
        /// The text is the system's error.
        case refused(String)
        /// The disk did not answer in time.
        case unanswered
    }

    /// What became of a trial to bind a port.
    package enum PortState: Hashable, Sendable {
        case free
        /// Another socket has it.
        case taken
        /// The text is the system's error.
        case refused(String)
    }

    /// The files with the settings of the next start.
    package var settingFiles: [String] = []
    /// The mistakes in these files, each with its file and line.
    package var mistakes: [String] = []
    /// The files and folders that were not read because their disk does not answer.
    package var unanswered: [String] = []
    /// Whether `doctor` tried to reach a node. It does not if the disk of the state folder or of the socket does not
    /// answer.
    package var isNodeAsked = true
    /// The state folder that `run` would use.
    package var stateDirectory = ""
    /// Whether a start could use it.
    package var state = Writability.writable
    /// Whether the control socket answers.
    package var isNodeRunning = false
    /// The node, if it runs and its control socket is gone; nil otherwise.
    package var lostNode: LostNode?
    /// Why the running node does not tell its status, in its words; nil if it does.
    package var statusRefusal: String?
    /// Which nodes of the mesh have no link to each other, in a sentence; nil if all are linked.
    package var missingLinks: String?
    /// A sentence about another node that runs with the identity of the running one; nil if none is known.
    package var duplicate: String?
    /// A sentence with the names of the peers that a split of the mesh has cut off; nil if there is no split.
    package var split: String?
    /// A sentence with the names of the peers that were lost one by one; nil if there are none.
    package var lost: String?
    /// A sentence for each address of `--peer` from which the running node has no answer.
    package var silentPeers: [String] = []
    /// The problems with single peers that the running node names.
    package var peerTroubles: [PeerTrouble] = []
    /// The other problems that it names.
    package var troubles: [String] = []
    /// The sentences about the last reload that quote words of the files. They may be among `troubles`.
    package var reload: [String] = []
    /// Names of the nodes that refused this one because of its network.
    package var refusers: [String] = []
    /// Number of connections that this node refused because of their network.
    package var refusedConnections: UInt64 = 0
    /// The addresses from which they came last.
    package var refusedAddresses: [String] = []
    /// The name of the mesh, of the running node or of the next start; nil if it is not known which it is.
    package var mesh: String?
    /// Whether it is a closed one.
    package var isMeshClosed = false
    /// Whether others can enter the closed mesh by a code. True in an open mesh.
    package var hasMeshCode = true
    /// Whether this node knows the code of the closed mesh: it was drawn or typed here.
    package var isCodeKnown = true
    /// Whether the code of the closed mesh was changed without the running node.
    package var isLeftBehind = false
    /// Which nodes of the mesh may link to this node: the word in documents.
    package var admission = AdmissionChoice.open.rawValue
    /// Why the mesh is not known; nil if it is known.
    package var meshFault: String?
    /// Whether the reason is that the mesh file cannot be read. It may be intact.
    package var isMeshFileClosed = false
    /// A sentence about a file of settings that names another mesh than the closed one; nil if none does.
    package var overruledName: String?
    /// The file with the code of the closed mesh that the next start enters first; nil if it enters none.
    package var codeFile: String?
    /// Why that file gives no code; nil if it does.
    package var codeFileFault: String?
    /// Why files give no code of their channels, a sentence each.
    package var channelCodeFaults: [String] = []
    /// Whether the running node noticed a closed mesh in which it is not.
    package var isClosedMeshHere = false
    /// Length of the control socket's path.
    package var controlPathBytes = 0
    /// Whether the node puts the socket elsewhere if it cannot be at that path: no person has named it.
    package var mayMoveControl = false
    /// Longest path that a UNIX socket address can have.
    package var controlPathBytesMax = 107
    /// Whether the running node, or the next start, has a sound card or a sound server as a device.
    package var usesSoundCard = true
    /// Whether there are PCM devices in /dev/snd.
    package var hasSoundCards = false
    /// Whether this user may open one of them.
    package var canOpenSoundCards = false
    /// Whether PipeWire or PulseAudio has a socket in the runtime folder.
    package var hasSoundServer = false
    /// Whether this program was built with noise suppression.
    package var hasSpeechProcessing = false
    /// Whether the socket of the D-Bus system bus exists.
    package var hasSystemBus = false
    /// Whether the socket of the Avahi daemon exists.
    package var hasAvahi = false
    /// Why nodes of this machine and of others cannot reach each other, in a sentence; nil if they can.
    package var networkLack: String?
    /// Names of interfaces that are up and support multicast, without loopback.
    package var multicastInterfaces: [String] = []
    /// The port that `run` would try first.
    package var port: UInt16 = 7400
    /// Whether a setting names that port, so that `run` tries no other one.
    package var isPortNamed = false
    /// The state of the port for both TCP and UDP.
    package var portState = PortState.free
    /// Whether all ports are taken that `run` tries where no setting names one.
    package var isEveryPortTaken = false
    /// Highest real-time priority that this user may set; 0 if none.
    package var realTimePriorityMax: UInt64 = 0
    /// Hard limit of the number of open files.
    package var openFilesMax: UInt64 = 0

    package init() {}

    /// Whether the disk of a path answers, as far as it was tried.
    package func answers(_ path: String) -> Bool { !unanswered.contains(path) }
}
