import AudioIO
import Carrier
import Channels
import ControlPlane
import Discovery
import Dispatch
import Mesh
import NIOCore
import Node
import Primitives
import Recording
import StateStore
import SystemClock
import Trust
import TrustCrypto
import Voice
import Wire

/// Everything that is needed to make the node loop: the `NodeParts`, and the values of Core beside them. The start
/// collects it.
struct NodeMaterials: Sendable {
    /// Their mesh name is that of `mesh`, if there is one.
    let options: RunOptions
    /// The closed mesh of which the node is a member; nil in an open mesh.
    let mesh: StoredMesh?
    let remembered: Remembered
    let startedAt: Instant
    let log: NodeLog
    let loop: any EventLoop
    let inbox: NodeInbox<NodeLoop>
    let binding: PortBinding
    let carrier: any CarrierAdapter
    let impairment: NetworkImpairment
    let audio: AudioEngine
    let recorder: Recorder
    let control: ControlServer
    let state: NodeState
    let disk: DispatchQueue
    let slowWork: DispatchQueue
    /// The time for which the machine has been suspended since it booted.
    let asleep: @Sendable () -> Interval

    /// How the node introduces itself when it starts.
    var profile: NodeProfile { options.startProfile(remembered.profile) }
}

extension NodeLoop {
    /// Makes the node. Call it on the event loop that will own the node.
    ///
    /// - Throws: the error of `CryptoSealing` if the key is not valid. `CarrierService` has refused such a key before.
    ///   `MeshFileFault` if the secrets of the mesh are not valid.
    convenience init(of materials: NodeMaterials) throws {
        let (options, state) = (materials.options, materials.state)
        let sealing = try CryptoSealing(privateKey: state.key, randomBytes: OSRandom.bytes(count:))
        let meshID = materials.mesh?.id ?? MeshID(ofOpenMesh: options.mesh, sealing: sealing)
        var channels = ChannelBook { ChannelID(of: $0, in: meshID, sealing: sealing) }
        let codes = materials.channelCodes(channels)
        let (former, coded) = (materials.remembered.joinedChannels, codes.map(\.channel))
        let withoutCode = channels.withoutCode(wanted: options.channels, remembered: former, holding: coded)
        var channelDirectory = materials.channelDirectory(of: meshID, sealing)
        let list = channels.startList(
            wanted: options.channels, remembered: former, holding: coded, renamed: channelDirectory.successor(of:))
        NodeMaterials.claim(list, channels, in: &channelDirectory)
        state.database.remember(joined: channels.remembered(list))
        let peerDirectory = PeerDirectory(
            of: sealing.nodeID, database: state.database, remembered: materials.remembered)
        let profile = materials.profile
        // This node too has a name, for example as the creator of a channel.
        peerDirectory.name(sealing.nodeID, profile.name)
        var configuration = MeshConfiguration(
            mesh: options.mesh, profile: profile, instance: state.instance,
            bootNonce: BootNonce(number: OSRandom.number()), port: materials.binding.port,
            interfaces: (NetworkInterface.current() ?? []).advertised(listen: options.listen.address),
            admissionPolicy: options.admission.policy(with: peerDirectory.keys), blocked: peerDirectory.blocked,
            reachablePrefixes: options.reach, staticPeers: options.peers.map(\.endpoint),
            channels: list.listened, beaconEnabled: options.discovery.usesBeacon)
        if let mesh = materials.mesh {
            guard let closed = ClosedMesh(mesh, with: sealing) else {
                throw MeshFileFault.damaged(path: options.meshFile.path)
            }
            configuration.standing = .member(closed)
        }
        configuration.talks = list.talkedOnly
        configuration.takesPlain = options.isPlain
        configuration.grants = options.grants.ofTalk(trusted: [])
        let mesh = MeshNode(configuration, sealing: sealing, seed: OSRandom.number(), now: .monotonicNow())
        let keys = KeyBook(options.keys, mode: options.talk) { ChannelID(of: $0, in: meshID, sealing: sealing) }
        self.init(
            loop: materials.loop, parts: NodeParts(of: materials),
            core: VoiceNode(
                mesh, listening: Listening(list, grants: configuration.grants), wish: options.encoderWish,
                directory: channelDirectory,
                calls: Calls(
                    of: sealing.nodeID, grants: options.grants.ofCalls(trusted: []), listened: list.listened,
                    seed: OSRandom.number()),
                codes: ChannelCodes(
                    codes.filter { list[$0.channel] != nil }.map { CodedChannel($0) }, sealing: sealing),
                keys: keys.startKeys),
            talk: TalkSwitch(
                modes: keys.modes, keyLimit: options.speaking.keyLimit, isHalfDuplex: options.speaking.isHalfDuplex),
            keys: keys, peerDirectory: peerDirectory, channels: channels, profile: profile, options: options)
        watch.given = GivenPeers(options.peers, startedAt: materials.startedAt)
        hiddenChannels = materials.remembered.hiddenChannels
        channelCodes = codes
        channelsWithoutCode = withoutCode
        for name in withoutCode { parts.announcer.warn(NodeLoop.missingCode(of: name)) }
        self.channels.keep(list)
        secondChannels = options.second?.channels.map { core.directory.id(of: present($0)) } ?? []
        for warning in channelWarnings + deletedChannelWarnings { parts.announcer.warn(warning) }
        setLinesBesideChannels()
        beepsOnLoss = options.beepsOnLoss
        tones = options.tones
    }
}

extension NodeMaterials {
    /// Makes the channel directory of the node, with the entries of earlier starts. Those that do not stand any more
    /// are forgotten in one change, because only so many changes may wait for the disk.
    func channelDirectory(of mesh: MeshID, _ sealing: any Sealing) -> ChannelDirectory {
        let now = Instant.monotonicNow()
        var directory = ChannelDirectory(mesh: mesh, sealing: sealing, seed: OSRandom.number())
        directory.handle(.wallClock(WallTime.seconds()), now: now)
        for entry in remembered.channelEntries { directory.handle(.stored(entry.channel, entry.bytes), now: now) }
        var forgotten: [ChannelID] = []
        while let output = directory.nextOutput() {
            if case .forget(let channel) = output { forgotten.append(channel) }
        }
        if !forgotten.isEmpty { state.database.forgetEntries(of: forgotten) }
        return directory
    }

    /// Gives each channel of the list an entry in the directory, unless it has one or has a code.
    static func claim(_ list: ListeningList, _ book: ChannelBook, in directory: inout ChannelDirectory) {
        let now = Instant.monotonicNow()
        directory.handle(.listens(list.listened), now: now)
        for name in list.entries.compactMap({ book.name(of: $0.channel) }) where !name.hasCode {
            directory.handle(.claim(name), now: now)
        }
    }

    /// The codes that were kept of channels of this mesh.
    func channelCodes(_ book: ChannelBook) -> [RememberedCode] {
        var book = book
        return remembered.channelCodes.filter { kept in
            guard let name = try? ChannelName(typed: kept.name) else { return false }
            return name.hasCode && book.id(of: name) == kept.channel
        }
    }
}
