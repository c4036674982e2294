package import AudioIO
package import Mesh
package import Primitives

/// All settings of `partyline run`, resolved: an option overrides the configuration file, and the file overrides the
/// default. The rest of the node reads this value and reads neither environment nor arguments.
package struct RunOptions: Hashable, Sendable {
    /// The node's name on this machine. The state folder and the control socket are named after it.
    package var name: NodeName
    /// The name that peers show while nobody has chosen one.
    package var standardNick: SafeText
    /// How the node introduces itself; what is absent is as a person has chosen it before.
    package var introduction: ProfileWords
    /// The mesh name. Nodes with different mesh names never link. A closed mesh has the name in its mesh file.
    package var mesh: String
    /// The folder of the mesh file; nil for the state folder.
    package var meshDirectory: String?
    /// The option or the line of a file that names the mesh; nil if there is none.
    package var meshPlace: ConfigurationError.Place?
    /// The channels that the node joins at its start; empty for those of its last run.
    package var channels: [ChannelWish]
    /// The node's own state folder. It is made with mode 0700 if it is missing.
    package var stateDirectory: String
    /// The Unix socket of the control plane.
    package var controlPath: String
    /// Where the socket goes instead if there can be none at `controlPath`; nil if the person has named that path.
    package var rescue: RescueFolders?
    package var listen: ListenChoice
    /// Addresses that the user gave. The node dials each until it answers.
    package var peers: [GivenAddress]
    /// Networks, besides those of this machine, from which other nodes may connect and to which this node may connect.
    package var reach: [AddressPrefix] = []
    package var discovery: DiscoveryChoice
    /// Which nodes may link to this node.
    package var admission = AdmissionChoice.open
    package var input: DeviceSpecification
    package var output: DeviceSpecification
    /// Whether an option or the file names the device. Otherwise the node uses the one that a person chose in an
    /// earlier run.
    package var isInputNamed = true
    package var isOutputNamed = true
    /// Nil if there is no second output.
    package var second: SecondOutputOptions?
    /// Nil if this process feeds no programme.
    package var programme: ProgrammeOptions?
    /// Whether the node with these options feeds the programme of another node of this process, so that its record says
    /// that no person is there.
    package var feedsProgramme = false
    /// The mode of a talk key that names none.
    package var talk: TalkMode
    /// The talk keys of the configuration; without them there is one, which speaks on the chosen channels.
    package var keys: [KeyTable] = []
    /// The peers whose private talk and talk to all is heard, and what peers may ask of this node.
    package var grants = GrantChoices()
    package var profile: VoiceProfileName
    /// The length of a voice frame; nil leaves it to the profile and to the state of the network.
    package var frame: FrameDuration?
    /// Whether voice may be sent and received without a codec. This happens only if all listeners and the network allow
    /// it.
    package var isPlain = false
    /// The sound card's period; nil leaves it to the profile.
    package var period: Interval?
    /// The playback buffer; nil leaves it to the profile.
    package var buffer: Interval?
    /// The encoder's target in kilobits per second; nil leaves it to the profile.
    package var bitrateKilobits: Int?
    package var loudness: LoudnessChoice
    /// The latest seconds of the mix that are kept for `partyline replay`; 0 for none.
    package var replaySeconds: Int
    /// Whether a beep sounds when a peer is lost or comes back.
    package var beepsOnLoss: Bool
    package var logLevel: LogLevelName
    package var logForm = LogForm.terminal
    package var speaking = SpeakingOptions()
    /// The events that this listener hears as a tone.
    package var tones = Tone.standard
    /// Whether the node saves power while the machine runs on its battery.
    package var followsBattery = false
    /// Tells of the machine's battery.
    package var powerSupply = PowerSupply()
    /// The bad network that is simulated for demonstrations.
    package var impairment = ImpairmentSettings()
    /// A file with the code of the closed mesh that the node enters before it starts; nil for none.
    package var codeFile: String?
    /// Files with the codes of channels; the state folder has those that people have typed.
    package var channelCodeFiles: [ChannelCodeFile] = []
    /// Whether the laboratory may cut this node off from peers, through the control socket.
    package var isCuttable = false

    /// Where the settings were written, for `partyline reload`; nil if they were written nowhere.
    package var origin: RunOrigin?

    /// Every path at which the socket of the node may be, the likeliest first.
    package var controlPaths: [String] {
        guard let rescue else { return [controlPath] }
        // A node that started before its user logged in had no runtime folder.
        let inState = StandardPaths.controlPath(in: stateDirectory)
        return [controlPath] + (inState == controlPath ? [] : [inState]) + rescue.sockets(of: name)
    }

    package init(
        name: NodeName, standardNick: SafeText, introduction: ProfileWords, mesh: String, channels: [ChannelWish],
        stateDirectory: String, controlPath: String, listen: ListenChoice, peers: [GivenAddress],
        discovery: DiscoveryChoice,
        input: DeviceSpecification, output: DeviceSpecification, talk: TalkMode, profile: VoiceProfileName,
        period: Interval?, buffer: Interval?, bitrateKilobits: Int?, loudness: LoudnessChoice,
        replaySeconds: Int, beepsOnLoss: Bool, logLevel: LogLevelName
    ) {
        self.name = name
        self.standardNick = standardNick
        self.introduction = introduction
        self.mesh = mesh
        self.channels = channels
        self.stateDirectory = stateDirectory
        self.controlPath = controlPath
        self.listen = listen
        self.peers = peers
        self.discovery = discovery
        self.input = input
        self.output = output
        self.talk = talk
        self.profile = profile
        self.period = period
        self.buffer = buffer
        self.bitrateKilobits = bitrateKilobits
        self.loudness = loudness
        self.replaySeconds = replaySeconds
        self.beepsOnLoss = beepsOnLoss
        self.logLevel = logLevel
    }
}
