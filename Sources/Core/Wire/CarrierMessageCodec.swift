import Primitives
import SwiftProtobuf

/// A frame is a kind byte, then a message of Protocol/carrier.proto; DATAGRAM, TUNNEL and WORDS have layouts of their
/// own.
/// The shell handles the length before the frame.
extension CarrierMessage {
    /// - Precondition: every list and text is within its limit in `WireLimits`.
    package func encoded() -> [UInt8] {
        let frame =
            switch self {
            case .hello(let hello): CarrierMessage.frame(.hello, PBHello(hello))
            case .invite(let invite): CarrierMessage.frame(.invite, PBInvite(invite))
            case .accept(let accept): CarrierMessage.frame(.accept, PBAccept(accept))
            case .decline(let reason): CarrierMessage.frame(.decline, PBDecline(reason))
            case .refuse(let reason, let retryAfter):
                CarrierMessage.frame(.refuse, PBRefuse(reason, retryAfterMilliseconds: retryAfter))
            case .connectRequest(let connectRequest):
                CarrierMessage.frame(.connectRequest, PBConnectRequest(connectRequest))
            case .mediaKey(let offer): CarrierMessage.frame(.mediaKey, PBMediaKeyOffer(offer))
            case .mediaKeyAnswer(let offer): CarrierMessage.frame(.mediaKeyAnswer, PBMediaKeyOffer(offer))
            case .mediaKeyConfirm(let generation):
                CarrierMessage.frame(.mediaKeyConfirm, PBMediaKeyConfirm(generation: generation))
            case .channels(let channels, let talks, let generation):
                CarrierMessage.frame(.channels, PBChannels(channels, talks: talks, generation: generation))
            case .records(let records): CarrierMessage.frame(.records, PBRecords(records))
            case .recordVersions(let versions): CarrierMessage.frame(.recordVersions, PBRecordVersions(versions))
            case .linkStates(let entries, let generation):
                CarrierMessage.frame(.linkStates, PBLinkStates(entries, generation: generation))
            case .leave: CarrierMessage.frame(.leave, PBLeave())
            case .datagram(let datagram): [FrameKind.datagram.rawValue] + datagram
            case .tunnel(let tunnel): [FrameKind.tunnel.rawValue] + tunnel.encoded()
            case .table(.summary(let summary)): CarrierMessage.frame(.tableSummary, PBTableSummary(summary))
            case .table(.entries(let entries)): CarrierMessage.frame(.tableEntries, PBTableEntries(entries))
            case .call(.call(let call)): CarrierMessage.frame(.call, PBCall(call))
            case .call(.request(let request)): CarrierMessage.frame(.request, PBRequest(request))
            case .call(.answer(let id, let answer)): CarrierMessage.frame(.answer, PBAnswer(id, answer))
            case .admission(.proof(let proof)): CarrierMessage.frame(.proof, PBProof(proof))
            case .admission(.member(let member)): CarrierMessage.frame(.member, PBMember(member))
            case .admission(.join(let step)): CarrierMessage.frame(.join, PBJoin(step))
            case .admission(.grant(let grant)): CarrierMessage.frame(.grant, PBGrant(grant))
            case .channelJoin(let join): CarrierMessage.frame(.join, PBJoin(join))
            case .epoch(let grant): CarrierMessage.frame(.epoch, PBEpoch(grant))
            case .words(let step): [FrameKind.words.rawValue] + step.encoded()
            }
        precondition(frame.count <= WireLimits.carrierFrameBytesMax, "a frame of \(frame.count) bytes")
        return frame
    }

