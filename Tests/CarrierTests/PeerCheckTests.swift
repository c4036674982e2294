import Carrier
import NIOSSL
import Testing

@Suite("Peer check")
struct PeerCheckTests {
    @Test("a handshake in which nobody asked for the certificate proves nothing")
    func skipped() throws {
        let (own, peer) = (
            try CarrierIdentity(seed: CarrierRig.freshKey()), try CarrierIdentity(seed: CarrierRig.freshKey())
        )
        let check = PeerCheck(own: own.node, expected: nil)
        #expect(throws: PeerCheck.Refusal.skipped) {
            try check.confirmed(
                certificate: peer.certificate, version: .tlsv13, applicationProtocol: "partyline/2")
        }
    }

    @Test("the certificate of a key is the same at every start, and its NodeID is that of the SPKI")
    func stable() throws {
        let key = CarrierRig.freshKey()
        let (first, second) = (try CarrierIdentity(seed: key), try CarrierIdentity(seed: key))
        #expect(first.node == second.node)
        let spki = try first.certificate.extractPublicKey().toSPKIBytes()
        #expect(Ed25519Key.node(ofSPKI: spki) == first.node)
        #expect(spki.count == 44)
    }

    @Test("an SPKI of another length or algorithm has no NodeID")
    func otherKeys() {
        let good = Ed25519Key.spkiPrefix + [UInt8](repeating: 1, count: 32)
        #expect(Ed25519Key.node(ofSPKI: good) != nil)
        #expect(Ed25519Key.node(ofSPKI: good + [0]) == nil)
        #expect(Ed25519Key.node(ofSPKI: Array(good.dropLast())) == nil)
        for index in Ed25519Key.spkiPrefix.indices {
            var bad = good
            bad[index] ^= 1
            #expect(Ed25519Key.node(ofSPKI: bad) == nil)
        }
    }
}
