import Channels
import Primitives
import StateStore
import SystemClock
import Trust

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
