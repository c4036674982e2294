package import Wire

/// The first frame of a node of an open mesh, for tests that play a peer.
package enum TestProof {
    package static func open(nonce: UInt8 = 5) -> CarrierMessage {
        .admission(
            .proof(
                Proof(
                    nonce: [UInt8](repeating: nonce, count: WireSizes.nonceBytes), form: .open,
                    versionMin: WireLimits.version, versionMax: WireLimits.version)))
    }
}
