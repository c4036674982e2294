/// A protobuf message built by hand, so that tests can omit fields or set them wrong, and so that the generated code is
/// compared with another encoder.
struct ProtobufFields {
    enum Value {
        case varint(UInt64)
        case fixed32(UInt32)
        case fixed64(UInt64)
        case bytes([UInt8])
    }

    private var fields: [(number: Int, value: Value)]

    init(_ fields: [(number: Int, value: Value)]) { self.fields = fields }

    func without(_ number: Int) -> ProtobufFields { ProtobufFields(fields.filter { $0.number != number }) }

    /// The fields with this value replaced, or added if the field was absent.
    func with(_ number: Int, _ value: Value) -> ProtobufFields {
        ProtobufFields((without(number).fields + [(number, value)]).sorted { $0.number < $1.number })
    }

    var encoded: [UInt8] {
        fields.flatMap { number, value -> [UInt8] in
            switch value {
            case .varint(let integer): [UInt8(number << 3)] + ProtobufFields.varint(integer)
            case .fixed64(let integer):
                [UInt8(number << 3 | 1)] + (0..<8).map { UInt8(truncatingIfNeeded: integer >> UInt64(8 * $0)) }
            case .bytes(let bytes): [UInt8(number << 3 | 2)] + ProtobufFields.varint(UInt64(bytes.count)) + bytes
            case .fixed32(let integer):
                [UInt8(number << 3 | 5)] + (0..<4).map { UInt8(truncatingIfNeeded: integer >> UInt32(8 * $0)) }
            }
        }
    }

    private static func varint(_ integer: UInt64) -> [UInt8] {
        integer < 128 ? [UInt8(integer)] : [UInt8(integer & 127 | 128)] + varint(integer >> 7)
    }
}
