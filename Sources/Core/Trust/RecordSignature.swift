package import Primitives
package import Wire

extension SignedRecord {
    /// Signs `record` with the provider's key.
    package init(signing record: NodeRecord, with sealing: any Sealing) { fatalError() }

    /// The record, if its signature is good and its NodeID is that of its key. Verifies before it
    /// parses anything beyond sizes.
    package func verified(with sealing: any Sealing) throws(WireError) -> NodeRecord { fatalError() }
}

extension SignedKnock {
    package init(from record: SignedRecord, to leader: NodeID, sequence: UInt32, with sealing: any Sealing) { fatalError() }
    /// The knocker's record, if both signatures are good.
    package func verified(with sealing: any Sealing) throws(WireError) -> NodeRecord { fatalError() }
}
