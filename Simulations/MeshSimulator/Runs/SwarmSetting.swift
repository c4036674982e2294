import Primitives

/// One drawn option as people read and write it. Each flag of `meshsim` that overrides a draw is such a setting, except
/// `--nodes`.
package struct SwarmSetting: Sendable {
    /// The flag without its dashes.
    package let name: String
    /// The form that is expected after the flag.
    package let form: String
    let read: @Sendable (SwarmOptions) -> String
    let write: @Sendable (inout SwarmOptions, String) -> Bool

    package func text(in options: SwarmOptions) -> String { read(options) }

    /// - Throws: `SettingError`, which names the expected form, where `text` does not have it.
    package func set(_ text: String, in options: inout SwarmOptions) throws(SettingError) {
        guard write(&options, text) else { throw SettingError(name: name, form: form, text: text) }
    }

    package static func named(_ name: String) -> SwarmSetting? { all.first { $0.name == name } }

    /// In the order in which they are shown. The number of nodes is not among them, because it is fixed before the
    /// other options are drawn.
    package static let all: [SwarmSetting] =
        [life] + network + discovery + faults + hostility
        + [hostileMembers, rest, tightLimits, speech, naming, standings]
}

/// A text that is not a value of its option.
package struct SettingError: Error, Hashable, CustomStringConvertible {
    package var name: String
    package var form: String
    package var text: String

    package var description: String { "--\(name) \(text): expected \(form)" }
}

extension SwarmSetting {
    private static let network: [SwarmSetting] = [
        interval("delay-min", \.rule.delayMin),
        interval("delay-mean", \.rule.delayMean),
        permille("loss", \.rule.lossPermille),
        SwarmSetting(name: "bursts", form: "GOOD/BAD@PERMILLE, such as 5s/300ms@700, or none") { options in
            guard let bursts = options.rule.bursts else { return "none" }
            return "\(TimeText.text(bursts.goodMean))/\(TimeText.text(bursts.badMean))@\(bursts.badLossPermille)"
        } write: { options, text in
            guard text != "none" else {
                options.rule.bursts = nil
                return true
            }
            let words = text.split { "/@".contains($0) }.map(String.init)
            guard words.count == 3, let good = TimeText.interval(words[0]), let bad = TimeText.interval(words[1]),
                let loss = UInt64(words[2]), loss <= 1_000, .zero < good, .zero < bad
            else { return false }
            options.rule.bursts = BurstLoss(goodMean: good, badMean: bad, badLossPermille: loss)
            return true
        },
        permille("duplicate", \.rule.duplicatePermille),
        permille("corrupt", \.rule.corruptPermille),
    ]

    private static let discovery: [SwarmSetting] = [
        toggle("beacon", \.discovery.hasBeacon),
        toggle("directory", \.discovery.hasDirectory),
        SwarmSetting(name: "directory-delay", form: "LEAST..MOST, such as 10ms..2s") { options in
            let range = options.discovery.directoryDelay
            return "\(TimeText.text(range.lowerBound))..\(TimeText.text(range.upperBound))"
        } write: { options, text in
            let words = text.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 2, let least = TimeText.interval(words[0]), let most = TimeText.interval(words[1]),
                least <= most
            else { return false }
            options.discovery.directoryDelay = least...most
            return true
        },
        permille("directory-loss", \.discovery.directoryLossPermille),
        permille("directory-duplicate", \.discovery.directoryDuplicatePermille),
    ]

    /// The first setting, because it decides what else is drawn.
    private static let life = SwarmSetting(name: "life", form: "a time such as 6h, or none") { options in
        options.episodes?.last.map { TimeText.text($0.restEnd - .zero) } ?? "none"
    } write: { options, text in
        guard text != "none" else {
            options.episodes = nil
            return true
        }
        guard let length = TimeText.interval(text), .zero < length, length <= SimLimits.lifeMax else { return false }
        options.live(for: length)
        return true
    }

