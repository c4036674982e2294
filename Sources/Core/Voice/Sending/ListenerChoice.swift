package import Wire

/// How one listener is served, and the reason, which `status` shows as it is.
package struct ListenerChoice: Hashable, Sendable {
    /// The state of the path to the listener, as far as it is known.
    package enum Cause: Hashable, Sendable {
        /// The listener has not yet reported on this node's voice.
        case unheard
        case clean
        /// Losses that are independent of each other; ‰ of the packets.
        case singles(lossPermille: Int)
        /// Losses that come together: ‰ of the packets, and the mean run in tenths of a packet.
        case runs(lossPermille: Int, runTenths: Int)
    }

    package var scheme: ListenerScheme
    package var cause: Cause

    package init(scheme: ListenerScheme, cause: Cause) {
        self.scheme = scheme
        self.cause = cause
    }

    /// How every listener starts.
    package static let initial = ListenerChoice(scheme: .initial, cause: .unheard)
}

extension ListenerChoice: CustomStringConvertible {
    /// Text for `status`, for example `prepared for 7 % loss, 2 copies 1,3 packets later`.
    package var description: String { "\(causeText), \(copiesText)\(bundleText)" }

    private var causeText: String {
        switch cause {
        case .unheard: "no report yet"
        case .clean: "no loss"
        case .singles(let loss): Self.prepared(for: loss)
        case .runs(let loss, let run): "\(Self.prepared(for: loss)) in runs of \(run / 10).\(run % 10)"
        }
    }

    private var copiesText: String {
        let distances = scheme.copyDistances.map { "\($0)" }.joined(separator: ",")
        switch scheme.copyDistances.count {
        case 0: return "no copy"
        case 1: return "1 copy \(distances) \(distances == "1" ? "packet" : "packets") later"
        case let count: return "\(count) copies \(distances) packets later"
        }
    }

    private var bundleText: String {
        let frames = scheme.bundling.frameCount
        return frames == 1 ? "" : ", \(frames) frames a packet"
    }

    /// Text for a remembered loss in percent, with one decimal below 1 %. `status` shows the present loss elsewhere.
    static func prepared(for permille: Int) -> String {
        let percent = permille < 10 ? "0.\(permille)" : "\((permille + 5) / 10)"
        return "prepared for \(percent) % loss"
    }
}

/// How one listener is served: chosen from its reception reports.
package struct ListenerScheme: Hashable, Sendable {
    /// How many new frames share a packet.
    package var bundling: VoiceBundling
    /// How many packets after its own packet each copy of a frame travels, shortest distance first: adjacent distances
    /// against single losses, spread ones against bursts. At most `VoiceLimits.copiesMax` distances, each 1 …
    /// `VoiceLimits.copyDistanceMax`.
    package private(set) var copyDistances: [Int]

    /// The scheme with which every listener starts: one copy of the packet before.
    package static let initial = ListenerScheme(bundling: .single, copyDistances: [1])

    /// Leaves out distances that are out of bounds, and copies that do not fit into a packet.
    package init(bundling: VoiceBundling, copyDistances: [Int]) {
        self.bundling = bundling
        let room = WireLimits.voiceBlocksMax / bundling.frameCount - 1
        let good = copyDistances.filter { 1 <= $0 && $0 <= VoiceLimits.copyDistanceMax }
        self.copyDistances = Array(good.prefix(min(room, VoiceLimits.copiesMax)))
    }
}
