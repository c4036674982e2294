import ArgumentParser
import MeshSimulator
import Primitives
import TrustCrypto

/// Which conformer of `Sealing` the nodes get.
package enum SealingChoice: String, CaseIterable, Codable, ExpressibleByArgument {
    case transparent
    case real

    /// In a swarm one seed in a hundred is run with real cryptography, whatever the rest have.
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

/// Seeded bytes in place of the system's, so that runs with real cryptography repeat as well.
private final class RandomSource {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func bytes(_ count: Int) -> [UInt8] { SealingChoice.bytes(count, from: &random) }
}
