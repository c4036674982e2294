import Foundation
import Primitives

/// The openssl command with a folder of its own for keys and tickets.
final class OpenSSL {
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/openssl") }
    static let alpn = ["-alpn", "partyline/2"]

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "carrier-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Options that present a new self-signed certificate: `ed25519`, `rsa`, `p256`, or
    /// `ed25519+chain`, which sends it twice.
    func certificate(_ kind: String) async throws -> [String] {
        let key = folder.appending(path: "\(kind).key").path
        let certificate = folder.appending(path: "\(kind).crt").path
        let algorithm: [String] =
            switch kind {
            case "rsa": ["rsa:2048"]
            case "p256": ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
            default: ["ed25519"]
            }
        let status = try await OpenSSL.run(
            [
                "req", "-x509", "-nodes", "-subj", "/CN=node", "-days", "2", "-keyout", key, "-out", certificate,
                "-newkey",
            ] + algorithm)
        guard status == 0 else { throw CocoaError(.executableLoad) }
        let chain = kind.hasSuffix("+chain") ? ["-cert_chain", certificate] : []
        return ["-cert", certificate, "-key", key] + chain
    }

    /// Whether a certificate (DER) is signed by the key in it.
    func verifies(selfSigned certificate: [UInt8]) async throws -> Bool {
        let (der, pem) = (folder.appending(path: "own.der"), folder.appending(path: "own.pem").path)
        try Data(certificate).write(to: der)
        guard try await OpenSSL.run(["x509", "-inform", "der", "-in", der.path, "-out", pem]) == 0 else { return false }
        return try await OpenSSL.run(["verify", "-check_ss_sig", "-CAfile", pem, pem]) == 0
    }

    func connect(_ endpoint: Endpoint, _ options: [String]) throws -> OpenSSLClient {
        try OpenSSLClient(["s_client", "-connect", "\(endpoint)", "-nocommands"] + options)
    }

    private static func run(_ arguments: [String]) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await waitUntil { !process.isRunning }
        return process.terminationStatus
    }
}

/// A running `openssl s_client`. It stays while its input is open, unless the server ends it.
final class OpenSSLClient {
    private let process = Process()
    private let input = Pipe()
    private let log = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = input
        process.standardOutput = log
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// What it printed; to be asked once, after its end.
    var output: String { String(decoding: (try? log.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self) }

    func waitUntilExit() async throws { try await waitUntil { [process] in !process.isRunning } }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.terminate()
    }
}
