import ArgumentParser
import MeshSimulator
import Primitives
import TrustCrypto

/// The kind of `Sealing` that the nodes get.
package enum SealingChoice: String, CaseIterable, Codable, ExpressibleByArgument {
    case transparent
    case real

    /// In a swarm one seed in a hundred is run with real cryptography, regardless of the option.
    static func inSwarm(_ choice: SealingChoice, seed: UInt64) -> SealingChoice {
        seed % 100 == 0 ? .real : choice
    }

    var factory: SealingFactory {
        switch self {
        case .transparent:
            return WorldOptions.transparentSealing
        case .real:
            return { identity, randomness in
                var key = SeededRandom(seed: identity)
                let privateKey = SealingChoice.bytes(32, from: &key)
                let source = RandomSource(seed: randomness ^ identity)
                do {
                    return try CryptoSealing(privateKey: privateKey) { source.bytes($0) }
                } catch {
                    preconditionFailure("32 bytes are a key: \(error)")
                }
            }
        }
    }

    fileprivate static func bytes(_ count: Int, from random: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}

/// Seeded bytes instead of the system's random bytes, so that runs with real cryptography can be repeated too.
private final class RandomSource {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func bytes(_ count: Int) -> [UInt8] { SealingChoice.bytes(count, from: &random) }
}
