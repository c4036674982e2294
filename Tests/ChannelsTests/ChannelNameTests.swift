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

@Suite("Bounds of channel names, and their ids")
struct ChannelNameBoundsTests {
    /// Computed with Python's `hashlib`.
    @Test(
        "an id is the first 16 bytes of SHA-256 over label, mesh id and the folded name",
        arguments: [
            ("partyline", " MAIN", 0xC98C_9A82_DC38_139E, 0xCD99_2975_1B51_BE4C),
            ("studio 2", "Küche", 0x204B_2ECD_6BA5_E9B1, 0x0415_539F_24CB_BC31),
        ] as [(String, String, UInt64, UInt64)])
    func id(_ mesh: String, _ name: String, _ high: UInt64, _ low: UInt64) throws {
        let sealing = try CryptoSealing(privateKey: [UInt8](repeating: 1, count: 32), randomBytes: { _ in [] })
        let name = try #require(ChannelName(name))
        let meshID = MeshID(ofOpenMesh: mesh, sealing: sealing)
        #expect(ChannelID(of: name, in: meshID, sealing: sealing) == ChannelID(high: high, low: low))
    }

    @Test("a name has 24 characters and 96 bytes at most: a longer one is none, and is not cut")
    func limits() {
        func isName(_ text: String) -> Bool { ChannelName(text)?.description == text }
        #expect(isName("a") && isName(String(repeating: "a", count: 24)))
        #expect(ChannelName(String(repeating: "a", count: 25)) == nil)
        #expect(isName(String(repeating: "😀", count: 24)))
        // 23 characters of four bytes and one of five.
        #expect(ChannelName(String(repeating: "😀", count: 23) + "山\u{301}") == nil)
        #expect(isName(String(repeating: "😀", count: 22) + "山\u{301}"))
    }

    @Test("a channel with a code is another one than that of the same name without, and is written with a mark")
    func coded() throws {
        let sealing = try CryptoSealing(privateKey: [UInt8](repeating: 1, count: 32), randomBytes: { _ in [] })
        let (open, coded) = (try #require(ChannelName("Lights")), try #require(ChannelName("Lights", hasCode: true)))
        #expect(open != coded && coded == ChannelName("lights", hasCode: true))
        #expect(open.description == "Lights" && coded.description == "code:Lights")
        #expect(ChannelName("CODE:lights") == nil && ChannelName("code:x", hasCode: true) == nil)
        #expect(ChannelName.unmarked("Code:lights") == "lights" && ChannelName.unmarked("lights") == nil)
        let meshID = MeshID(ofOpenMesh: "partyline", sealing: sealing)
        let ids = [open, coded].map { ChannelID(of: $0, in: meshID, sealing: sealing) }
        #expect(ids.map(\.hasCode) == [false, true] && ids[0].bytes != ids[1].bytes)
        // An id from the network is never that of a channel with a code.
        #expect(ChannelID(bytes: ids[1].bytes) != ids[1])
    }

    @Test(
        "no name begins with what looks like the mark, with a code or without",
        arguments: [
            "code：x", "соde:x", "CОDЕ:x", "code:\u{323}x", "cọde:x", "ｃｏｄｅ:x", "𝐜𝐨𝐝𝐞:x", "c0de:x", "code :x", "code∶x",
            "ⅽoⅾe꞉x", "ᴄᴏᴅᴇ:x", "ꓚꓳꓓꓰꓽx", "codeꓽx", "code\u{1803}x", "code\u{1809}x", "ⲥⲟde:x", "ⲤⲞDE:x", "ꮯodꭼ:x",
            "ᏟOᎠᎬ:x", "c၀de:x", "c\u{966}de:x", "c〇de:x", "cσᑯe:x", "𝐂𝐎𝐃𝐄:x", "ℂode:x", "c𝛐d𝚬:x",
            "\u{10415}\u{10404}de:x",
        ])
    func lookalikes(_ text: String) {
        #expect(ChannelName(text) == nil && ChannelName(text, hasCode: true) == nil)
    }

    @Test(
        "other names with such letters or colons stand",
        arguments: [
            "cue: lights", "codes: x", "code", "code lights", "ode:x", "Bühne：灯", "ac:code:x", "舞台∶code", "ꓚꓳꓓꓰ x",
            "ꮯue: x", "c1de:x",
        ])
    func likeNoMark(_ text: String) {
        #expect(ChannelName(text) != nil)
    }

    @Test("names that fold alike are one, and only these")
    func equality() throws {
        let names = try ["Main", "MAIN ", "stage"].map { try #require(ChannelName($0)) }
        #expect(names[0] == names[1] && names[0] != names[2])
        #expect(Set(names).count == 2)
        #expect(names[0].hashValue == names[1].hashValue && names[0].hashValue != names[2].hashValue)
        #expect(names[0].text.string == "Main" && names[0].folded == "main")
    }
}
