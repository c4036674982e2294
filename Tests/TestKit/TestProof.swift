package import Wire

/// The first frame of a node of an open mesh, for tests that play a peer.
package enum TestProof {
    package static let nonce = [UInt8](repeating: 5, count: WireSizes.nonceBytes)

    package static func open() -> CarrierMessage {
        .admission(
            .proof(
                Proof(nonce: nonce, form: .open, versionMin: WireLimits.version, versionMax: WireLimits.version)))
    }

    /// The nonce of the last PROOF among the frames of a node.
    package static func lastNonce(among messages: [CarrierMessage]) -> [UInt8] {
        for case .admission(.proof(let proof)) in messages.reversed() { return proof.nonce }
        return []
    }
}
