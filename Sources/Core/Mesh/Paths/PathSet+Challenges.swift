import Primitives
import Wire

/// The challenges and answers that a session may send (`PathChallenge`).
extension PathSet {
    /// Returns the announced addresses to which no proved path leads. Addresses that were not challenged yet come
    /// first.
    /// - Parameter isAgain: returns also the addresses that have not answered an earlier challenge.
    func unprovedAddresses(among announced: [Endpoint], isAgain: Bool) -> [Endpoint] {
        let unasked = announced.filter { table.index(of: .address($0)) == nil }
        guard isAgain else { return unasked }
        return unasked
            + announced.filter { endpoint in
                table.index(of: .address(endpoint)).map { table[$0].trust != .proved } ?? false
            }
    }

    /// Returns the content of a challenge; nil if no challenge may leave now. At most two leave in a second.
    /// - Parameters:
    ///   - sizeMax: the bytes that came from the address.
    ///   - isAnnounced: nothing came from the address, and the caller has taken the token.
    ///   - overhead: the bytes that sealing adds now; nil while the session has no key to seal with.
    func makeChallenge(
        number: UInt64, sizeMax: Int, isAnnounced: Bool, overhead: Int?, _ effects: inout Effects, now: Instant
    ) -> DatagramBody? {
        guard isAnnounced || admitsChallenge(now: now) else {
            effects.count(.pathChallengesOverRate)
            return nil
        }
        guard let overhead else { return nil }
        guard let body = PathChallenge.body(number: number, sizeMax: sizeMax, overhead: overhead) else {
            effects.count(.pathChallengesTooLarge)
            return nil
        }
        return body
    }

    /// Sends a sealed challenge to an address, and waits for its answer.
    func sendChallenge(
        _ datagram: [UInt8], number: UInt64, to endpoint: Endpoint, _ effects: inout Effects, now: Instant
    ) {
        guard challenge(endpoint, number: number, now: now) else { return effects.count(.pathTableFull) }
        effects.count(.pathChallengesSent)
        effects.output(.send(datagram, to: endpoint))
    }

    /// Returns the route of the answer to a challenge: the one on which the challenge came. Returns nil where the
    /// answer may not leave: to an unproved address it has no more bytes than came.
    /// - Parameters:
    ///   - size: the bytes of the datagram with the challenge.
    ///   - overhead: the bytes that sealing adds now; nil while the session has no key to seal with.
    func answerRoute(_ arrival: DatagramArrival, size: Int, overhead: Int?, _ effects: inout Effects) -> PathRoute? {
        guard let overhead else { return nil }
        let (route, sizeMax) =
            switch arrival {
            case .path(let path): (table[path].route, WireLimits.datagramBytesMax)
            case .stranger(let endpoint): (PathRoute.address(endpoint), size)
            }
        guard PathChallenge.unpaddedBytes(overhead: overhead) <= sizeMax else {
            effects.count(.pathAnswersTooLarge)
            return nil
        }
        return route
    }
}
