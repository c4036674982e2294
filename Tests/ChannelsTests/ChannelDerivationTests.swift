import Channels
import Primitives
import Testing
import Trust
import TrustCrypto

@Suite("Channel names and ids")
struct ChannelDerivationTests {
    private let sealing = TransparentSealing(seed: 1)

    private func id(_ name: String, _ mesh: String = "partyline") throws -> ChannelID {
        ChannelID(
            of: try #require(ChannelName(name)), in: MeshID(ofOpenMesh: mesh, sealing: sealing), sealing: sealing)
    }

    @Test("case and white space around a name make no other channel", arguments: ["main", "MAIN", "  Main ", "mAiN\n"])
    func folding(_ name: String) throws {
        #expect(try id(name) == id("main"))
        #expect(ChannelName(name) == ChannelName("main"))
    }

    @Test("another name or another mesh is another channel")
    func different() throws {
        #expect(try id("main") != id("stage"))
        #expect(try id("main", "a") != id("main", "b"))
        // The border between mesh and name counts.
        #expect(try id("bc", "a") != id("c", "ab"))
    }

    @Test(
        "a name that is empty, invisible or too long is none",
        arguments: ["", "   ", "\u{200B}", String(repeating: "a", count: 25)])
    func refused(_ name: String) {
        #expect(ChannelName(name) == nil)
    }
}
