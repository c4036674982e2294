import Primitives
import Testing
import Trust
import TrustCrypto

/// Both conformers of `CodeCryptography`. Every promise of one is tested with both.
enum CodeProvider: String, CaseIterable, Sendable, CustomStringConvertible {
    case real, transparent

    var description: String { rawValue }

    func make() -> any CodeCryptography {
        switch self {
        case .real: SodiumCode()
        case .transparent: TransparentCode()
        }
    }
}

@Suite("Every cryptography of codes")
struct CodeContractTests {
    private static let ends = CarrierEnds(
        dialler: Provider.real.make(1).nodeID, acceptor: Provider.real.make(2).nodeID,
        diallerNonce: [UInt8](repeating: 3, count: 32), acceptorNonce: [UInt8](repeating: 4, count: 32))
    private let sealing = Provider.real.make(1)

    private func uniform(_ seed: UInt64) -> [UInt8] { SeededSource(seed: seed).bytes(CodeSizes.uniformBytes) }

    private func run(on ends: CarrierEnds = Self.ends, newcomer: CarrierSide = .dialler) -> CodeRun {
        CodeRun(on: ends, newcomer: newcomer, by: .mesh, with: sealing)
    }

    /// Both sides' tags of a run in which the initiator believes in `a` and the responder in `b`.
    private func tags(
        _ cryptography: any CodeCryptography, _ a: CodeExchange, _ b: CodeExchange
    ) throws -> (initiator: [[UInt8]], responder: [[UInt8]]) {
        let (scalarA, scalarB) = (
            cryptography.scalar(ofUniform: uniform(11)), cryptography.scalar(ofUniform: uniform(12))
        )
        let shareA = try #require(a.share(scalar: scalarA, with: cryptography))
        let shareB = try #require(b.share(scalar: scalarB, with: cryptography))
        let ofA = try #require(
            a.tags(
                scalar: scalarA, peerShare: shareB, initiatorShare: shareA, responderShare: shareB,
                with: cryptography))
        let ofB = try #require(
            b.tags(
                scalar: scalarB, peerShare: shareA, initiatorShare: shareA, responderShare: shareB,
                with: cryptography))
        return ([ofA.initiator, ofA.responder], [ofB.initiator, ofB.responder])
    }

    @Test("has the sizes of the real one", arguments: CodeProvider.allCases)
    func sizes(_ provider: CodeProvider) throws {
        let cryptography = provider.make()
        #expect(cryptography.hash512([]).count == 64 && cryptography.hash512([1]) != cryptography.hash512([2]))
        let (element, scalar) = (
            cryptography.element(ofUniform: uniform(1)), cryptography.scalar(ofUniform: uniform(2))
        )
        #expect(element.count == CodeSizes.elementBytes && scalar.count == CodeSizes.scalarBytes)
        #expect(cryptography.product(of: scalar, element)?.count == CodeSizes.elementBytes)
        let code = try #require(FoldedCode("kite"))
        let key = try #require(cryptography.codeKey(of: code, salt: [UInt8](repeating: 1, count: 16)))
        #expect(key.count == CodeSizes.codeKeyBytes)
        #expect(key != cryptography.codeKey(of: code, salt: [UInt8](repeating: 2, count: 16)))
        #expect(
            try key
                != cryptography.codeKey(of: #require(FoldedCode("kites")), salt: [UInt8](repeating: 1, count: 16)))
    }

    @Test("the order in which two scalars multiply does not matter", arguments: CodeProvider.allCases)
    func commutes(_ provider: CodeProvider) throws {
        let cryptography = provider.make()
        for seed in 0..<20 as Range<UInt64> {
            let element = cryptography.element(ofUniform: uniform(3 * seed))
            let (a, b) = (
                cryptography.scalar(ofUniform: uniform(3 * seed + 1)),
                cryptography.scalar(ofUniform: uniform(3 * seed + 2))
            )
            let (byA, byB) = (
                try #require(cryptography.product(of: a, element)), try #require(cryptography.product(of: b, element))
            )
            #expect(byA != byB && byA != element)
            let byBoth = try #require(cryptography.product(of: a, byB))
            #expect(cryptography.product(of: b, byA) == byBoth)
        }
    }

    @Test(
        "bytes that encode no element have no product, and neither has the scalar 0", arguments: CodeProvider.allCases)
    func refusals(_ provider: CodeProvider) {
        let cryptography = provider.make()
        let element = cryptography.element(ofUniform: uniform(1))
        let scalar = cryptography.scalar(ofUniform: uniform(2))
        let refused: [[UInt8]] = [
            [], Array(element.dropLast()), element + [0], [UInt8](repeating: 0, count: 32),
            [UInt8](repeating: 0xFF, count: 32), [1] + [UInt8](repeating: 0, count: 31),
        ]
        for bytes in refused { #expect(cryptography.product(of: scalar, bytes) == nil) }
        #expect(cryptography.product(of: [UInt8](repeating: 0, count: 32), element) == nil)
    }

    @Test("two sides with one code on one carrier find the same tags, which differ", arguments: CodeProvider.allCases)
    func agreement(_ provider: CodeProvider) throws {
        let exchange = CodeExchange(run(), codeKey: [UInt8](repeating: 9, count: 32))
        let (initiator, responder) = try tags(provider.make(), exchange, exchange)
        #expect(initiator == responder && initiator[0] != initiator[1])
        #expect(initiator.allSatisfy { $0.count == CodeSizes.tagBytes })
    }

    @Test("another code, carrier, node or newcomer gives other tags", arguments: CodeProvider.allCases)
    func disagreement(_ provider: CodeProvider) throws {
        let key = [UInt8](repeating: 9, count: 32)
        let own = CodeExchange(run(), codeKey: key)
        let eve = Provider.real.make(3).nodeID
        let (ends, nonce) = (Self.ends, [UInt8](repeating: 5, count: 32))
        let others = [
            CodeExchange(run(), codeKey: [UInt8](repeating: 8, count: 32)),
            CodeExchange(run(newcomer: .acceptor), codeKey: key),
            CodeExchange(
                run(
                    on: CarrierEnds(
                        dialler: eve, acceptor: ends.acceptor, diallerNonce: ends.diallerNonce,
                        acceptorNonce: ends.acceptorNonce)), codeKey: key),
            CodeExchange(
                run(
                    on: CarrierEnds(
                        dialler: ends.dialler, acceptor: eve, diallerNonce: ends.diallerNonce,
                        acceptorNonce: ends.acceptorNonce)), codeKey: key),
            CodeExchange(
                run(
                    on: CarrierEnds(
                        dialler: ends.dialler, acceptor: ends.acceptor, diallerNonce: ends.diallerNonce,
                        acceptorNonce: nonce)), codeKey: key),
        ]
        for other in others {
            let (initiator, responder) = try tags(provider.make(), own, other)
            #expect(initiator[0] != responder[0] && initiator[1] != responder[1])
        }
    }

    @Test("a share of no use gives no tags", arguments: CodeProvider.allCases)
    func uselessShare(_ provider: CodeProvider) throws {
        let cryptography = provider.make()
        let exchange = CodeExchange(run(), codeKey: [UInt8](repeating: 9, count: 32))
        let scalar = cryptography.scalar(ofUniform: uniform(11))
        let share = try #require(exchange.share(scalar: scalar, with: cryptography))
        let zeros = [UInt8](repeating: 0, count: 32)
        let found = exchange.tags(
            scalar: scalar, peerShare: zeros, initiatorShare: share, responderShare: zeros, with: cryptography)
        #expect(found == nil)
        #expect(exchange.share(scalar: zeros, with: cryptography) == nil)
    }
}
