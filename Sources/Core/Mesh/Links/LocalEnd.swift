import Primitives
import Trust

/// This node as one end of its links.
struct LocalEnd {
    let node: NodeID
    /// The present instance of this boot.
    let instance: Instance
    let bootNonce: BootNonce
    let sealing: any Sealing
}

extension LocalEnd {
    /// Returns the values from which both sides derive the keys of an attempt.
    func context(
        with peer: NodeID, _ greeting: Greeting, nonces: [UInt8], attempt: UInt32, isLeader: Bool
    ) -> SessionContext {
        let link = LinkID(
            leaderInstance: isLeader ? instance : greeting.instance,
            followerInstance: isLeader ? greeting.instance : instance, attempt: attempt)
        return SessionContext(
            leader: isLeader ? node : peer, follower: isLeader ? peer : node, link: link,
            leaderBoot: isLeader ? bootNonce : greeting.bootNonce,
            followerBoot: isLeader ? greeting.bootNonce : bootNonce, nonces: nonces, isLeader: isLeader)
    }
}
