import Testing
import Wire

@Suite("Steps of a comparison of words")
struct WordStepTests {
    private let bytes = [UInt8](repeating: 7, count: 32)

    @Test("a step is a number and 32 bytes, and is read back")
    func layout() throws {
        for (number, step) in [WordStep.commit(bytes), .answer(bytes), .open(bytes)].enumerated() {
            #expect(step.encoded() == [UInt8(number)] + bytes)
            let frame = CarrierMessage.words(step).encoded()
            #expect(frame == [32] + step.encoded())
            #expect(try CarrierMessage(parsing: frame, isBeforeHello: false) == .words(step))
        }
    }

    @Test("another length or number is refused")
    func wrong() {
        let wrong: [([UInt8], WireError)] = [
            ([], .truncated), ([0], .truncated), ([0] + bytes.dropLast(), .truncated), ([0] + bytes + [1], .oversized),
            ([3] + bytes, .unknownKind), ([255] + bytes, .unknownKind),
        ]
        for (bytes, error) in wrong {
            #expect(throws: error) { try WordStep(parsing: bytes) }
        }
    }
}
