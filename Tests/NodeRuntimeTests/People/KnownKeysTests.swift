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
            _ = keys.meet(node(peer.0), as: SafeText(peer.1), unixSeconds: Int64(day + 1) * 86_400)
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
        if trust != .met { _ = keys.set(trust, of: node(1), named: SafeText("LX"), unixSeconds: 190_000) }
        if other != .met { _ = keys.set(other, of: node(2), named: name, unixSeconds: 190_000) }
        _ = keys.meet(node(1), as: name, unixSeconds: 200_000)
        #expect(keys.rival(of: node(1), named: name)?.node == node(2))
        #expect(keys.rival(of: node(2), named: name) == nil)
        _ = keys.meet(node(1), as: SafeText("LX"), unixSeconds: 200_001)
        #expect(keys.rival(of: node(1), named: SafeText("LX")) == nil)
    }

    @Test(
        "a key is a suspect as soon as its peer shows another's name, before that is noted; trust makes the name its own"
    )
    func ownByDecision() {
        var keys = met([(1, "LX"), (2, "FOH")])
        _ = keys.set(.trusted, of: node(1), named: SafeText("LX"), unixSeconds: 190_000)
        #expect(keys[node(1)]?.namedUnixSeconds == 0)
        #expect(keys.rival(of: node(1), named: name)?.node == node(2))
        _ = keys.set(.trusted, of: node(1), named: name, unixSeconds: 190_001)
        #expect(keys[node(1)]?.name == name && keys[node(1)]?.namedUnixSeconds == 0)
        #expect(keys.rival(of: node(1), named: name) == nil)
        #expect(keys.rival(of: node(2), named: name)?.node == node(1))
        _ = keys.set(.verified, of: node(2), named: name, unixSeconds: 190_002)
        for number: UInt64 in [1, 2] { #expect(keys.rival(of: node(number), named: name) == nil) }
    }

    @Test("a change of a name that looks the same does not make the name newer")
    func sameLook() {
        var keys = met([(1, "FOH"), (2, "F0H")])
        _ = keys.meet(node(1), as: SafeText("f-o-h"), unixSeconds: 200_000)
        #expect(keys[node(1)]?.namedUnixSeconds == 86_400)
        #expect(keys.rival(of: node(1), named: SafeText("f-o-h")) == nil)
    }

    @Test("of two unknown keys that take a name at one instant, both are suspects")
    func atOnce() {
        var keys = KnownKeys()
        for number: UInt64 in [1, 2] { _ = keys.meet(node(number), as: name, unixSeconds: 5) }
        #expect(keys.rival(of: node(1), named: name)?.node == node(2))
        #expect(keys.rival(of: node(2), named: name)?.node == node(1))
    }

    @Test(
        "a key for which the person vouches is no suspect, and makes all others of its name suspects",
        arguments: [KeyTrust.trusted, .verified])
    func vouchedFor(trust: KeyTrust) {
        var keys = met([(1, "FOH"), (2, "FOH")])
        _ = keys.set(trust, of: node(2), named: name, unixSeconds: 200_000)
        #expect(keys.rival(of: node(2), named: name) == nil)
        #expect(keys.rival(of: node(1), named: name)?.node == node(2))
        #expect(keys.vouchedFor == [node(2)])
    }

    @Test("a denied or forgotten key is no reason to suspect another")
    func deniedOrForgotten() {
        var keys = met([(1, "FOH"), (2, "FOH")])
        _ = keys.set(.denied, of: node(1), named: name, unixSeconds: 200_000)
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
        _ = keys.set(.verified, of: node(1), named: name, unixSeconds: 1)
        _ = keys.meet(node(2), as: name, unixSeconds: 2)
        #expect(keys[node(2)]?.trust == .met)
        #expect(keys.vouchedFor == [node(1)])
    }

    @Test("strangers with ever new keys displace one another, and neither the crew nor decisions")
    func full() {
        var keys = met([(1, "FOH"), (2, "LX"), (3, "SM")], countMax: 8)
        for number: UInt64 in [1, 2, 3] { _ = keys.meet(node(number), as: name, unixSeconds: 500_000) }
        _ = keys.set(.denied, of: node(4), named: SafeText("pest"), unixSeconds: 500_000)
        for number: UInt64 in 100..<200 {
            let change = keys.meet(node(number), as: SafeText("s\(number)"), unixSeconds: 500_000 + Int64(number))
            #expect(change.displaced == (number < 104 ? nil : node(number - 4)))
        }
        #expect(keys.all.count == 8)
        for number: UInt64 in [1, 2, 3, 4] { #expect(keys[node(number)] != nil) }
    }

    @Test("where the person has decided about every key, a further one is not kept, and that is counted")
    func fullOfDecisions() {
        var keys = KnownKeys(countMax: 2)
        for number: UInt64 in [1, 2] { _ = keys.set(.trusted, of: node(number), named: name, unixSeconds: 1) }
        let met = keys.meet(node(3), as: name, unixSeconds: 2)
        let trusted = keys.set(.trusted, of: node(3), named: name, unixSeconds: 2)
        #expect(met.stored == nil && met.displaced == nil && trusted.stored == nil)
        #expect(keys.droppedCount == 2)
        #expect(keys.rival(of: node(3), named: name) != nil, "the warning needs no room")
    }
}
