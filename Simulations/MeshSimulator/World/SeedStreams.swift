package import Primitives

/// Independent generators from one seed. One more draw in one part of a run does not shift the draws of the others,
/// so a shrunk run still resembles the run that failed.
package struct SeedStreams: Sendable {
    package let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    package var topology: SeededRandom { stream(1) }
    package var network: SeededRandom { stream(2) }
    package var faults: SeededRandom { stream(3) }
    package var worseNetwork: SeededRandom { stream(4) }
    package var discovery: SeededRandom { stream(5) }
    package var options: SeededRandom { stream(6) }
    package var hostility: SeededRandom { stream(7) }
    package var hostileOptions: SeededRandom { stream(8) }
    package var severance: SeededRandom { stream(9) }
    package var longLife: SeededRandom { stream(10) }
    package var tightLimits: SeededRandom { stream(11) }
    package var speech: SeededRandom { stream(12) }
    package var rest: SeededRandom { stream(13) }
    package var naming: SeededRandom { stream(14) }
    package var calling: SeededRandom { stream(15) }
    package var standings: SeededRandom { stream(16) }
    package var hostileMembers: SeededRandom { stream(26) }
    package var codedChannels: SeededRandom { stream(27) }
    package var codeChanges: SeededRandom { stream(28) }
    /// Draws what a hostile member does.
    package func hostileMember(ofNode index: Int) -> SeededRandom { stream(3_000 + UInt64(index)) }
    /// Draws the channel, the sound cards and the talk of one life.
    package func speech(ofNode index: Int, life: UInt32) -> SeededRandom {
        stream(500_000_000 + UInt64(index) * 100_000 + UInt64(life))
    }
    /// Seeds the waits of the channel directory of one life.
    package func directory(ofNode index: Int, life: UInt32) -> SeededRandom {
        stream(1_300_000_000 + UInt64(index) * 100_000 + UInt64(life))
    }
    /// Draws the numbers of the calls of one life.
    package func calls(ofNode index: Int, life: UInt32) -> SeededRandom {
        stream(1_500_000_000 + UInt64(index) * 100_000 + UInt64(life))
    }
    /// Draws how wrong the time of day is at a node.
    package func wallClock(ofNode index: Int) -> SeededRandom { stream(2_000 + UInt64(index)) }
    /// Draws the other channels to which a node listens in one life, and when.
    package func channels(ofNode index: Int, life: UInt32) -> SeededRandom {
        stream(700_000_000 + UInt64(index) * 100_000 + UInt64(life))
    }
    /// Draws when a talker presses its other keys in one life.
    package func keys(ofNode index: Int, life: UInt32) -> SeededRandom {
        stream(1_100_000_000 + UInt64(index) * 100_000 + UInt64(life))
    }
    /// Draws the first control sequence of one life, and the lengths of the phases of a slow processor.
    package func corners(ofNode index: Int, life: UInt32) -> SeededRandom {
        stream(900_000_000 + UInt64(index) * 100_000 + UInt64(life))
    }
    /// Draws what a node keeps across restarts: its identity and its clock.
    package func identity(ofNode index: Int) -> SeededRandom { stream(1_000 + UInt64(index)) }
    /// Draws the random numbers of a node within one life.
    package func life(_ life: UInt32, ofNode index: Int) -> SeededRandom {
        stream(1_000_000 + UInt64(index) * 100_000 + UInt64(life))
    }

    private func stream(_ number: UInt64) -> SeededRandom {
        var mixer = SeededRandom(seed: seed ^ (number &* 0xD134_2543_DE82_EF95))
        return mixer.split()
    }
}
