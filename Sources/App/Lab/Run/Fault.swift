import ArgumentParser
package import Primitives

/// A fault that a lab causes while its nodes talk.
package struct Fault: Hashable, Sendable {
    /// The kind of fault.
    package enum Act: Hashable, Sendable {
        /// The process is killed (SIGKILL), so it sends no leave.
        case kill(Int)
        /// The process is killed and started again at once.
        case restart(Int)
        /// The two nodes no longer reach each other directly.
        case block(Int, Int)
    }

    package let act: Act
    /// Time since the start of the schedule.
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

/// The argument `I@T`: node I, T seconds after the start of the schedule.
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

/// The argument `I-J@T`: the pair of nodes I and J, T seconds after the start of the schedule.
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
    /// Parses a number of seconds, 0 … `LabLimits.secondsMax`.
    fileprivate init?(seconds text: Substring) {
        guard let number = Double(text), 0 <= number, number <= Double(LabLimits.secondsMax) else { return nil }
        self.init(nanoseconds: Int64(number * 1e9))
    }
}
