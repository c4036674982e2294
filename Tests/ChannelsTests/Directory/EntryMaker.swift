import Channels
import Primitives
import Trust
import Wire

/// Makes entries with any fields, signed by the nodes that they name.
struct EntryMaker {
    static let nowSeconds: UInt64 = 1_800_000_000

    let mesh: MeshID
    let sealings: [TransparentSealing]

    init(people: Int = 3) {
        sealings = (0..<people).map { TransparentSealing(seed: UInt64(900 + $0)) }
        mesh = MeshID(ofOpenMesh: "test", sealing: sealings[0])
    }

    /// One entry. `creator` and `editor` are numbers of people.
    struct Fields {
        var name = "lights"
        var creator = 0
        var birthEpoch: UInt16 = 0
        var created = EntryMaker.nowSeconds
        var editor = 0
        var epoch: UInt16 = 0
        var version: UInt16 = 1
        var form = ChannelState.Form.live
        var flags: UInt8 = 0
        var isClaim = false
        var changed = EntryMaker.nowSeconds
    }

    func id(_ name: String) -> ChannelID {
        guard let name = ChannelName(name) else { preconditionFailure("a bad name in a test") }
        return ChannelID(of: name, in: mesh, sealing: sealings[0])
    }

    func signed(_ fields: Fields) -> SignedChannelEntry {
        let (creator, editor) = (sealings[fields.creator], sealings[fields.editor])
        let birth = ChannelBirth(
            channel: id(fields.name), epoch: fields.birthEpoch, created: fields.created, creator: creator.publicKey,
            name: SafeText(fields.name), isClaim: fields.isClaim)
        let first = ChannelState(
            epoch: fields.birthEpoch, version: 1, form: .live, flags: [], changed: fields.changed,
            editor: creator.publicKey)
        let state = ChannelState(
            epoch: max(fields.epoch, fields.birthEpoch), version: fields.version, form: fields.form,
            flags: ChannelFlags(rawValue: fields.flags), changed: fields.changed, editor: editor.publicKey)
        return SignedChannelEntry(birth: birth, state: first, in: mesh, with: creator)
            .changed(to: state, in: mesh, with: editor)
    }

    func entry(_ change: (inout Fields) -> Void = { _ in }) -> DirectoryEntry {
        var fields = Fields()
        change(&fields)
        return DirectoryEntry(signed(fields), sealing: sealings[0])
    }

    /// Entries of a few names by a few people, with fields so alike that each rule of the order decides some pairs.
    func entries(_ count: Int, names: Int, _ random: inout SeededRandom) -> [DirectoryEntry] {
        (0..<count).map { _ in
            entry { fields in
                fields.name = "channel \(random.below(UInt64(names)))"
                fields.creator = Int(random.below(UInt64(sealings.count)))
                fields.editor = random.chance(permille: 500) ? fields.creator : Int(random.below(3))
                fields.birthEpoch = UInt16(random.below(2))
                fields.epoch = UInt16(random.below(3))
                fields.version = UInt16(1 + random.below(3))
                fields.form = random.chance(permille: 400) ? .deleted(now: nil) : .live
                fields.created += random.below(5)
                fields.isClaim = random.chance(permille: 500)
            }
        }
    }
}
