import Carrier
import Foundation
import Primitives
import Testing

/// Clients that OpenSSL plays, because our own would not misbehave so.
@Suite(
    "Strangers", .timeLimit(.minutes(1)),
    .enabled(if: OpenSSL.isInstalled, "the openssl command is not installed"))
struct StrangerTests {
    @Test("an Ed25519 certificate with the right protocol is welcome: the control of the refusals below")
    func welcome() async throws {
        let openssl = try OpenSSL()
        let rig = try await CarrierRig.start()
        let client = try openssl.connect(rig.endpoint, await openssl.certificate("ed25519") + OpenSSL.alpn)
        _ = await rig.accepted()
        client.stop()
        await rig.service.shutdown()
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var key: String?
        var options: [String]
        var counter: CarrierCounter
    }

    @Test(
        "is refused",
        arguments: [
            Refusal(testDescription: "no certificate", key: nil, options: OpenSSL.alpn, counter: .handshakesFailed),
            Refusal(testDescription: "RSA", key: "rsa", options: OpenSSL.alpn, counter: .handshakesFailed),
            Refusal(testDescription: "P-256", key: "p256", options: OpenSSL.alpn, counter: .handshakesFailed),
            Refusal(
                testDescription: "a key exchange by P-256", key: "ed25519",
                options: OpenSSL.alpn + ["-groups", "P-256"], counter: .handshakesFailed),
            Refusal(
                testDescription: "TLS 1.2", key: "ed25519", options: OpenSSL.alpn + ["-tls1_2"],
                counter: .handshakesFailed),
            Refusal(
                testDescription: "another protocol", key: "ed25519", options: ["-alpn", "h2"],
                counter: .wrongProtocol),
            Refusal(testDescription: "no protocol", key: "ed25519", options: [], counter: .wrongProtocol),
            Refusal(
                testDescription: "a chain of two certificates", key: "ed25519+chain", options: OpenSSL.alpn,
                counter: .certificatesRefused),
        ])
    func refused(_ refusal: Refusal) async throws {
        let openssl = try OpenSSL()
        let rig = try await CarrierRig.start()
        var certificate: [String] = []
        if let key = refusal.key { certificate = try await openssl.certificate(key) }
        try await openssl.connect(rig.endpoint, certificate + refusal.options).waitUntilExit()
        let counters = try await rig.settled { 0 < $0[refusal.counter] }
        #expect(counters[refusal.counter] == 1)
        #expect(!rig.events.contains { if case .opened = $0 { true } else { false } })
        await rig.service.shutdown()
    }

    @Test("a stolen session ticket without certificate and key gets nobody in")
    func stolenTicket() async throws {
        let openssl = try OpenSSL()
        let rig = try await CarrierRig.start()
        let ticket = openssl.folder.appending(path: "ticket.pem").path
        let member = try openssl.connect(
            rig.endpoint, await openssl.certificate("ed25519") + OpenSSL.alpn + ["-sess_out", ticket])
        let id = await rig.accepted().id
        // BoringSSL sends its tickets along with the first data.
        rig.service.send([1, 2, 3], on: id)
        try await waitUntil { (try? String(contentsOfFile: ticket, encoding: .utf8))?.contains("SESSION") == true }
        member.stop()
        _ = await rig.closed(id)

        let thief = try openssl.connect(rig.endpoint, OpenSSL.alpn + ["-sess_in", ticket])
        try await thief.waitUntilExit()
        let counters = try await rig.settled { 0 < $0[.handshakesFailed] + $0[.verificationSkipped] }
        #expect(counters[.handshakesFailed] == 1)
        // Zero: the fresh context refused the ticket, before the second line of defence was asked.
        #expect(counters[.verificationSkipped] == 0)
        #expect(!rig.events.contains { if case .opened = $0 { true } else { false } })
        #expect(!thief.output.contains("Reused"))
        await rig.service.shutdown()
    }
}

extension CarrierRig {
    /// Counters once `isThere` holds of them.
    func settled(_ isThere: (Counters<CarrierCounter>) -> Bool) async throws -> Counters<CarrierCounter> {
        while true {
            let counters = await service.counters()
            if isThere(counters) { return counters }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Ended by the suite's time limit where it never holds.
func waitUntil(_ condition: () async -> Bool) async throws {
    while await !condition() { try await Task.sleep(for: .milliseconds(5)) }
}
