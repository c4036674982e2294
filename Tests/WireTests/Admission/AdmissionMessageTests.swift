import Primitives
import Testing
import Wire

/// PROOF, MEMBER, JOIN and GRANT, built by hand from Protocol/carrier.proto, then with one wrong field.
@Suite("Frames of admission")
struct AdmissionMessageTests {
    private static func zeros(_ count: Int) -> ProtobufFields.Value { .bytes([UInt8](repeating: 0, count: count)) }
    private static let proof = ProtobufFields([(1, zeros(32)), (2, .varint(1)), (4, .varint(3)), (5, .varint(4))])
    private static let member = ProtobufFields([(1, .varint(7)), (2, zeros(32))])
    private static let grant = ProtobufFields([
        (1, .bytes([UInt8](0..<16))), (2, .bytes(Array("crew".utf8))), (3, .varint(7)), (4, zeros(32)),
    ])

    private func parse(_ kind: UInt8, _ fields: ProtobufFields) throws(WireError) -> CarrierMessage {
        try CarrierMessage(parsing: [kind] + fields.encoded, isBeforeHello: true)
    }

    private func proof(form: UInt64, tags: [Int]) -> ProtobufFields {
        ProtobufFields(
            [(1, Self.zeros(32)), (2, .varint(form))] + tags.map { (3, Self.zeros($0)) }
                + [(4, .varint(3)), (5, .varint(4))])
    }

    private func join(_ step: UInt64, share: Int?, tag: Int?) -> ProtobufFields {
        let share = share.map { [(2, Self.zeros($0))] } ?? []
        let tag = tag.map { [(3, Self.zeros($0))] } ?? []
        return ProtobufFields([(1, .varint(step))] + share + tag)
    }

    @Test("have the layout of the protocol file")
    func layout() throws {
        let zeros = [UInt8](repeating: 0, count: 32)
        let open = CarrierMessage.admission(.proof(Proof(nonce: zeros, form: .open, versionMin: 3, versionMax: 4)))
        #expect(try parse(18, Self.proof) == open)
        #expect(open.encoded() == [18] + Self.proof.encoded)
        let member = CarrierMessage.admission(.member(MemberProof(epoch: 7, proof: zeros)))
        #expect(try parse(19, Self.member) == member)
        #expect(member.encoded() == [19] + Self.member.encoded)
        let answer = join(2, share: 32, tag: 64)
        let step = CarrierMessage.admission(.join(.answer(share: zeros, tag: zeros + zeros)))
        #expect(try parse(20, answer) == step)
        #expect(step.encoded() == [20] + answer.encoded)
        let id = MeshID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
        var granted = MeshGrant(mesh: id, name: "crew", epoch: 7, secret: zeros, codeKey: nil)
        #expect(try parse(21, Self.grant) == .admission(.grant(granted)))
        #expect(CarrierMessage.admission(.grant(granted)).encoded() == [21] + Self.grant.encoded)
        granted.codeKey = zeros
        #expect(try parse(21, Self.grant.with(5, Self.zeros(32))) == .admission(.grant(granted)))
    }

    @Test("a JOIN with a channel is about its code; it has both a channel pointer of 16 bytes and a number")
    func channels() throws {
        let zeros = [UInt8](repeating: 0, count: 32)
        let fields = join(2, share: 32, tag: 64).with(4, Self.zeros(16)).with(5, .varint(7))
        let message = CarrierMessage.channelJoin(
            ChannelJoin(
                channelPointer: [UInt8](repeating: 0, count: 16), run: 7,
                step: .answer(share: zeros, tag: zeros + zeros)))
        #expect(try parse(20, fields) == message)
        #expect(message.encoded() == [20] + fields.encoded)
        #expect(message.encoded().count <= 256)
        for count in [15, 17] {
            #expect(throws: WireError.malformed) { try parse(20, fields.with(4, Self.zeros(count))) }
        }
        #expect(throws: WireError.malformed) { try parse(20, join(1, share: 32, tag: nil).with(4, Self.zeros(16))) }
        #expect(throws: WireError.malformed) { try parse(20, join(1, share: 32, tag: nil).with(5, .varint(7))) }
    }

    @Test("of a PROOF carry tags if and only if the node is a member")
    func forms() throws {
        let tag = [UInt8](repeating: 0, count: 16)
        for count in 1...2 {
            let tags = [[UInt8]](repeating: tag, count: count)
            guard case .admission(.proof(let found)) = try parse(18, proof(form: 2, tags: tags.map(\.count))) else {
                Issue.record("not a PROOF")
                return
            }
            #expect(found.form == .member(tags: tags))
        }
        guard case .admission(.proof(let newcomer)) = try parse(18, proof(form: 3, tags: [])) else {
            Issue.record("not a PROOF")
            return
        }
        #expect(newcomer.form == .newcomer)
        for (form, tags) in [(2, []), (2, [16, 16, 16]), (2, [15]), (2, [16, 17]), (1, [16]), (3, [16]), (4, [16])] {
            #expect(throws: WireError.malformed) { try parse(18, proof(form: UInt64(form), tags: tags)) }
        }
        for form in [0, 5, 1 << 20] as [UInt64] {
            #expect(throws: WireError.unknownKind) { try parse(18, proof(form: form, tags: [])) }
        }
    }

    @Test("are refused without a field, or with one outside its range")
    func bounds() {
        let damaged: [(kind: UInt8, fields: ProtobufFields, error: WireError)] =
            [1, 2, 4, 5].map { (18, Self.proof.without($0), .malformed) } + [
                (18, Self.proof.with(1, Self.zeros(31)), .malformed),
                (18, Self.proof.with(4, .varint(0)), .outOfRange), (18, Self.proof.with(4, .varint(5)), .outOfRange),
                (19, Self.member.without(1), .malformed), (19, Self.member.without(2), .malformed),
                (19, Self.member.with(1, .varint(0)), .outOfRange),
                (19, Self.member.with(2, Self.zeros(33)), .malformed),
                (20, join(1, share: 31, tag: nil), .malformed), (20, join(1, share: nil, tag: nil), .malformed),
                (20, join(1, share: 32, tag: 64), .malformed), (20, join(2, share: 32, tag: nil), .malformed),
                (20, join(2, share: nil, tag: 64), .malformed), (20, join(2, share: 32, tag: 63), .malformed),
                (20, join(3, share: 32, tag: 64), .malformed), (20, join(3, share: nil, tag: nil), .malformed),
                (20, join(0, share: 32, tag: nil), .outOfRange), (20, join(4, share: nil, tag: 64), .outOfRange),
                (20, ProtobufFields([(2, Self.zeros(32))]), .malformed),
                (21, Self.grant.without(1), .malformed), (21, Self.grant.without(2), .malformed),
                (21, Self.grant.without(3), .malformed), (21, Self.grant.without(4), .malformed),
                (21, Self.grant.with(1, Self.zeros(15)), .malformed),
                (21, Self.grant.with(2, Self.zeros(65)), .oversized),
                (21, Self.grant.with(2, .bytes([0xFF])), .malformed),
                (21, Self.grant.with(3, .varint(0)), .outOfRange), (21, Self.grant.with(4, Self.zeros(33)), .malformed),
                (21, Self.grant.with(5, Self.zeros(31)), .malformed),
            ]
        for (kind, fields, error) in damaged {
            #expect(throws: error, "\(kind) \(fields)") { try parse(kind, fields) }
        }
    }
}
