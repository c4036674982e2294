package import Channels
import Node
import Trust

/// What the parts of a node tell, and channels with a code. Slow work takes no time.
extension MeshCluster {
    func take(_ note: NodeNote, of index: Int) {
        switch note {
        case .directory(let note): members[index].directoryNotes.append(note)
        case .call: break
        case .code(.work(let task, let work)):
            members[index].node.handle(.worked(task, work.result(with: TransparentCode())), now: now)
            drain(index)
        case .code(.event(let event)): members[index].codeEvents.append(event)
        }
    }

    /// Tells the codes of channels of a node what it holds from now on.
    package func handle(_ input: ChannelCodeInput, at index: Int) {
        members[index].node.handle(input, now: now)
        drain(index)
    }
}
