import Mesh
import Primitives
import TestKit
import Testing
import Wire

@Suite("Tunnels, frame by frame")
struct TunnelFlowTests {
    private let mesh = ScriptedMesh()
    private let stranger = TestIdentity.nodeID(seed: 99)

    private func say(_ step: TunnelStep, by peer: ScriptedPeer, number: UInt64 = 7) {
        mesh.say(.tunnel(TunnelFrame(number: number, step: step)), by: peer)
    }

    /// Steps that the node sent since the last call.
    private func steps(_ peer: ScriptedPeer, number: UInt64 = 7) -> [TunnelStep] {
        peer.take().compactMap {
            if case .tunnel(let frame) = $0, frame.number == number { frame.step } else { nil }
        }
    }

    private let counters: [MeshCounter] = [
        .tunnelsRequested, .tunnelsAccepted, .tunnelsForwarded, .tunnelsRefused, .tunnelsOverLimit, .tunnelsClosed,
        .tunnelFramesUnknown,
    ]

    private func piece(_ cost: Int) -> [UInt8] { [UInt8](repeating: 7, count: cost - 64) }

    private var shellWords: [String] {
        mesh.log.compactMap {
            switch $0.what {
            case .acceptThrough(let id, let peer): "accept \(id.number) \(peer == stranger)"
            case .tunnelReady(let id): "ready \(id.number)"
            case .tunnelBytes(let id, let bytes): "bytes \(id.number) \(bytes.count)"
            case .tunnelClose(let id): "close \(id.number)"
            default: nil
            }
        }
    }

    // MARK: At the neighbour

    @Test("a request becomes an offer; data, credits and the end pass in both directions")
    func passing() {
        let peers = mesh.clique([2, 3])
        say(.request(to: peers[1].id), by: peers[0])
        #expect(steps(peers[1]) == [.offer(from: peers[0].id)] && steps(peers[0]).isEmpty)
        #expect(mesh.count(.tunnelsForwarded) == 1 && mesh.node.counted(counters) == 1)
        mesh.pass(.seconds(1))
        for (from, to) in [(peers[0], peers[1]), (peers[1], peers[0])] {
            for step in [TunnelStep.data([1, 2]), .credit(0)] {
                say(step, by: from)
                #expect(steps(to) == [step] && steps(from).isEmpty)
            }
            // 66 bytes of the window are credited.
            say(.credit(66), by: to)
            #expect(steps(from) == [.credit(66)])
        }
        say(.close(.ended), by: peers[1])
        #expect(steps(peers[0]) == [.close(.ended)] && mesh.count(.tunnelsClosed) == 1)
        say(.data([1]), by: peers[0])
        #expect(steps(peers[0]) == [.close(.unknown)] && mesh.count(.tunnelFramesUnknown) == 1)
        // A CLOSE is never answered.
        say(.close(.ended), by: peers[0])
        #expect(steps(peers[0]).isEmpty && mesh.node.counted(counters) == 3)
    }

    @Test("a request is refused with a reason: no route, or a number that is in use on either hop")
    func refusals() {
        let peers = mesh.clique([2, 3, 4])
        for target in [stranger, mesh.own, peers[0].id] {
            say(.request(to: target), by: peers[0])
            #expect(steps(peers[0]) == [.close(.noRoute)])
        }
        #expect(mesh.count(.tunnelsRefused) == 3)
        say(.request(to: peers[1].id), by: peers[0])
        for (opener, target) in [(peers[0], peers[2]), (peers[2], peers[1])] {
            say(.request(to: target.id), by: opener)
            #expect(steps(opener) == [.close(.unknown)])
        }
        #expect(mesh.count(.tunnelsRefused) == 5 && mesh.node.counted(counters) == 6)
        let guest = mesh.enter(5) { $0.isEchoing = false }
        say(.request(to: peers[1].id), by: guest)
        #expect(mesh.count(.framesUnexpected) == 1 && mesh.node.counted(counters) == 6)
    }

