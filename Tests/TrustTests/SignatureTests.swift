import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Signatures of records and connect requests")
struct SignatureTests {
    private func record(of node: NodeID, sequence: UInt32 = 2) -> NodeRecord {
        NodeRecord(
            node: node, instance: .max, bootNonce: BootNonce(number: 1), sequence: sequence, endpoints: [],
            profile: NodeProfile(name: SafeText("Ana")), isLeaving: false)
    }

    @Test("cover the bytes in the document")
    func layout() throws {
        let (ana, ben) = (NotingSealing(seed: 1), NotingSealing(seed: 2))
        let signed = SignedRecord(signing: record(of: ana.nodeID), with: ana)
        let connectRequest = SignedConnectRequest(from: signed, to: ben.nodeID, sequence: 0x0102_0304, with: ana)
        #expect(signed.publicKey == ana.publicKey && signed.body == record(of: ana.nodeID).encoded())
        #expect(
            ana.signed == [
                Array("partyline/1 record\0".utf8) + signed.body,
                Array("partyline/1 knock\0".utf8) + ben.nodeID.bytes + [1, 2, 3, 4] + signed.body,
            ])
        #expect(try signed.verified(with: ben) == record(of: ana.nodeID))
        #expect(try connectRequest.verified(with: ben) == record(of: ana.nodeID))
    }

    @Test("are refused if the record is another node's, was changed, or has other sizes")
    func records() {
        let (ana, eve) = (NotingSealing(seed: 1), NotingSealing(seed: 3))
        let good = SignedRecord(signing: record(of: ana.nodeID), with: ana)
        let body = record(of: ana.nodeID, sequence: 3).encoded()
        let signature = eve.signature(over: Array("partyline/1 record\0".utf8) + body)
        let ofAna = SignedRecord(publicKey: eve.publicKey, body: body, signature: signature)
        #expect(throws: WireError.forged) { try ofAna.verified(with: ana) }
        #expect(throws: WireError.forged) {
            try SignedRecord(publicKey: ana.publicKey, body: body, signature: signature).verified(with: ana)
        }
        #expect(throws: WireError.forged) {
            try SignedRecord(publicKey: ana.publicKey, body: body, signature: good.signature).verified(with: ana)
        }
        #expect(throws: WireError.malformed) {
            try SignedRecord(publicKey: ana.publicKey, body: [], signature: good.signature).verified(with: ana)
        }
        var cut = good
        cut.signature.removeLast()
        #expect(throws: WireError.malformed) { try cut.verified(with: ana) }
    }

    @Test("cover the extensions of a record, also those of unknown kinds")
    func extensions() throws {
        let (ana, ben) = (NotingSealing(seed: 1), NotingSealing(seed: 2))
        var newer = record(of: ana.nodeID)
        newer.extensions[RecordExtensionKind(number: 200)] = [1, 2, 3]
        let signed = SignedRecord(signing: newer, with: ana)
        #expect(try signed.verified(with: ben) == newer)
        for place in signed.body.count - 6..<signed.body.count {
            var changed = signed
            changed.body[place] ^= 1
            #expect(throws: WireError.forged) { try changed.verified(with: ben) }
        }
        var shorter = signed
        shorter.body = record(of: ana.nodeID).encoded()
        #expect(throws: WireError.forged) { try shorter.verified(with: ben) }
    }

    @Test("of connect requests are valid for one leader, one sequence and one record")
    func connectRequests() {
        let (ana, ben) = (NotingSealing(seed: 1), NotingSealing(seed: 2))
        let signed = SignedRecord(signing: record(of: ana.nodeID), with: ana)
        let good = SignedConnectRequest(from: signed, to: ben.nodeID, sequence: 1, with: ana)
        let later = SignedRecord(signing: record(of: ana.nodeID, sequence: 3), with: ana)
        let changes: [@Sendable (inout SignedConnectRequest) -> Void] = [
            { $0.leader = NodeID(words: (1, 2, 3, 4)) }, { $0.sequence = 2 }, { $0.record = later },
            { $0.signature = signed.signature },
        ]
        for change in changes {
            var changed = good
            change(&changed)
            #expect(throws: WireError.forged) { try changed.verified(with: ben) }
        }
    }
}
