import Channels
import Mesh
import Node
import Primitives
import Trust

/// The channel directory of the simulated nodes, and what their state files keep of it.
extension World {
    /// The directory of a node that starts: empty but for the entries that its state file has kept.
    func directory(of node: Int, _ mesh: MeshConfiguration, _ sealing: any Sealing) -> ChannelDirectory {
        let id = MeshID(ofOpenMesh: mesh.mesh, sealing: sealing)
        var random = streams.directory(ofNode: node, life: network.hosts[node].life)
        var directory = ChannelDirectory(mesh: id, sealing: sealing, seed: random.next())
        directory.handle(.wallClock(wallSeconds(of: node)), now: localNow(node))
        directory.handle(.listens(mesh.channels), now: localNow(node))
        for entry in nodes[node].entriesOnDisk {
            directory.handle(.stored(entry.channel, entry.bytes), now: localNow(node))
        }
        return directory
    }

    /// The time of day at a node, in seconds since 1970. The clocks of two nodes differ by up to a minute.
    private func wallSeconds(of node: Int) -> UInt64 {
        var random = streams.wallClock(ofNode: node)
        return SimLimits.wallSecondsAtStart + UInt64((now - .zero).milliseconds / 1_000) + random.below(60)
    }

    func take(_ directoryNote: DirectoryNote, of node: Int) {
        switch directoryNote {
        case .store(let channel, let bytes):
            note(node, .directory, TraceHash.digest(bytes))
            nodes[node].entriesOnDisk.removeAll { $0.channel == channel }
            nodes[node].entriesOnDisk.append((channel, bytes))
        case .forget(let channel): nodes[node].entriesOnDisk.removeAll { $0.channel == channel }
        case .followed(let channel, let successor):
            transcript?.recordDetail("\(nodes[node].name): goes over from \(channel) to \(successor)", at: now)
            observe(.listens(node: node, channel, isOn: false))
            observe(.listens(node: node, successor, isOn: true))
            nodes[node].voice?.channelsChangedAt = now
        case .event, .notTakenBack: break
        }
    }
}
