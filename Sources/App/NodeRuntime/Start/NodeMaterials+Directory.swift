import Channels
import Primitives
import StateStore
import SystemClock
import Trust

extension NodeMaterials {
    /// Makes the channel directory of the node, with the entries of earlier starts. The channel that the node is on
    /// gets an entry unless it has one.
    func channelDirectory(of mesh: MeshID, _ sealing: any Sealing, listening channels: [ChannelID]) -> ChannelDirectory
    {
        let now = Instant.monotonicNow()
        var directory = ChannelDirectory(mesh: mesh, sealing: sealing, seed: OSRandom.number())
        directory.handle(.wallClock(WallTime.seconds()), now: now)
        for entry in remembered.channelEntries { directory.handle(.stored(entry), now: now) }
        directory.handle(.listens(channels), now: now)
        directory.handle(.claim(channel), now: now)
        return directory
    }
}
