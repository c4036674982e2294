import Channels
package import Mesh
package import Node
package import Primitives
package import Trust
import Voice
import Wire

/// How the nodes of a cluster are made.
extension MeshCluster {
    package static func configuration(
        index: Int, seed: UInt64, mesh: String = "test", admissionPolicy: AdmissionPolicy = .open, instance: UInt64 = 1,
        beaconEnabled: Bool = false, blocked: [NodeID] = [], staticPeers: [Endpoint] = []
    ) -> MeshConfiguration {
        let address = IPAddress(v4: 10, 0, 0, UInt8(index + 1))
        return MeshConfiguration(
            mesh: mesh, profile: NodeProfile(name: SafeText("node \(index)")),
            instance: Instance(exactly: instance) ?? .max, bootNonce: BootNonce(number: seed &* 31 &+ instance),
            port: 7400,
            interfaces: [
                InterfaceAddress(
                    interfaceIndex: 2, prefix: AddressPrefix(address: address, length: 24), medium: .wired,
                    isAdvertised: true)
            ],
            admissionPolicy: admissionPolicy, blocked: blocked, reachablePrefixes: [], staticPeers: staticPeers,
            channels: [], beaconEnabled: beaconEnabled)
    }

    /// A node that talks on the first of its channels, with frames of 5 ms.
    package static func node(
        _ configuration: MeshConfiguration, _ sealing: any Sealing, seed: UInt64, now: Instant
    ) -> VoiceNode {
        let wish = TalkerPolicy.Wish(
            EncoderSettings(frame: .ms5, bitsPerSecond: 64_000), frameSamples: VoiceProfile.low.frameSamples)
        var list = ListeningList()
        for channel in configuration.channels { try! list.join(ListeningEntry(channel)) }
        return VoiceNode(
            MeshNode(configuration, sealing: sealing, seed: seed, now: now), listening: Listening(list), wish: wish,
            directory: directory(of: configuration, sealing, seed: seed, now: now),
            calls: Calls(of: sealing.nodeID, grants: CallGrants(), listened: configuration.channels, seed: seed),
            codes: ChannelCodes(sealing: sealing))
    }

    /// A directory without entries. The time of day is the same at all nodes.
    private static func directory(
        of configuration: MeshConfiguration, _ sealing: any Sealing, seed: UInt64, now: Instant
    ) -> ChannelDirectory {
        let mesh =
            if case .member(let mesh) = configuration.standing {
                mesh.id
            } else {
                MeshID(ofOpenMesh: configuration.mesh, sealing: sealing)
            }
        var directory = ChannelDirectory(mesh: mesh, sealing: sealing, seed: seed)
        directory.handle(.wallClock(wallSeconds + UInt64(now.nanoseconds / 1_000_000_000)), now: now)
        directory.handle(.listens(configuration.channels), now: now)
        return directory
    }

    /// Seconds since 1970 at instant 0.
    static let wallSeconds: UInt64 = 1_800_000_000
}