    @Test("a neighbour forwards four tunnels of one opener and eight in all; an opener with few displaces others")
    func places() {
        let peers = mesh.clique([2, 3, 4, 5])
        func ask(_ opener: Int, _ number: UInt64) -> Bool {
            say(.request(to: peers[3].id), by: peers[opener], number: number)
            let answer = steps(peers[opener], number: number)
            #expect(answer.isEmpty || answer == [.close(.full)])
            return answer.isEmpty
        }
        #expect((0..<5).map { ask(0, $0) } == [true, true, true, true, false])
        #expect(mesh.count(.tunnelsOverLimit) == 1)
        #expect((10..<14).map { ask(1, $0) } == [true, true, true, true])
        #expect((20..<23).map { ask(2, $0) } == [true, true, false])
        // The oldest tunnel of the first opener gave way, then that of the second.
        #expect(steps(peers[0], number: 0) == [.close(.full)] && steps(peers[1], number: 10) == [.close(.full)])
        #expect(mesh.count(.tunnelsForwarded) == 10 && mesh.count(.tunnelsOverLimit) == 2)
        #expect(mesh.count(.tunnelsClosed) == 2)
    }

    @Test("an opener keeps two tunnels whoever else asks, and of those above two the one that passed data last")
    func keptPlaces() {
        let peers = mesh.clique([2, 3, 4, 5, 6, 7, 8, 9, 10])
        func ask(_ opener: Int, _ number: UInt64) -> Bool {
            say(.request(to: peers[8].id), by: peers[opener], number: number)
            return !steps(peers[opener], number: number).contains(.close(.full))
        }
        for number: UInt64 in 0..<4 { #expect(ask(0, number)) }
        for opener in 1..<5 { #expect(ask(opener, UInt64(opener * 10))) }
        mesh.pass(.seconds(1))
        for number: UInt64 in [0, 2] { say(.data([1]), by: peers[0], number: number) }
        #expect(ask(5, 50) && ask(6, 60) && !ask(7, 70))
        let closed = peers[0].take().compactMap { message -> UInt64? in
            guard case .tunnel(let frame) = message, frame.step == .close(.full) else { return nil }
            return frame.number
        }
        #expect(closed == [1, 3])
    }

    @Test("a peer may request eight tunnels at once, then two a second, whatever other peers request")
    func requests() {
        let peers = mesh.clique([2, 3, 4, 5])
        func ask(_ opener: Int) -> Bool {
            say(.request(to: peers[3].id), by: peers[opener])
            say(.close(.ended), by: peers[opener])
            return !steps(peers[opener]).contains(.close(.full))
        }
        #expect((0..<9).count { _ in ask(0) } == 8)
        mesh.pass(.milliseconds(499))
        #expect(!ask(0))
        mesh.pass(.milliseconds(1))
        #expect(ask(0) && !ask(0))
        mesh.pass(.seconds(10))
        for opener in 0..<3 { #expect((0..<9).count { _ in ask(opener) } == 8) }
    }

    @Test("data beyond the window, or credit beyond its use, closes the tunnel on both hops", arguments: [true, false])
    func overrun(isOfData: Bool) {
        let peers = mesh.clique([2, 3])
        say(.request(to: peers[1].id), by: peers[0])
        for _ in 0..<4 { say(.data(piece(4_096)), by: peers[0]) }
        #expect(steps(peers[1]).count == 5)
        if isOfData { say(.data([1]), by: peers[0]) } else { say(.credit(1), by: peers[0]) }
        #expect(peers.allSatisfy { steps($0) == [.close(.overrun)] } && mesh.count(.tunnelsClosed) == 1)
    }

    @Test("credits are held back so that data passes at 131,072 bytes a second")
    func heldCredits() {
        let peers = mesh.clique([2, 3])
        say(.request(to: peers[1].id), by: peers[0])
        mesh.pass(.seconds(1))
        mesh.forget()
        // Half a second's worth is free: four windows of 16,384. The fifth window is held for an eighth of a second.
        for round in 0..<5 {
            for _ in 0..<4 { say(.data(piece(4_096)), by: peers[0]) }
            say(.credit(16_384), by: peers[1])
            #expect(steps(peers[0]) == (round < 4 ? [.credit(16_384)] : []))
        }
        mesh.pass(.milliseconds(124))
        #expect(steps(peers[0]).isEmpty)
        mesh.pass(.milliseconds(1))
        #expect(steps(peers[0]) == [.credit(16_384)] && mesh.count(.tunnelsClosed) == 0)
    }

    @Test("a tunnel ends after 30 s of silence of an end; any frame of each end keeps it")
    func silence() {
        let peers = mesh.clique([2, 3])
        for peer in peers { mesh.advertiseLinks(of: peer, with: peers.filter { $0 !== peer }.map(\.id)) }
        say(.request(to: peers[1].id), by: peers[0])
        mesh.pass(.seconds(20))
        for peer in peers { say(.credit(0), by: peer) }
        mesh.forget()
        mesh.pass(.milliseconds(29_999))
        #expect(mesh.count(.tunnelsClosed) == 0)
        mesh.pass(.milliseconds(1))
        #expect(peers.allSatisfy { steps($0) == [.close(.silent)] } && mesh.count(.tunnelsClosed) == 1)
    }

    @Test("a carrier that closes breaks its tunnel, and only the other end is informed")
    func broken() {
        let peers = mesh.clique([2, 3])
        say(.request(to: peers[1].id), by: peers[0])
        mesh.forget()
        mesh.input(.carrierClosed(peers[1].carrier, .reset))
        #expect(steps(peers[0]) == [.close(.broken)] && steps(peers[1]).isEmpty)
        #expect(mesh.count(.tunnelsClosed) == 1)
    }

    // MARK: At the acceptor

    @Test("an offer is accepted: the shell may send, and gets the data")
    func accepting() {
        let peer = mesh.clique([2])[0]
        say(.offer(from: stranger), by: peer)
        #expect(shellWords == ["accept 1 true", "ready 1"] && mesh.count(.tunnelsAccepted) == 1)
        say(.data([1, 2]), by: peer)
        #expect(shellWords.last == "bytes 1 2" && steps(peer).isEmpty)
        say(.close(.broken), by: peer)
        #expect(shellWords.last == "close 1" && mesh.count(.tunnelsClosed) == 1 && steps(peer).isEmpty)
        #expect(mesh.node.counted(counters) == 2)
    }

    @Test("an offer from the node itself, from the neighbour and from a blocked peer is refused")
    func acceptNot() {
        let peer = mesh.clique([2])[0]
        let blocked = TestIdentity.nodeID(seed: 98)
        mesh.command(.block(blocked))
        for opener in [mesh.own, peer.id, blocked] {
            say(.offer(from: opener), by: peer)
            #expect(steps(peer) == [.close(.refused)])
        }
        #expect(mesh.count(.tunnelsRefused) == 3 && mesh.node.counted(counters) == 3 && shellWords.isEmpty)
    }

    @Test("four tunnels of one peer are accepted through one neighbour, each with its own number")
    func acceptFew() {
        let peers = mesh.clique([2, 3])
        for number: UInt64 in 0..<5 { say(.offer(from: stranger), by: peers[0], number: number) }
        #expect(mesh.count(.tunnelsAccepted) == 4 && mesh.count(.tunnelsOverLimit) == 1)
        #expect(steps(peers[0], number: 4) == [.close(.full)])
        say(.offer(from: TestIdentity.nodeID(seed: 98)), by: peers[0], number: 0)
        say(.offer(from: stranger), by: peers[1], number: 0)
        #expect(mesh.count(.tunnelsAccepted) == 5 && mesh.count(.tunnelsOverLimit) == 2)
        #expect(steps(peers[0], number: 0) == [.close(.full)])
    }

    @Test("eight tunnels are accepted through one neighbour; of all, sixteen at once and then four a second")
    func acceptShares() {
        let peers = mesh.clique([2, 3, 4, 5])
        func offer(_ hop: Int, _ number: UInt64) -> Bool {
            say(.offer(from: TestIdentity.nodeID(seed: 1_000 + number)), by: peers[hop], number: number)
            let answer = steps(peers[hop], number: number)
            #expect(answer.isEmpty || answer == [.close(.full)])
            return answer.isEmpty
        }
        #expect((0..<9).count { offer(0, $0) } == 8)
        mesh.pass(.seconds(4))
        // The rate allows a ninth one, the share does not, until one ends.
        #expect(!offer(0, 9))
        say(.close(.ended), by: peers[0], number: 0)
        #expect(offer(0, 10) && !offer(0, 11))
        // One offer is spent: 15 are left for all.
        #expect((20..<28).count { offer(1, $0) } == 8 && (30..<38).count { offer(2, $0) } == 7)
        mesh.pass(.milliseconds(249))
        #expect(!offer(3, 40))
        mesh.pass(.milliseconds(1))
        #expect(offer(3, 41) && mesh.count(.tunnelsAccepted) == 25)
    }

    @Test("credit is returned when a quarter of the window has been taken, and sent data uses the own window")
    func credits() {
        let peer = mesh.clique([2])[0]
        let id = TunnelID(number: 1)
        say(.offer(from: stranger), by: peer)
        for _ in 0..<4 { say(.data(piece(4_096)), by: peer) }
        mesh.input(.tunnelTook(id, byteCount: 4_031))
        #expect(steps(peer).isEmpty)
        mesh.input(.tunnelTook(id, byteCount: 1))
        #expect(steps(peer) == [.credit(4_160)])
        mesh.input(.tunnelTook(id, byteCount: 4_032))
        #expect(steps(peer) == [.credit(4_096)])
        say(.data(piece(4_096)), by: peer)
        say(.data(piece(4_096)), by: peer)
        #expect(mesh.count(.tunnelsClosed) == 0)
        mesh.forget()
        // The own window: a frame of 4,160 fits three times. Then credit is missing, until it comes.
        for count in 1...3 {
            mesh.input(.tunnelSend(id, [UInt8](repeating: 1, count: 4_096)))
            #expect(shellWords.count == min(count, 2))
        }
        #expect(steps(peer).count == 3)
        say(.credit(255), by: peer)
        #expect(shellWords.count == 2)
        say(.credit(1), by: peer)
        #expect(shellWords == ["ready 1", "ready 1", "ready 1"])
        say(.credit(12_224), by: peer)
        #expect(shellWords.count == 3 && mesh.count(.tunnelsClosed) == 0)
        say(.credit(1), by: peer)
        #expect(steps(peer) == [.close(.overrun)] && shellWords.last == "close 1")
    }

    @Test("data beyond the window ends the tunnel; an end by the shell is sent, and later shell inputs are ignored")
    func ends() {
        let peer = mesh.clique([2])[0]
        say(.offer(from: stranger), by: peer)
        for _ in 0..<4 { say(.data(piece(4_096)), by: peer) }
        say(.data([1]), by: peer)
        #expect(steps(peer) == [.close(.overrun)] && shellWords.last == "close 1")
        #expect(shellWords.count { $0.hasPrefix("bytes") } == 4)
        say(.offer(from: stranger), by: peer)
        mesh.input(.tunnelFinished(TunnelID(number: 2)))
        #expect(steps(peer) == [.close(.ended)] && mesh.count(.tunnelsClosed) == 2)
        let words = shellWords.count
        for word in [MeshInput.tunnelSend(TunnelID(number: 2), [1]), .tunnelTook(TunnelID(number: 2), byteCount: 1)] {
            mesh.input(word)
        }
        mesh.input(.tunnelFinished(TunnelID(number: 2)))
        #expect(steps(peer).isEmpty && shellWords.count == words && mesh.count(.tunnelsClosed) == 2)
    }

    @Test("an idle end sends CREDIT 0 every 10 s, and ends after 30 s of silence")
    func keepsAlive() {
        let peer = mesh.clique([2])[0]
        say(.offer(from: stranger), by: peer)
        mesh.pass(.milliseconds(9_999))
        #expect(steps(peer).isEmpty && mesh.count(.tunnelsClosed) == 0)
        mesh.pass(.milliseconds(1))
        #expect(steps(peer) == [.credit(0)])
        mesh.input(.tunnelSend(TunnelID(number: 1), [1]))
        mesh.pass(.seconds(5))
        say(.credit(0), by: peer)
        #expect(steps(peer) == [.data([1])])
        mesh.pass(.milliseconds(29_999))
        #expect(steps(peer) == [.credit(0), .credit(0), .credit(0)])
        mesh.pass(.milliseconds(1))
        #expect(steps(peer) == [.close(.silent)] && shellWords.last == "close 1")
    }

    @Test("a tunnel whose carrier has closed ends without a frame")
    func carrierCloses() {
        let peer = mesh.clique([2])[0]
        say(.offer(from: stranger), by: peer)
        mesh.input(.carrierClosed(peer.carrier, .reset))
        #expect(shellWords.last == "close 1" && steps(peer).isEmpty && mesh.count(.tunnelsClosed) == 1)
    }
}
