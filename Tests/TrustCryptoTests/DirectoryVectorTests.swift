import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

/// Entries of the channel directory that were made from docs/WIRE.md by other code.
@Suite("Vectors of directory entries")
struct DirectoryVectorTests {
    private let values: [String: [UInt8]]
    private let sealing = Provider.real.make(1)
    private let mesh: MeshID

    init() throws {
        values = try VectorFile.values("directory.hex")
        mesh = MeshID(ofOpenMesh: "partyline", sealing: sealing)
    }

    private func value(_ name: String) throws -> [UInt8] { try #require(values[name]) }

    private func sealing(_ name: String) throws -> CryptoSealing {
        try CryptoSealing(privateKey: value(name), randomBytes: { [UInt8](repeating: 0, count: $0) })
    }

    @Test("are genuine, and have the fields of the document")
    func fields() throws {
        let (creator, editor) = (try sealing("creator_secret"), try sealing("editor_secret"))
        let live = try SignedChannelEntry(parsing: value("live"))
        let deleted = try SignedChannelEntry(parsing: value("deleted"))
        #expect(live.isGenuine(in: mesh, known: nil, with: sealing))
        #expect(deleted.isGenuine(in: mesh, known: nil, with: sealing))
        #expect(deleted.isGenuine(in: mesh, known: live, with: sealing))
        #expect(mesh.bytes == values["mesh_id"])
        #expect(live.birth == deleted.birth && live.birth.channel.bytes == values["channel"])
        #expect(live.birth.name.string == "Lights" && live.birth.epoch == 0 && live.birth.created == 1_800_000_000)
        #expect(live.birth.creator == creator.publicKey && live.isByCreator && live.state.isLive)
        let renamed = try #require(ChannelID(bytes: try value("renamed")))
        #expect(deleted.state.form == .deleted(now: renamed) && deleted.state.editor == editor.publicKey)
        #expect(!deleted.isByCreator && deleted.state.epoch == 1 && deleted.state.version == 2)
        #expect(deleted.state.flags.rawValue == 0xC1 && deleted.state.changed == 1_800_000_100)
        #expect(deleted.state.extensions[RecordExtensionKind(number: 0x7E)] == [1, 2, 3])
    }

    @Test("are what these nodes would sign")
    func signing() throws {
        let (creator, editor) = (try sealing("creator_secret"), try sealing("editor_secret"))
        let live = try SignedChannelEntry(parsing: value("live"))
        let deleted = try SignedChannelEntry(parsing: value("deleted"))
        let own = SignedChannelEntry(birth: live.birth, state: live.state, in: mesh, with: creator)
        #expect(own == live)
        #expect(own.changed(to: deleted.state, in: mesh, with: editor) == deleted)
    }

    @Test("are not genuine once any byte differs that can be read, nor in another mesh")
    func forged() throws {
        let good = try value("deleted")
        for place in good.indices {
            var changed = good
            changed[place] ^= 0x01
            guard let entry = try? SignedChannelEntry(parsing: changed) else { continue }
            #expect(!entry.isGenuine(in: mesh, known: nil, with: sealing), "byte \(place)")
        }
        let other = MeshID(ofOpenMesh: "other", sealing: sealing)
        #expect(try !SignedChannelEntry(parsing: good).isGenuine(in: other, known: nil, with: sealing))
    }

    @Test("give the keyed hashes of the document")
    func hashes() throws {
        let (entry, nonces) = (try value("deleted"), try value("nonces"))
        let message = [3, 0] + [UInt8](repeating: 0, count: 16) + sealing.hash(entry)
        #expect(sealing.keyedHash(message, key: nonces).prefix(8) == ArraySlice(try value("digest")))
        let hash = Array(sealing.keyedHash(entry, key: nonces).prefix(8))
        #expect(try value("channel") + [UInt8](repeating: 0, count: 8) + hash == value("item"))
        // RFC 4231, test case 2.
        let rfc = sealing.keyedHash(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(Array(rfc.prefix(4)) == [0x5B, 0xDC, 0xC1, 0x46])
    }
}