    private static let faults: [SwarmSetting] = [
        SwarmSetting(
            name: "faults", form: "all, none, or some of \(FaultKind.allCases.map(\.rawValue).joined(separator: ","))"
        ) { options in
            options.faultKinds.isEmpty ? "none" : options.faultKinds.map(\.rawValue).joined(separator: ",")
        } write: { options, text in
            let words = text.split(separator: ",").map(String.init)
            let kinds = words.compactMap { FaultKind(rawValue: $0) }
            switch text {
            case "none": options.faultKinds = []
            case "all": options.faultKinds = FaultKind.allCases
            default:
                guard !kinds.isEmpty, kinds.count == words.count else { return false }
                options.faultKinds = kinds
            }
            return true
        },
        interval("fault-every", \.faultEvery),
        interval("break-for", \.breakFor),
        SwarmSetting(name: "talkers", form: "a number of nodes") { options in
            String(options.talkerCount)
        } write: { options, text in
            guard let count = Int(text), 0 <= count else { return false }
            options.talkerCount = count
            return true
        },
        SwarmSetting(name: "lost", form: "node numbers, such as 1,4, or none") { options in
            options.lostNodes.isEmpty ? "none" : options.lostNodes.map(String.init).joined(separator: ",")
        } write: { options, text in
            let words = text == "none" ? [] : text.split(separator: ",").map(String.init)
            let nodes = words.compactMap { Int($0) }.filter { 0 <= $0 && $0 < options.nodeCount }
            guard nodes.count == words.count, text == "none" || !nodes.isEmpty else { return false }
            options.lostNodes = nodes
            return true
        },
        toggle("lost-live", \.lostNodesLive),
        SwarmSetting(name: "worse", form: "NODE:OUT/IN, such as 2:0/150, or none") { options in
            options.worse?.text ?? "none"
        } write: { options, text in
            let worse = WorseNetwork(text, nodeCount: options.nodeCount)
            guard text == "none" || worse != nil else { return false }
            options.worse = worse
            return true
        },
        SwarmSetting(name: "severed", form: "two nodes, such as 0-3, or none") { options in
            options.severed.map { "\($0.a)-\($0.b)" } ?? "none"
        } write: { options, text in
            guard text != "none" else {
                options.severed = nil
                return true
            }
            let nodes = text.split(separator: "-").compactMap { Int($0) }
            guard nodes.count == 2, nodes[0] != nodes[1], nodes.allSatisfy((0..<options.nodeCount).contains)
            else { return false }
            options.severed = SeveredPair(a: nodes[0], b: nodes[1])
            return true
        },
    ]

    private static let rest = SwarmSetting(name: "rest", form: "a time such as 125s, or none") { options in
        options.rest.map { TimeText.text($0) } ?? "none"
    } write: { options, text in
        let rest = TimeText.interval(text)
        guard rest != nil || text == "none" else { return false }
        options.rest = rest
        return true
    }

    private static let hostility: [SwarmSetting] = [
        SwarmSetting(name: "queue", form: "SERVICExCAPACITY, such as 500usx20, or none") { options in
            options.rule.queue.map { "\(TimeText.text($0.service))x\($0.capacity)" } ?? "none"
        } write: { options, text in
            guard text != "none" else {
                options.rule.queue = nil
                return true
            }
            let words = text.split(separator: "x", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 2, let service = TimeText.interval(words[0]), let capacity = Int(words[1]),
                .zero < service, 0 < capacity
            else { return false }
            options.rule.queue = PathQueue(service: service, capacity: capacity)
            return true
        },
        SwarmSetting(
            name: "hostile",
            form: "all, none, drawn for hostile members too, or some of "
                + HostileKind.allCases.map(\.rawValue).joined(separator: ",")
        ) { options in
            options.hostileKinds.isEmpty ? "none" : options.hostileKinds.map(\.rawValue).joined(separator: ",")
        } write: { options, text in
            let words = text.split(separator: ",").map(String.init)
            let kinds = words.compactMap { HostileKind(rawValue: $0) }
            switch text {
            case "none": options.hostileKinds = []
            case "drawn": options.drawHostileMembers()
            case "all": options.hostileKinds = HostileKind.allCases
            default:
                guard !kinds.isEmpty, kinds.count == words.count else { return false }
                options.hostileKinds = kinds
            }
            return true
        },
        interval("hostile-every", \.hostileEvery),
        toggle("duplicate-identity", \.hasDuplicate),
    ]

    private typealias Place<Value> = WritableKeyPath<SwarmOptions, Value> & Sendable

    private static func interval(_ name: String, _ place: any Place<Interval>) -> SwarmSetting {
        SwarmSetting(name: name, form: "a time such as 250ms or 1.5s") {
            TimeText.text($0[keyPath: place])
        } write: { options, text in
            guard let interval = TimeText.interval(text) else { return false }
            options[keyPath: place] = interval
            return true
        }
    }

    private static func permille(_ name: String, _ place: any Place<UInt64>) -> SwarmSetting {
        SwarmSetting(name: name, form: "0 to 1000, of 1000 packets") {
            String($0[keyPath: place])
        } write: { options, text in
            guard let number = UInt64(text), number <= 1_000 else { return false }
            options[keyPath: place] = number
            return true
        }
    }

    private static func toggle(_ name: String, _ place: any Place<Bool>) -> SwarmSetting {
        SwarmSetting(name: name, form: "on or off") {
            $0[keyPath: place] ? "on" : "off"
        } write: { options, text in
            guard text == "on" || text == "off" else { return false }
            options[keyPath: place] = text == "on"
            return true
        }
    }
}
