import Primitives
import Wire

extension AdvertisedLink {
    /// This node's link to a neighbour, as it advertises the link.
    init(_ neighbour: Neighbour) {
        self.init(
            peer: neighbour.node, instance: neighbour.instance, path: neighbour.path,
            rttClass: AdvertisedLink.rttClass(neighbour.rtt),
            lossClass: AdvertisedLink.lossClass(permille: neighbour.lossPermille))
    }

    /// Returns the class of a round trip: 0 below 1 ms, one more for each doubling, at most 14; 15 if unknown.
    static func rttClass(_ rtt: Interval?) -> UInt8 {
        guard let rtt else { return 15 }
        var rest = rtt.milliseconds
        var rttClass: UInt8 = 0
        while 0 < rest, rttClass < 14 {
            rest /= 2
            rttClass += 1
        }
        return rttClass
    }

    static func lossClass(permille: UInt16?) -> UInt8 {
        switch permille ?? 0 {
        case 0: 0
        case ..<10: 1
        case ..<50: 2
        case ..<100: 3
        case ..<200: 4
        default: 5
        }
    }
}
