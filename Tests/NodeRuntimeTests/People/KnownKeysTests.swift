import Mesh
import NodeRuntime
import Primitives
import StateStore
import Testing

@Suite("Known keys")
struct KnownKeysTests {
    private func node(_ number: UInt64) -> NodeID { NodeID(words: (number << 32, 0, 0, number)) }
    private let name = SafeText("FOH")

    /// The keys after each of these nodes was met under its name, one a day.
    private func met(_ peers: [(UInt64, String)], countMax: Int = StateLimits.knownKeysMax) -> KnownKeys {
        var keys = KnownKeys(countMax: countMax)
        for (day, peer) in peers.enumerated() {
            _ = keys.meet(node(peer.0), as: SafeText(peer.1), unixSeconds: Int64(day + 1) * 86_400, linked: [])
        }
        return keys
    }

    @Test("a name that was known under another key has a rival; the key that had it before has none")
    func another() {
        let keys = met([(1, "FOH"), (2, "LX"), (3, "f0h")])
        #expect(keys.rival(of: node(3), named: SafeText("f0h"))?.node == node(1))
        #expect(keys.rival(of: node(1), named: name) == nil)
        #expect(keys.rival(of: node(2), named: SafeText("LX")) == nil)
    }

    @Test("a node that was never met has a rival as soon as it uses a known name")
    func stranger() {
        let keys = met([(1, "FOH")])
        #expect(keys.rival(of: node(9), named: name)?.node == node(1))
        #expect(keys.rival(of: node(9), named: SafeText("SM")) == nil)
        #expect(keys.rival(of: node(9), named: SafeText("")) == nil)
    }

    @Test(
        "an old acquaintance, also a trusted one, that takes another's name is the suspect until it gives it back",
        arguments: [KeyTrust.met, .trusted, .verified], [KeyTrust.met, .trusted])
    func renamed(trust: KeyTrust, other: KeyTrust) {
        var keys = met([(1, "LX"), (2, "FOH")])
        if trust != .met { _ = keys.set(trust, of: node(1), named: SafeText("LX"), unixSeconds: 190_000, linked: []) }
        if other != .met { _ = keys.set(other, of: node(2), named: name, unixSeconds: 190_000, linked: []) }
        _ = keys.meet(node(1), as: name, unixSeconds: 200_000, linked: [])
        #expect(keys.rival(of: node(1), named: name)?.node == node(2))
        #expect(keys.rival(of: node(2), named: name) == nil)
        _ = keys.meet(node(1), as: SafeText("LX"), unixSeconds: 200_001, linked: [])
        #expect(keys.rival(of: node(1), named: SafeText("LX")) == nil)
    }

