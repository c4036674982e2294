package import AudioIO
package import Mesh
package import Primitives

/// Everything that `partyline run` was told, resolved: options over the configuration file over the
/// defaults. The rest of the node reads this value and neither environment nor arguments.
package struct RunOptions: Hashable, Sendable {
    /// The node's name on this machine: its state folder and its control socket.
    package var name: NodeName
    /// What the others read.
    package var nick: SafeText
    /// Nodes of other mesh names never link.
    package var mesh: String
    /// Where it talks and listens after its start.
    package var channel: String
    /// The node's own state folder, made with mode 0700 where it is missing.
    package var stateDirectory: String
    /// The Unix socket of the control plane.
    package var controlPath: String
    package var listen: ListenChoice
    /// Addresses that the user gave; dialled until they answer.
    package var peers: [Endpoint]
    /// Networks beyond the own ones from which nodes may connect, and to which this one may.
    package var reach: [AddressPrefix] = []
    package var discovery: DiscoveryChoice
    package var input: DeviceSpecification
    package var output: DeviceSpecification
    package var talk: TalkMode
    package var profile: VoiceProfileName
    /// One voice frame; nil leaves it to the profile, and to the network.
    package var frame: FrameDuration?
    /// Whether voice is sent and taken without a codec, where all ends and the network bear it.
    package var isPlain = false
    /// The sound card's period; nil leaves it to the profile.
    package var period: Interval?
    /// The playback buffer; nil leaves it to the profile.
    package var buffer: Interval?
    /// The encoder's target in kilobits per second; nil leaves it to the profile.
    package var bitrateKilobits: Int?
    package var loudness: LoudnessChoice
    /// How much of the mix is kept for `partyline replay`; 0 for none.
    package var replaySeconds: Int
    /// Whether a beep tells that a peer is lost or back.
    package var beepsOnLoss: Bool
    package var logLevel: LogLevelName
    package var logForm = LogForm.terminal
    package var speaking = SpeakingOptions()
    /// Whether less is done while the machine runs on its battery, and who knows that it does.
    package var followsBattery = false
    package var powerSupply = PowerSupply()
    /// A bad network for demonstrations.
    package var impairment = ImpairmentSettings()
    /// Whether the laboratory may cut this node off from peers, by the control socket.
    package var isCuttable = false

    package init(
        name: NodeName, nick: SafeText, mesh: String, channel: String, stateDirectory: String,
        controlPath: String, listen: ListenChoice, peers: [Endpoint], discovery: DiscoveryChoice,
        input: DeviceSpecification, output: DeviceSpecification, talk: TalkMode, profile: VoiceProfileName,
        period: Interval?, buffer: Interval?, bitrateKilobits: Int?, loudness: LoudnessChoice,
        replaySeconds: Int, beepsOnLoss: Bool, logLevel: LogLevelName
    ) {
        self.name = name
        self.nick = nick
        self.mesh = mesh
        self.channel = channel
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
