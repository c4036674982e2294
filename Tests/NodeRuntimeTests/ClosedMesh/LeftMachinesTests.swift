import NodeRuntime
import Primitives
import Testing

@Suite("The machines that a change of the code leaves behind")
struct LeftMachinesTests {
    private static let left = node(1)
    private static let other = node(2)

    private static func node(_ number: UInt64) -> NodeID { NodeID(words: (number << 32, 0, 0, number)) }

    /// - Parameters:
    ///   - place: where the node that is left behind is, or was.
    ///   - otherPlace: the same of another node.
    private func machines(
        at place: [String], beside otherPlace: [String], feedsProgramme: Bool?, leaving left: [NodeID] = [Self.left]
    ) -> LeftMachines {
        LeftMachines(
            of: left,
            among: [
                LeftMachines.Sighting(
                    node: Self.left, addresses: place.compactMap { IPAddress($0) }, feedsProgramme: false),
                LeftMachines.Sighting(
                    node: Self.other, addresses: otherPlace.compactMap { IPAddress($0) },
                    feedsProgramme: feedsProgramme),
            ])
    }

    @Test("a node that feeds programme is left behind with a node at one of its addresses; loopback is this machine")
    func programme() {
        let places: [([String], [String])] = [
            (["192.0.2.1"], ["192.0.2.1"]), (["192.0.2.1", "2001:db8::1"], ["198.51.100.7", "2001:db8::1"]),
            (["127.0.0.1"], ["::1"]),
        ]
        for (place, otherPlace) in places {
            let found = machines(at: place, beside: otherPlace, feedsProgramme: true)
            #expect(found.programmes == [Self.other] && found.unclear.isEmpty, "\(place)")
        }
    }

    @Test("a node that feeds programme elsewhere, or at an unknown place, stays, and the person is told")
    func elsewhere() {
        let places: [([String], [String])] = [
            (["192.0.2.1"], ["192.0.2.2"]), (["192.0.2.1"], []), ([], ["192.0.2.1"]), (["192.0.2.1"], ["127.0.0.1"]),
        ]
        for (place, otherPlace) in places {
            let found = machines(at: place, beside: otherPlace, feedsProgramme: true)
            #expect(found.programmes.isEmpty && found.unclear == [Self.other], "\(place)")
        }
    }

    @Test("a node of a person stays, also at the same address, and is not unclear")
    func person() {
        let found = machines(at: ["192.0.2.1"], beside: ["192.0.2.1"], feedsProgramme: false)
        #expect(found.programmes.isEmpty && found.unclear.isEmpty)
    }

    @Test("a node that was not met since the start stays, and the person is told unless it is at another place")
    func unmet() {
        let places: [([String], [String], Bool)] = [
            (["192.0.2.1"], ["192.0.2.1"], true), (["192.0.2.1"], [], true), ([], ["192.0.2.1"], true),
            (["192.0.2.1"], ["192.0.2.2"], false),
        ]
        for (place, otherPlace, isUnclear) in places {
            let found = machines(at: place, beside: otherPlace, feedsProgramme: nil)
            #expect(found.programmes.isEmpty && found.unclear.isEmpty != isUnclear, "\(place) \(otherPlace)")
        }
    }

    @Test("a change that leaves nobody behind has no unclear nodes, and a node that is named is left behind once")
    func named() {
        let orders: [[NodeID]] = [[], [Self.left, Self.other]]
        for left in orders {
            let found = machines(at: ["192.0.2.1"], beside: ["192.0.2.1"], feedsProgramme: true, leaving: left)
            #expect(found.programmes.isEmpty && found.unclear.isEmpty)
        }
    }
}
