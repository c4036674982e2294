import Channels
import Mesh
import Node
import Primitives
import Wire

extension StatusDocument {
    /// The node itself.
    package struct Node: Codable, Hashable, Sendable {
        /// The name that people read.
        package var name: String
        /// How the node introduces itself.
        package var profile: ProfileWords
        /// The whole NodeID in its written form.
        package var id: String
        /// A label for people. It proves nothing.
        package var shortId: String
        /// The number of this start.
        package var instance: UInt64
        /// The boot nonce in hexadecimal, without leading zeros.
        package var boot: String
        /// Seconds since the node's start.
        package var uptimeS: Double
        /// The mesh name. Nodes with different mesh names never link.
        package var mesh: String
        /// Whether the mesh is closed: everybody in it has proved its secret. In an open mesh anybody on the network
        /// can listen.
        package var meshClosed: Bool
        /// Whether a member refuses this node, because the code of the mesh was changed without it.
        package var leftBehind: Bool
        /// The number of the newest secret of the closed mesh that this node has by a change of the code. Absent if
        /// there was no change.
        package var epoch: UInt32?
        /// Whether this node is in an open mesh and has lately noticed a closed one on its network.
        package var closedMeshNear: Bool
        /// The pairing window of this node; absent while none is open.
        package var pairing: Pairing?
        /// Which nodes of the mesh may link to this node: `open` (all), `ask` (those that the person accepts), or
        /// `known` (those with keys that the person trusts).
        package var admission: String
        /// The channels on which the first talk key speaks, with commas between. `partyline channels` lists all.
        package var channel: String
        /// The channels that the node has joined, in the order in which it joined them.
        package var channels: [String]
        /// The channels that the start or the last reload could not join, for example for want of their codes, and on
        /// which the node is not. Absent if there are none.
        package var channelsNotJoined: [String]?
        /// The endpoints at which the node listens, `address:port`.
        package var listen: [String]
        /// The path of the control socket.
        package var control: String
        /// Whether the identity is kept in memory only, and is lost when the process ends.
        package var guest: Bool
        /// Whether the node announces itself by beacon and Avahi. False with `--discovery none`.
        package var advertised: Bool
        /// The calls of peers that wait for an answer of the person here, in the order of their arrival.
        package var calls: [CallsDocument.Incoming]
        /// Whether calls that are not urgent are declined, without a sign to people.
        package var doNotDisturb: Bool
        /// The charge of the battery in per cent; absent on mains, and where no battery tells it.
        package var batteryPct: Int?
        /// The version of the program that runs the node.
        package var version: String
        /// Warnings: files that the start found missing or damaged, what the last reload left undone, a network that is
        /// simulated, addresses of `--peer` without an answer or with a refusal, a sound file that is at its end, and
        /// that the linked peers are on other channels.
        package var warnings: [String]
        /// What is known of another node with the identity of this one. A line of `health` says it too, with the
        /// remedy. Absent if none is known.
        package var duplicate: String?
        /// The sentences of `warnings` about the last reload that quote words of the files. Absent if there are none.
        package var reload: [String]?
    }
}

extension StatusDocument.Node {
    /// A pairing window: one newcomer comes in by its six digits.
    package struct Pairing: Codable, Hashable, Sendable {
        /// Seconds until it closes by itself.
        package var openS: Double
        /// Failures that it still takes: wrong codes, and comparisons that a node broke off. The last one closes it.
        package var triesLeft: Int

        package init(openS: Double, triesLeft: Int) { (self.openS, self.triesLeft) = (openS, triesLeft) }
    }

    init(_ sources: StatusSources) {
        let mesh = sources.mesh
        name = mesh.name.string
        profile = ProfileWords(sources.node.profile)
        id = mesh.node.text
        shortId = mesh.node.short
        instance = mesh.instance.number
        boot = String(mesh.bootNonce.number, radix: 16)
        uptimeS = (sources.now - sources.description.startedAt).seconds
        self.mesh = SafeText(mesh.mesh, graphemesMax: 64, bytesMax: 64).string
        meshClosed = mesh.isClosed
        leftBehind = mesh.isLeftBehind
        epoch = sources.node.core.mesh.epochEntry?.number
        closedMeshNear = sources.node.watch.otherMeshes.hasClosed(now: sources.now)
        pairing = sources.node.core.mesh.pairing(now: sources.now).map {
            Pairing(openS: ($0.until - sources.now).seconds, triesLeft: MeshLimits.pairingFailuresMax - $0.failures)
        }
        admission = sources.node.options.admission.rawValue
        let list = sources.node.core.listening.list
        channel = sources.node.firstKeyChannels.map { KeysDocument.Channel($0, at: sources.node).name }
            .joined(separator: ", ")
        channels = sources.node.names(of: list.entries.map(\.channel))
        let missing = sources.node.channelsNotJoined.map(\.description)
        channelsNotJoined = missing.isEmpty ? nil : missing
        listen = sources.node.parts.listening.map(\.description)
        control = sources.description.controlPath
        guest = sources.description.isGuest
        advertised = sources.node.isAdvertised
        calls = CallsDocument.waiting(at: sources.node)
        doNotDisturb = sources.node.core.calls.isQuiet
        batteryPct = sources.node.power.isOnBattery ? sources.node.power.chargePercent : nil
        version = ProgramVersion.text
        warnings =
            sources.warnings + sources.fruitlessPeers + sources.endedFiles + [sources.loneliness].compactMap { $0 }
        duplicate = sources.duplicate
        let quoting = sources.node.lastReload.quotingFiles
        reload = quoting.isEmpty ? nil : quoting
    }

    /// The first line for people.
    package var access: MeshAccess {
        MeshAccess(mesh: mesh, isClosed: meshClosed, isLeftBehind: leftBehind, admission: admission)
    }

    var metrics: [Metric] {
        let labels = [
            ("name", name), ("id", id), ("mesh", mesh), ("channel", channel), ("instance_number", "\(instance)"),
        ]
        return [
            Metric("node_info", .gauge, "Who this node is; always 1.", [Metric.Sample(labels: labels, value: 1)]),
            Metric(
                "mesh_closed", "1 if the mesh is closed; else anybody on the network can listen.", meshClosed ? 1 : 0),
            Metric("uptime_seconds", "Since the node's start.", uptimeS),
        ]
    }
}