    /// - Parameter isBeforeHello: true until the peer's HELLO is accepted; until then a frame has at most
    ///   `WireLimits.carrierFrameBytesBeforeHelloMax` bytes.
    /// - Throws: `oversized` for a frame above its limit, `truncated` for an empty one, `unknownKind` for an unknown
    ///   kind byte or reason, otherwise the first error of a field.
    package init(parsing frame: [UInt8], isBeforeHello: Bool) throws(WireError) {
        let bytesMax =
            isBeforeHello ? WireLimits.carrierFrameBytesBeforeHelloMax : WireLimits.carrierFrameBytesMax
        guard frame.count <= bytesMax else { throw .oversized }
        guard let first = frame.first else { throw .truncated }
        guard let kind = FrameKind(rawValue: first) else { throw .unknownKind }
        guard frame.count <= kind.bytesMax else { throw .oversized }
        let body = frame.dropFirst()
        switch kind {
        case .hello: self = .hello(try Hello(CarrierMessage.message(body)))
        case .invite: self = .invite(try Invite(CarrierMessage.message(body)))
        case .accept: self = .accept(try Accept(CarrierMessage.message(body)))
        case .decline: self = .decline(try CarrierMessage.message(body, PBDecline.self).checked())
        case .refuse:
            let (reason, retryAfter) = try CarrierMessage.message(body, PBRefuse.self).checked()
            self = .refuse(reason, retryAfterMilliseconds: retryAfter)
        case .connectRequest: self = .connectRequest(try SignedConnectRequest(CarrierMessage.message(body)))
        case .mediaKey: self = .mediaKey(try MediaKeyOffer(CarrierMessage.message(body)))
        case .mediaKeyAnswer: self = .mediaKeyAnswer(try MediaKeyOffer(CarrierMessage.message(body)))
        case .mediaKeyConfirm:
            self = .mediaKeyConfirm(generation: try CarrierMessage.message(body, PBMediaKeyConfirm.self).checked())
        case .channels:
            let (channels, talks, generation) = try CarrierMessage.message(body, PBChannels.self).checked()
            self = .channels(channels, talks: talks, generation: generation)
        case .records: self = .records(try CarrierMessage.message(body, PBRecords.self).checked())
        case .recordVersions:
            self = .recordVersions(try CarrierMessage.message(body, PBRecordVersions.self).checked())
        case .linkStates:
            let (entries, generation) = try CarrierMessage.message(body, PBLinkStates.self).checked()
            self = .linkStates(entries, generation: generation)
        case .leave:
            _ = try CarrierMessage.message(body, PBLeave.self)
            self = .leave
        case .datagram:
            guard !body.isEmpty else { throw .truncated }
            guard body.count <= WireLimits.datagramBytesMax else { throw .oversized }
            self = .datagram(Array(body))
        case .tunnel: self = .tunnel(try TunnelFrame(parsing: Array(body)))
        case .tableSummary:
            self = .table(.summary(try CarrierMessage.message(body, PBTableSummary.self).checked()))
        case .tableEntries:
            self = .table(.entries(try CarrierMessage.message(body, PBTableEntries.self).checked()))
        case .call: self = .call(.call(try CarrierMessage.message(body, PBCall.self).checked()))
        case .request: self = .call(.request(try CarrierMessage.message(body, PBRequest.self).checked()))
        case .answer:
            let (id, answer) = try CarrierMessage.message(body, PBAnswer.self).checked()
            self = .call(.answer(id, answer))
        case .proof: self = .admission(.proof(try Proof(CarrierMessage.message(body))))
        case .member: self = .admission(.member(try MemberProof(CarrierMessage.message(body))))
        case .join: self = try CarrierMessage.message(body, PBJoin.self).checked()
        case .grant: self = .admission(.grant(try MeshGrant(CarrierMessage.message(body))))
        case .epoch: self = .epoch(try EpochGrant(CarrierMessage.message(body)))
        case .words: self = .words(try WordStep(parsing: Array(body)))
        }
    }

    /// Reasons that a peer may give in a REFUSE without a HELLO before it.
    package static let reasonsBeforeHello: [RefusalReason] = [
        .otherMesh, .version, .full, .coolingDown, .offLink, .noProof, .wrongCode,
    ]

    private static func frame(_ kind: FrameKind, _ message: some SwiftProtobuf.Message) -> [UInt8] {
        do {
            let body: [UInt8] = try message.serializedBytes()
            return [kind.rawValue] + body
        } catch {
            preconditionFailure("an own message does not serialise: \(error)")
        }
    }

    /// Parses a message. Drops unknown fields, because kept ones multiply the memory that a hostile frame costs.
    /// - Throws: `truncated`, `oversized` for a nesting deeper than `WireLimits.protobufDepthMax`, or `malformed`.
    private static func message<M: SwiftProtobuf.Message>(
        _ body: ArraySlice<UInt8>, _ type: M.Type = M.self
    ) throws(WireError) -> M {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = WireLimits.protobufDepthMax
        options.discardUnknownFields = true
        do {
            return try M(serializedBytes: Array(body), options: options)
        } catch BinaryDecodingError.truncated {
            throw .truncated
        } catch BinaryDecodingError.messageDepthLimit {
            throw .oversized
        } catch {
            throw .malformed
        }
    }
}

/// Splitting of RECORDS frames before they are handled.
extension CarrierMessage {
    /// Splits an encoded RECORDS frame into frames of one record each, in the same order: a signature takes 0.1 ms to
    /// check, and voice need not wait for 16 of them. Returns any other frame unchanged, and also a RECORDS frame
    /// with an unexpected encoding or with more than `WireLimits.recordsPerFrameMax` records.
    package static func singly(_ frame: [UInt8]) -> [[UInt8]] {
        guard FrameKind(of: frame) == .records else { return [frame] }
        var pieces: [[UInt8]] = []
        var place = 1
        while place < frame.count {
            guard pieces.count < WireLimits.recordsPerFrameMax, let end = endOfField(in: frame, at: place) else {
                return [frame]
            }
            pieces.append([frame[0]] + frame[place..<end])
            place = end
        }
        return pieces.isEmpty ? [frame] : pieces
    }

    /// Returns the end of the field of `repeated SignedRecord records = 1` that begins at `start` (protobuf,
    /// "Length-delimited records"); nil if no such field begins there, or if it is incomplete.
    private static func endOfField(in frame: [UInt8], at start: Int) -> Int? {
        guard frame[start] == recordsTag else { return nil }
        var (place, length, shift) = (start + 1, 0, 0)
        while place < frame.count, shift < lengthBitsMax {
            let byte = frame[place]
            length |= Int(byte & 0x7F) << shift
            (place, shift) = (place + 1, shift + 7)
            guard byte & 0x80 == 0 else { continue }
            return length <= frame.count - place ? place + length : nil
        }
        return nil
    }

    /// Tag byte of field 1, length-delimited.
    private static let recordsTag: UInt8 = 0x0A
    /// Bits that a length in base 128 may have: more than any frame needs.
    private static let lengthBitsMax = 28
}
