package import Channels
import Mesh
import Node
package import Primitives
package import Voice
package import Wire

/// Commands of people to the nodes of a cluster, as `VoiceNode` takes them.
extension MeshCluster {
    package func perform(_ command: DirectoryCommand, at index: Int) throws(DirectoryRefusal) {
        defer { drain(index) }
        try members[index].node.perform(command, now: now)
    }

    /// Hands something to the directory of a node.
    package func handle(_ input: DirectoryInput, at index: Int) {
        members[index].node.handle(input, now: now)
        drain(index)
    }

    package func perform(_ command: ListeningCommand, at index: Int) throws(ListeningRefusal) {
        defer { drain(index) }
        try members[index].node.perform(command, now: now)
    }

    @discardableResult
    package func perform(_ command: CallCommand, at index: Int) throws(CallRefusal) -> CallID? {
        defer { drain(index) }
        return try members[index].node.perform(command, now: now)
    }

    /// Delivers a datagram from outside, as in a replay attack.
    package func inject(_ bytes: [UInt8], to index: Int, from source: Endpoint) {
        input(index, .datagram(bytes, from: source))
    }

    /// Lets a node talk by these keys from now on; by none it falls silent.
    package func setTalking(by keys: KeySet, at index: Int) {
        members[index].node.setTalking(by: keys, now: now)
        drain(index)
    }
}
