import Mesh
import MeshTestKit
import Primitives
import Testing

@Suite("The recording flag of a peer")
struct RecordingCourtesyTests {
    private func news(_ member: Int, by pair: MeshPair) -> [Bool] {
        pair.cluster.events(member).compactMap { event in
            if case .peerRecording(_, _, let isRecording) = event { isRecording } else { nil }
        }
    }

    @Test("a peer learns at once that it is recorded, and that the recording has ended")
    func reported() {
        let pair = MeshPair.linked()
        pair.cluster.command(0, .setRecording(true))
        pair.cluster.drive(for: .milliseconds(50))
        #expect(news(1, by: pair) == [true])
        #expect(pair.cluster.status(1).peers.map(\.isRecording) == [true])
        pair.cluster.command(0, .setRecording(false))
        pair.cluster.drive(for: .milliseconds(50))
        #expect(news(1, by: pair) == [true, false])
        #expect(news(0, by: pair) == [])
    }

    @Test("a peer that leaves while it records is reported as no longer recording")
    func left() {
        let pair = MeshPair.linked()
        pair.cluster.command(0, .setRecording(true))
        pair.cluster.drive(for: .milliseconds(50))
        pair.cluster.command(0, .leave)
        pair.cluster.drive(for: .milliseconds(50))
        #expect(news(1, by: pair) == [true, false])
    }
}
