import Primitives

/// The fields of CALL, REQUEST and ANSWER, checked one by one. A target, a request or an answer of another number
/// counts as an unknown kind of frame, so that a newer node may send it.

private enum TargetNumber {
    static let receiver: UInt32 = 0
    static let channel: UInt32 = 1
    static let all: UInt32 = 2
}

private let closeMicrophone: UInt32 = 1
private let urgent: UInt32 = 1

extension PBCall {
    init(_ call: CallFrame) {
        precondition(
            WireLimits.callMilliseconds.contains(call.expiresMilliseconds), "a call of \(call.expiresMilliseconds) ms")
        self.init()
        id = call.id.number
        switch call.target {
        case .receiver: target = TargetNumber.receiver
        case .channel(let id): (target, channel) = (TargetNumber.channel, id.bytesOnWire.field)
        case .all: target = TargetNumber.all
        }
        text = call.text.string
        expiresMilliseconds = call.expiresMilliseconds
        emphasis = call.isUrgent ? urgent : 0
    }

    func checked() throws(WireError) -> CallFrame {
        guard hasID, hasTarget, hasExpiresMilliseconds, hasEmphasis else { throw .malformed }
        guard text.utf8.count <= WireLimits.callTextBytesMax else { throw .oversized }
        let target: CallTarget =
            switch target {
            case TargetNumber.receiver: .receiver
            case TargetNumber.channel: .channel(try ChannelID(field: channel.array))
            case TargetNumber.all: .all
            default: throw .unknownKind
            }
        let bounds = WireLimits.callMilliseconds
        return CallFrame(
            id: CallID(number: id), target: target,
            text: SafeText(
                text, graphemesMax: WireLimits.callTextGraphemesMax, bytesMax: WireLimits.callTextBytesMax),
            expiresMilliseconds: min(bounds.upperBound, max(bounds.lowerBound, expiresMilliseconds)),
            isUrgent: emphasis == urgent)
    }
}

extension PBRequest {
    init(_ request: RequestFrame) {
        self.init()
        id = request.id.number
        what = closeMicrophone
        channel = request.channel.bytesOnWire.field
        subject = request.subject.bytes.field
    }

    func checked() throws(WireError) -> RequestFrame {
        guard hasID, hasWhat, let subject = NodeID(subject.array) else { throw .malformed }
        guard what == closeMicrophone else { throw .unknownKind }
        return RequestFrame(id: CallID(number: id), channel: try ChannelID(field: channel.array), subject: subject)
    }
}

extension PBAnswer {
    init(_ id: CallID, _ answer: CallAnswer) {
        self.init()
        self.id = id.number
        self.answer = UInt32(answer.rawValue)
    }

    func checked() throws(WireError) -> (CallID, CallAnswer) {
        guard hasID, hasAnswer else { throw .malformed }
        guard let raw = UInt8(exactly: answer), let answer = CallAnswer(rawValue: raw) else { throw .unknownKind }
        return (CallID(number: id), answer)
    }
}

extension ChannelID {
    fileprivate init(field: [UInt8]) throws(WireError) {
        guard let channel = ChannelID(bytes: field) else { throw .malformed }
        self = channel
    }
}