    @Test(
        "a key is a suspect as soon as its peer shows another's name; by a decision the name is its own"
    )
    func ownByDecision() {
        var keys = met([(1, "LX"), (2, "FOH")])
        _ = keys.set(.trusted, of: node(1), named: SafeText("LX"), unixSeconds: 190_000, linked: [])
        #expect(keys[node(1)]?.namedUnixSeconds == 0)
        #expect(keys.rival(of: node(1), named: name)?.node == node(2))
        _ = keys.set(.trusted, of: node(1), named: name, unixSeconds: 190_001, linked: [])
        #expect(keys[node(1)]?.name == name && keys[node(1)]?.namedUnixSeconds == 0)
        #expect(keys.rival(of: node(1), named: name) == nil)
        #expect(keys.rival(of: node(2), named: name)?.node == node(1))
        _ = keys.set(.verified, of: node(2), named: name, unixSeconds: 190_002, linked: [])
        for number: UInt64 in [1, 2] { #expect(keys.rival(of: node(number), named: name) == nil) }
    }

    @Test(
        "a trusted key keeps its name while it is met under another one: a key that was only met never displaces it",
        arguments: [KeyTrust.trusted, .verified])
    func ownNameKept(trust: KeyTrust) {
        var keys = met([(1, "FOH")])
        _ = keys.set(trust, of: node(1), named: name, unixSeconds: 190_000, linked: [])
        _ = keys.meet(node(1), as: SafeText("LX"), unixSeconds: 200_000, linked: [])
        _ = keys.meet(node(2), as: name, unixSeconds: 200_001, linked: [])
        #expect(keys.rival(of: node(2), named: name)?.node == node(1))
        _ = keys.meet(node(1), as: name, unixSeconds: 200_002, linked: [])
        keys = KnownKeys(keys.all)
        #expect(keys.rival(of: node(1), named: name) == nil)
        #expect(keys.rival(of: node(2), named: name)?.node == node(1))
        #expect(keys[node(1)]?.namedUnixSeconds == 0)
        _ = keys.set(.denied, of: node(1), named: name, unixSeconds: 200_003, linked: [])
        #expect(keys[node(1)]?.ownName.isEmpty == true)
    }

    @Test("the old key of a machine that was set up anew is a suspect only while it is here; an impostor stays one")
    func oldKeyGone() {
        var keys = met([(1, "FOH"), (2, "FOH")])
        #expect(keys.rivalOfGone(node(2), named: name)?.node == node(1))
        _ = keys.set(.trusted, of: node(2), named: name, unixSeconds: 300_000, linked: [])
        #expect(keys.rival(of: node(1), named: name)?.node == node(2))
        #expect(keys.rivalOfGone(node(1), named: name) == nil)
        _ = keys.meet(node(3), as: SafeText("F0H"), unixSeconds: 400_000, linked: [])
        #expect(keys.rivalOfGone(node(3), named: SafeText("F0H"))?.node == node(2))
    }

    @Test("a peer that is gone, and that the mesh knows no more, has the name under which it was met last")
    func nameOfGone() {
        let key = KnownKey(node: node(1), name: name, seenUnixSeconds: 1, trust: .met)
        func shown(_ text: String, _ key: KnownKey?) -> SafeText {
            PeerStatus(node: node(1), name: SafeText(text), state: .down).named(by: key).name
        }
        #expect(shown("", key) == name && shown("LX", key) == SafeText("LX") && shown("", nil).isEmpty)
    }

    @Test("of two keys that were only met, the one that had the name first has no rival when it comes back")
    func firstComesBack() {
        var keys = met([(1, "FOH"), (2, "FOH")])
        _ = keys.meet(node(1), as: name, unixSeconds: 300_000, linked: [])
        #expect(keys.rival(of: node(1), named: name) == nil)
        #expect(keys.rival(of: node(2), named: name)?.node == node(1))
    }

    @Test("a name that looks like another key's id, or like its beginning, has a rival until the person decides")
    func nameLikeID() {
        let known = NodeID(words: (0x2A09_0B67 << 32, 0, 0, 1))
        var keys = met([(2, "FOH")])
        _ = keys.meet(known, as: SafeText("LX"), unixSeconds: 200_000, linked: [])
        for text in ["2a09-0b67", "2A09", "2а09 0B", "2a090b67"] {
            #expect(keys.rival(of: node(2), named: SafeText(text))?.node == known, "\(text)")
            #expect(keys.rival(of: known, named: SafeText(text)) == nil, "\(text)")
        }
        for text in ["2a0", "2a08", "2a09-0b678"] { #expect(keys.rival(of: node(2), named: SafeText(text)) == nil) }
        var denied = keys
        _ = denied.set(.denied, of: known, named: SafeText("LX"), unixSeconds: 200_001, linked: [])
        #expect(denied.rival(of: node(2), named: SafeText("2a09")) == nil, "as for a name")
        _ = keys.set(.trusted, of: node(2), named: SafeText("2a09"), unixSeconds: 200_001, linked: [])
        #expect(keys.rival(of: node(2), named: SafeText("2a09")) == nil)
    }

    @Test("a change of a name that looks the same does not make the name newer")
    func sameLook() {
        var keys = met([(1, "FOH"), (2, "F0H")])
        _ = keys.meet(node(1), as: SafeText("f-o-h"), unixSeconds: 200_000, linked: [])
        #expect(keys[node(1)]?.namedUnixSeconds == 86_400)
        #expect(keys.rival(of: node(1), named: SafeText("f-o-h")) == nil)
    }

    @Test("a key that takes a name after the clock has gone back is the suspect, also after another start")
    func clockGoneBack() {
        var keys = KnownKeys()
        _ = keys.meet(node(1), as: name, unixSeconds: 7_200, linked: [])
        keys = KnownKeys(keys.all)
        _ = keys.meet(node(2), as: name, unixSeconds: 600, linked: [])
        _ = keys.meet(node(1), as: name, unixSeconds: 900, linked: [])
        #expect(keys.rival(of: node(2), named: name)?.node == node(1))
        #expect(keys.rival(of: node(1), named: name) == nil)
        #expect(keys[node(1)]?.lastSeenUnixSeconds == 7_200)
    }

    @Test("a start with a clock that is far ahead changes no later time at which a known key is seen")
    func clockAhead() {
        var keys = KnownKeys()
        for seconds: Int64 in [7_200, 4_000_000_000, 9_000] {
            _ = keys.meet(node(1), as: name, unixSeconds: seconds, linked: [])
        }
        #expect(keys[node(1)]?.lastSeenUnixSeconds == 9_000)
    }

    @Test("of two unknown keys that take a name at one instant, both are suspects")
    func atOnce() {
        var keys = KnownKeys()
        for number: UInt64 in [1, 2] { _ = keys.meet(node(number), as: name, unixSeconds: 5, linked: []) }
        #expect(keys.rival(of: node(1), named: name)?.node == node(2))
        #expect(keys.rival(of: node(2), named: name)?.node == node(1))
    }

    @Test(
        "a key for which the person vouches is no suspect, and makes all others of its name suspects",
        arguments: [KeyTrust.trusted, .verified])
    func vouchedFor(trust: KeyTrust) {
        var keys = met([(1, "FOH"), (2, "FOH")])
        _ = keys.set(trust, of: node(2), named: name, unixSeconds: 200_000, linked: [])
        #expect(keys.rival(of: node(2), named: name) == nil)
        #expect(keys.rival(of: node(1), named: name)?.node == node(2))
        #expect(keys.vouchedFor == [node(2)])
    }

    @Test("a denied or forgotten key is no reason to suspect another")
    func deniedOrForgotten() {
        var keys = met([(1, "FOH"), (2, "FOH")])
        _ = keys.set(.denied, of: node(1), named: name, unixSeconds: 200_000, linked: [])
        #expect(keys.rival(of: node(2), named: name) == nil)
        #expect(keys.denied == [node(1)])
        keys = met([(1, "FOH"), (2, "FOH")])
        let isForgotten = keys.forget(node(1))
        #expect(isForgotten)
        #expect(keys.rival(of: node(2), named: name) == nil)
        let isForgottenAgain = keys.forget(node(1))
        #expect(!isForgottenAgain)
    }

    @Test("a name never passes trust from one key to another")
    func noInheritance() {
        var keys = met([(1, "FOH")])
        _ = keys.set(.verified, of: node(1), named: name, unixSeconds: 1, linked: [])
        _ = keys.meet(node(2), as: name, unixSeconds: 2, linked: [])
        #expect(keys[node(2)]?.trust == .met)
        #expect(keys.vouchedFor == [node(1)])
    }

    @Test(
        "among as many keys as are kept, a name that all have has a rival, and one that is like no id has none",
        arguments: [("FOH", "FOH"), ("LX", "2a09")])
    func full(known: String, taken: String) {
        var keys = met((1...UInt64(StateLimits.knownKeysMax)).map { ($0, known) })
        _ = keys.meet(node(7), as: SafeText(taken), unixSeconds: 200_000_000, linked: [])
        #expect((keys.rival(of: node(7), named: SafeText(taken)) != nil) == (known == taken))
    }

    @Test("strangers with ever new keys displace one another, and neither the crew nor decisions")
    func flooded() {
        var keys = met([(1, "FOH"), (2, "LX"), (3, "SM")], countMax: 8)
        for number: UInt64 in [1, 2, 3] { _ = keys.meet(node(number), as: name, unixSeconds: 500_000, linked: []) }
        _ = keys.set(.denied, of: node(4), named: SafeText("pest"), unixSeconds: 500_000, linked: [])
        for number: UInt64 in 100..<200 {
            let change = keys.meet(
                node(number), as: SafeText("s\(number)"), unixSeconds: 500_000 + Int64(number), linked: [])
            #expect(change.displaced == (number < 104 ? nil : node(number - 4)))
        }
        #expect(keys.all.count == 8)
        for number: UInt64 in [1, 2, 3, 4] { #expect(keys[node(number)] != nil) }
    }

    @Test("strangers who stay for two seconds each do not displace a crew that met once and is still linked")
    func linkedCrew() {
        var keys = KnownKeys()
        let crew = Set((1...20).map { node($0) })
        for member in crew { _ = keys.meet(member, as: name, unixSeconds: 10, linked: crew) }
        for number: UInt64 in 0..<1_024 {
            let (stranger, now) = (node(100 + number), 100 + 3 * Int64(number))
            for instant in [now, now + 2] {
                let change = keys.meet(
                    stranger, as: SafeText("s\(number)"), unixSeconds: instant, linked: crew.union([stranger]))
                #expect(change.stored != nil)
                #expect(change.displaced.map { !crew.contains($0) } ?? true)
            }
        }
        for member in crew { #expect(keys[member] != nil) }
        #expect(keys.all.count == StateLimits.knownKeysMax && keys.droppedCount == 0)
    }

    @Test("where every key is linked, a further one is not kept; one that has left makes room")
    func fullOfLinked() {
        var keys = KnownKeys(countMax: 2)
        let linked = [node(1), node(2), node(3)]
        for node in linked.prefix(2) { _ = keys.meet(node, as: name, unixSeconds: 1, linked: Set(linked)) }
        let dropped = keys.meet(node(3), as: name, unixSeconds: 2, linked: Set(linked))
        #expect(dropped.stored == nil && dropped.displaced == nil && keys.droppedCount == 1)
        let kept = keys.meet(node(3), as: name, unixSeconds: 3, linked: [node(1), node(3)])
        #expect(kept.stored?.node == node(3) && kept.displaced == node(2))
    }

    @Test("where the person has decided about every key, a further one is not kept, and that is counted")
    func fullOfDecisions() {
        var keys = KnownKeys(countMax: 2)
        for number: UInt64 in [1, 2] {
            _ = keys.set(.trusted, of: node(number), named: name, unixSeconds: 1, linked: [])
        }
        let met = keys.meet(node(3), as: name, unixSeconds: 2, linked: [])
        let trusted = keys.set(.trusted, of: node(3), named: name, unixSeconds: 2, linked: [])
        #expect(met.stored == nil && met.displaced == nil && trusted.stored == nil)
        #expect(keys.droppedCount == 2)
        #expect(keys.rival(of: node(3), named: name) != nil, "the warning needs no room")
    }
}
