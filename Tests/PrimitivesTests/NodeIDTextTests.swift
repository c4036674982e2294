import Primitives
import Testing

@Suite("The written form of a NodeID")
struct NodeIDTextTests {
    /// Device ids of Syncthing's own tests (lib/protocol/deviceid_test.go, lib/config/config_test.go).
    @Test(
        "is Syncthing's",
        arguments: [
            "P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2",
            "GYRZZQB-IRNPV4Z-T7TC52W-EQYJ3TT-FDQW6MW-DFLMU42-SSSU6EM-FBK2VAY",
            "LGFPDIT-7SKNNJL-VJZA4FC-7QNCRKA-CE753K7-2BW5QDK-2FOZ7FR-FEP57QJ",
        ])
    func syncthing(_ text: String) throws {
        let node = try #require(NodeID(text: text))
        #expect(node.text == text)
    }

    @Test("comes back from every spelling of itself")
    func roundTrip() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<2_000 {
            let node = NodeID(words: (random.next(), random.next(), random.next(), random.next()))
            let text = node.text
            #expect(text.utf8.count == 63)
            #expect(NodeID(text: text) == node)
            #expect(NodeID(text: text.lowercased()) == node)
            #expect(NodeID(text: text.split(separator: "-").joined(separator: " ")) == node)
            #expect(NodeID(text: text.split(separator: "-").joined()) == node)
        }
    }

    @Test("is refused with any one character changed")
    func damage() throws {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let good = Array("P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2")
        var accepted = 0
        for index in good.indices where good[index] != "-" {
            for letter in alphabet where letter != good[index] {
                var damaged = good
                damaged[index] = letter
                if NodeID(text: String(damaged)) != nil { accepted += 1 }
            }
        }
        #expect(accepted == 0)
    }

    @Test(
        "is refused where it is not one",
        arguments: [
            "", "-", "P56IOI7", String(repeating: "A", count: 55), String(repeating: "A", count: 57),
            String(repeating: "0", count: 56), String(repeating: "ß", count: 28), String(repeating: "ſ", count: 56),
        ])
    func nonsense(_ text: String) { #expect(NodeID(text: text) == nil) }

    @Test("is refused with bits after the last byte")
    func padding() {
        // All data bits zero is "A" everywhere; the last data digit may use its highest bit only.
        #expect(NodeID(text: String(repeating: "A", count: 56)) != nil)
        let run = "AAAAAAAAAAAAB"
        let check = ["6", "7"] + "ABCDEFGHIJKLMNOPQRSTUVWXYZ2345".map(String.init)
        for digit in check { #expect(NodeID(text: String(repeating: "A", count: 42) + run + digit) == nil) }
    }

    @Test("orders NodeIDs as their bytes")
    func order() throws {
        var random = SeededRandom(seed: 2)
        for _ in 0..<1_000 {
            let a = NodeID(words: (random.below(2), random.next(), random.next(), random.next()))
            let b = NodeID(words: (random.below(2), random.next(), random.next(), random.next()))
            #expect((a < b) == a.bytes.lexicographicallyPrecedes(b.bytes))
            #expect(NodeID(a.bytes) == a)
        }
        #expect(NodeID([UInt8](repeating: 0, count: 31)) == nil)
        #expect(NodeID([UInt8](repeating: 0, count: 33)) == nil)
    }

    @Test("shortens to eight digits, zeros kept")
    func short() {
        #expect(NodeID(words: (0x0000_00AB_FFFF_FFFF, 0, 0, 0)).short == "0000-00ab")
        #expect(NodeID(words: (0x4F2A_91C0_0000_0000, 0, 0, 0)).description == "4f2a-91c0")
    }
}
