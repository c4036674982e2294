import ArgumentParser
package import Primitives

/// Something that a lab does to its nodes while they talk.
package struct Fault: Hashable, Sendable {
    package enum Act: Hashable, Sendable {
        /// The process dies without a word (SIGKILL).
        case kill(Int)
        /// The process dies and is started again at once.
        case restart(Int)
        /// The two no longer reach each other directly.
        case block(Int, Int)
    }

    package let act: Act
    /// From the schedule's start.
    package let at: Interval

    package init(_ act: Act, at: Interval) {
        self.act = act
        self.at = at
    }

    /// The nodes that the fault names.
    package var nodes: [Int] {
        switch act {
        case .kill(let node), .restart(let node): [node]
        case .block(let first, let second): [first, second]
        }
    }
}

/// `I@T`: node I, T seconds after the first word.
package struct NodeAtTime: ExpressibleByArgument, Hashable, Sendable {
    package let node: Int
    package let at: Interval

    package init?(argument: String) {
        let parts = argument.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let node = Int(parts[0]), 0 <= node, let at = Interval(seconds: parts[1]) else {
            return nil
        }
        self.node = node
        self.at = at
    }
}

/// `I-J@T`: the pair I and J, T seconds after the first word.
package struct PairAtTime: ExpressibleByArgument, Hashable, Sendable {
    package let first: Int
    package let second: Int
    package let at: Interval

    package init?(argument: String) {
        let parts = argument.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Interval(seconds: parts[1]) else { return nil }
        let pair = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard pair.count == 2, let first = Int(pair[0]), let second = Int(pair[1]), 0 <= first, 0 <= second,
            first != second
        else { return nil }
        self.first = first
        self.second = second
        self.at = at
    }
}

extension Interval {
    /// Reads a written number of seconds, not negative, at most an hour.
    fileprivate init?(seconds text: Substring) {
        guard let number = Double(text), 0 <= number, number <= Double(LabLimits.secondsMax) else { return nil }
        self.init(nanoseconds: Int64(number * 1e9))
    }
}
