import Channels
import Primitives
import StateStore
import SystemClock
import Trust

extension NodeMaterials {
    /// Makes the channel directory of the node, with the entries of earlier starts. A channel of `list` gets an entry
    /// unless it has one.
    func channelDirectory(
        of mesh: MeshID, _ sealing: any Sealing, _ list: ListeningList, _ book: ChannelBook
    ) -> ChannelDirectory {
        let now = Instant.monotonicNow()
        var directory = ChannelDirectory(mesh: mesh, sealing: sealing, seed: OSRandom.number())
        directory.handle(.wallClock(WallTime.seconds()), now: now)
        for entry in remembered.channelEntries { directory.handle(.stored(entry), now: now) }
        directory.handle(.listens(list.listened), now: now)
        for name in list.entries.compactMap({ book.name(of: $0.channel) }) where !name.hasCode {
            directory.handle(.claim(name), now: now)
        }
        return directory
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
