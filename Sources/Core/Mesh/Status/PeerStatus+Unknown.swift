package import Primitives

extension PeerStatus {
    /// Makes the status of a peer of which only identity, name and state are known.
    package init(node: NodeID, name: SafeText, state: State) {
        self.init(
            node: node, name: name, role: SafeText(""), colour: 0, instance: nil, slot: nil, state: state,
            presence: .unmet, suspicionEndsAt: nil, isFlapping: false, controlLossPermille: 0, isLeader: false,
            link: nil, path: nil, via: nil, endpoint: nil, hasCarrier: false, rtt: nil, lossInPermille: 0,
            lossOutPermille: 0, upSince: nil, lastHeard: nil, retryAt: nil, failures: 0, lastFailure: nil,
            isTalking: false, isRecording: false, channels: [], report: nil)
    }
}
