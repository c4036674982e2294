/// A frame's first byte (docs/WIRE.md, "Carrier frames").
package enum FrameKind: UInt8 {
    case hello = 1
    case invite = 2
    case accept = 3
    case decline = 4
    case refuse = 5
    case connectRequest = 6
    case mediaKey = 7
    case mediaKeyAnswer = 8
    case mediaKeyConfirm = 9
    case channels = 10
    case records = 11
    case recordVersions = 12
    case linkStates = 13
    case leave = 14
    case datagram = 15
    case tunnel = 16
    case proof = 18
    case member = 19
    case join = 20
    case grant = 21
    case epoch = 22
    case tableSummary = 23
    case tableEntries = 24
    case call = 25
    case request = 26
    case answer = 27
    case words = 32

    /// The kind of an encoded frame, by its first byte alone; nil if no kind has that number.
    package init?(of frame: [UInt8]) {
        guard let first = frame.first, let kind = FrameKind(rawValue: first) else { return nil }
        self = kind
    }

    /// The most bytes of a frame of this kind, with its kind byte, so that a larger frame is never parsed.
    var bytesMax: Int {
        switch self {
        case .hello, .connectRequest: 2 * WireLimits.carrierFrameBytesBeforeHelloMax
        case .invite, .accept, .decline, .refuse, .mediaKey, .mediaKeyAnswer, .mediaKeyConfirm, .leave:
            WireLimits.carrierFrameBytesBeforeHelloMax
        case .channels: WireLimits.channelsBytesMax
        case .linkStates: WireLimits.linkStatesMax * WireLimits.listEntryBytesMax
        case .tableSummary: 20_480
        case .tableEntries: 49_152
        case .call: 1_024
        case .member: 128
        case .request, .answer, .proof, .join: 256
        case .grant: 512
        case .epoch: WireLimits.epochFrameBytesMax
        case .words: 1 + WordStep.bytesMax
        case .datagram, .tunnel, .records, .recordVersions: WireLimits.carrierFrameBytesMax
        }
    }
}
