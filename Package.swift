// swift-tools-version: 6.2
//
// The manifest follows the diagram in docs/ARCHITECTURE.md, with the layers from bottom to top: a target may depend
// only on targets above it in this file. TidyTests check that the sources import nothing else.

import Foundation
import PackageDescription

// MARK: - The cryptographic C libraries

let cipher: [Target] = [
    // Needs Debian's libssl-dev.
    .target(
        name: "CMediaCipher", path: "Sources/Shims/CMediaCipher", linkerSettings: [.linkedLibrary("crypto")]),
    systemLibrary("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
]

// MARK: - Core: no clock, no I/O, no threads, no Foundation

let core: [Target] = [
    module("Primitives", in: "Core", []),
    module("Wire", in: "Core", ["Primitives", .protobuf], excluding: ["Protocol"]),
    module("Trust", in: "Core", ["Primitives", "Wire"]),
    module("TrustCrypto", in: "Core", ["Primitives", "Trust", "CMediaCipher", "CSodium"]),
    module("Voice", in: "Core", ["Primitives", "Wire"]),
    module("Channels", in: "Core", ["Primitives", "Wire", "Trust"]),
    module("Mesh", in: "Core", ["Primitives", "Wire", "Trust"]),
    module("Node", in: "Core", ["Primitives", "Wire", "Voice", "Channels", "Mesh"]),
]

// MARK: - Shims: interfaces to C libraries and the system

let shims: [Target] = [
    systemLibrary("COpus", pkgConfig: "opus", apt: "libopus-dev"),
    systemLibrary("CAlsa", pkgConfig: "alsa", apt: "libasound2-dev"),
    systemLibrary("CAvahi", pkgConfig: nil, apt: "libavahi-client-dev"),
    // Optional: without this library, the node is built without noise suppression. SwiftPM warns that it ignores the
    // definitions of pkg-config; CSpeechProcessing has them in its source.
    systemLibrary(
        "CWebRTCAudioProcessing", pkgConfig: "webrtc-audio-processing", apt: "libwebrtc-audio-processing-dev"),
    .target(
        name: "CSpeechProcessing", dependencies: ["CWebRTCAudioProcessing"], path: "Sources/Shims/CSpeechProcessing"),
    .target(name: "CLinux", path: "Sources/Shims/CLinux"),
    module("SystemClock", in: "Shims", ["Primitives", "CLinux"]),
    module("NIOBridge", in: "Shims", ["Primitives", "CLinux"] + [.nioCore]),
]

// MARK: - Handover: where two threads meet

let handover: [Target] = [
    module("Handover", in: "", ["Primitives", "CLinux"])
]

// MARK: - Adapters: each for one library or part of the system; none imports another

let adapters: [Target] = [
    module(
        "Carrier", in: "Adapters",
        ["Primitives", "NIOBridge", "SystemClock", "CLinux", "CSodium"] + [.nioCore, .nioPosix, .nioTLS, .nioSSL]),
    module(
        "MediaSocket", in: "Adapters",
        ["Primitives", "NIOBridge", "SystemClock", "CLinux"] + [.nioCore, .nioPosix]),
    module("Discovery", in: "Adapters", ["Primitives", "NIOBridge", "CAvahi", "CLinux"] + [.nioCore, .nioPosix]),
    module("OpusCodec", in: "Adapters", ["Primitives", "Voice", "COpus"]),
    module("SpeechProcessing", in: "Adapters", ["CSpeechProcessing"]),
    module("AlsaAudio", in: "Adapters", ["Primitives", "CAlsa", "SystemClock"]),
    module("FileAudio", in: "Adapters", ["Primitives", "SystemClock", "CLinux"]),
    module("StateStore", in: "Adapters", ["Primitives", "Handover", "CLinux", .grdb]),
    module("ControlPlane", in: "Adapters", ["Primitives", "NIOBridge", "CLinux"] + [.nioCore, .nioPosix]),
]

// MARK: - App: the only layer that imports both Core's protocol and adapters

let app: [Target] = [
    module(
        "AudioIO", in: "App",
        ["Primitives", "Wire", "Voice", "Handover", "AlsaAudio", "FileAudio", "SpeechProcessing"]
            + ["SystemClock", "CLinux"]),
    module("Recording", in: "App", ["Primitives", "Handover", "FileAudio", "AudioIO", "SystemClock"]),
    // It reaches sound devices and sound files through AudioIO and Recording.
    module(
        "NodeRuntime", in: "App",
        (core + adapters).map(\.name).filter { !["AlsaAudio", "FileAudio"].contains($0) }.map { .byName(name: $0) }
            + ["AudioIO", "Recording", "Handover", "SystemClock", "NIOBridge", "CLinux"] + [.nioCore, .nioPosix]
            + [.logging, .lifecycle, .unixSignals, .toml]),
    module(
        "Lab", in: "App",
        ["NodeRuntime", "Primitives", "ControlPlane", "FileAudio", "SystemClock", "CLinux", .arguments],
        excluding: ["Voices/README.md"]),
    module(
        "Commands", in: "App",
        ["NodeRuntime", "Lab", "ControlPlane", "Primitives", "SystemClock", "CLinux", .arguments]),
    .executableTarget(
        name: "partyline", dependencies: ["Commands"], path: "Sources/App/partyline",
        swiftSettings: .house),
]

// MARK: - Simulations: a second shell around Core, without adapters

let simulations: [Target] = [
    // Run-time checks for overlapping access to memory took a fifth of a long run, so the release build has none. A
    // debug build has them.
    .target(
        name: "MeshSimulator",
        dependencies: ["Primitives", "Wire", "Trust", "Channels", "Mesh", "Voice", "Node"],
        path: "Simulations/MeshSimulator",
        swiftSettings: .played + .unchecked),
    .executableTarget(
        name: "meshsim", dependencies: ["MeshSimulator", "TrustCrypto", .arguments],
        path: "Simulations/meshsim", swiftSettings: .played),
]

// MARK: - Tests: a folder for each target of Sources

let tests: [Target] = [
    .target(
        name: "TestKit", dependencies: ["Primitives", "Wire", "Trust"], path: "Tests/TestKit",
        swiftSettings: .house),
    .target(
        name: "MeshTestKit",
        dependencies: ["Primitives", "Wire", "Trust", "Voice", "Channels", "Mesh", "Node", "MeshSimulator", "TestKit"],
        path: "Tests/MeshTestKit", swiftSettings: .house),
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .target(name: "CUnpluggableCard", path: "Tests/CUnpluggableCard"),
    .target(name: "CFailingDisk", path: "Tests/CFailingDisk"),
    .target(name: "CFailingSync", path: "Tests/CFailingSync"),
    .target(name: "CThreadPrivilege", path: "Tests/CThreadPrivilege"),
    testing("Primitives"),
    testing("Wire", "Primitives"),
    testing("Trust", "Primitives", "Wire"),
    testing("TrustCrypto", "Primitives", "Wire", "Trust", "CAllocationCount"),
    testing("Voice", "Primitives", "Wire"),
    testing("Channels", "Primitives", "Wire", "Trust", "TrustCrypto"),
    testing("Mesh", "Primitives", "Wire", "Trust", "Node", "MeshTestKit"),
    testing(
        "Node", "Primitives", "Wire", "Trust", "TrustCrypto", "Voice", "Channels", "Mesh", "Handover", "MeshTestKit",
        "CAllocationCount"),
    testing("Handover", "Primitives", "CLinux"),
    testing("SystemClock", "Primitives"),
    testing("NIOBridge", "Primitives", .nioCore, .nioPosix),
    testing("Carrier", "Primitives", "NIOBridge", .nioCore, .nioPosix, .nioSSL, .nioTLS),
    testing("MediaSocket", "Primitives", "NIOBridge", "SystemClock", .nioCore, .nioPosix),
    testing("Discovery", "Primitives", "NIOBridge", "CLinux", .nioCore, .nioPosix),
    testing("OpusCodec", "Primitives", "Wire", "Voice", "CAllocationCount"),
    testing("SpeechProcessing", "Primitives"),
    testing("AlsaAudio", "Primitives", "SystemClock"),
    testing("FileAudio", "Primitives", "SystemClock"),
    testing("StateStore", "Primitives", "CFailingDisk"),
    testing("ControlPlane", "Primitives", .nioCore, .nioPosix),
    testing(
        "AudioIO", "Primitives", "Wire", "Voice", "Handover", "OpusCodec", "FileAudio", "SystemClock",
        "CLinux", "CAllocationCount", "CUnpluggableCard", "CThreadPrivilege"),
    testing("Recording", "Primitives", "Handover", "AudioIO", "FileAudio", "SystemClock", "CFailingSync"),
    testing(
        "NodeRuntime", "Primitives", "Wire", "Voice", "Channels", "Mesh", "AudioIO", "Recording", "StateStore",
        "Carrier", "MediaSocket", "ControlPlane", "Discovery", "FileAudio", .nioCore, .nioPosix, .logging, .lifecycle),
    testing("Lab", "Primitives", "NodeRuntime", "ControlPlane", .arguments),
    testing("Commands", "Primitives", "NodeRuntime", "Lab", "ControlPlane"),
    testing("MeshSimulator", "Primitives", "Wire", "Trust", "TrustCrypto", "Channels", "Mesh"),
    testing("meshsim", "Primitives", "MeshSimulator", .arguments),
    .testTarget(name: "TidyTests", path: "Tests/TidyTests", swiftSettings: .house),
]

// MARK: - Fuzzers: for parsers and whole machines; built with sanitizers into a scratch path of their own

/// Not set: no fuzzers. `1`: programs, which only link with `--sanitize=fuzzer`. `compile`: modules without a program,
/// by which a check sees that the fuzzers still compile.
let fuzzing = ProcessInfo.processInfo.environment["PARTYLINE_FUZZ"]

let fuzzers: [Target] =
    fuzzing == nil
    ? []
    : [
        fuzzer("FuzzFrame", "Wire"), fuzzer("FuzzDatagram", "Wire", "Trust"),
        fuzzer("FuzzRecord", "Wire"), fuzzer("FuzzBeacon", "Wire"), fuzzer("FuzzEntry", "Wire"),
        fuzzer("FuzzVoicePayload", "Wire"), fuzzer("FuzzText", "Primitives", "Trust", "Channels"),
        fuzzer("FuzzAdmission", "Mesh", "Primitives", "Trust", "Wire"),
        fuzzer("FuzzListening", "Primitives", "Voice", "OpusCodec"),
        fuzzer(
            "FuzzHostileMember", "Primitives", "Wire", "Trust", "Voice", "Channels", "Mesh", "Node", "MeshSimulator",
            "TestKit", "MeshTestKit"),
        fuzzer("FuzzWave", "FileAudio"), fuzzer("FuzzState", "StateStore"),
        fuzzer("FuzzServiceText", "Primitives", "Discovery"), fuzzer("FuzzControl", "ControlPlane", "NodeRuntime"),
        fuzzer("FuzzFrameReader", "Carrier", "ControlPlane", .nioCore),
        fuzzer("FuzzConfiguration", "NodeRuntime"), fuzzer("FuzzCrew", "NodeRuntime"),
    ]

// MARK: - Ill-behaved members for the network tests (Tests/Network/hostile-members)

let hostiles: [Target] =
    ProcessInfo.processInfo.environment["PARTYLINE_HOSTILE"] == "1"
    ? [
        .executableTarget(
            name: "hostile-member",
            dependencies: ["Primitives", "Wire", "Trust", "TrustCrypto", "Channels", "Mesh", "Carrier", "TestKit"]
                + ["SystemClock", "NIOBridge", "CLinux", .arguments]
                + [.nioCore, .nioPosix, .nioTLS, .nioSSL],
            path: "Tests/Network/HostileMember", swiftSettings: .house)
    ] : []

let package = Package(
    name: "partyline",
    products: [
        .executable(name: "partyline", targets: ["partyline"]),
        .executable(name: "meshsim", targets: ["meshsim"]),
    ] + (fuzzers + hostiles).filter { $0.type == .executable }.map { .executable(name: $0.name, targets: [$0.name]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", exact: "0.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: cipher + core + shims + handover + adapters + app + simulations + tests + fuzzers + hostiles,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx14
)

// MARK: - Functions and values of the manifest

extension [SwiftSetting] {
    /// Settings of all Swift targets.
    static var house: [SwiftSetting] {
        let strict = ProcessInfo.processInfo.environment["PARTYLINE_STRICT"] == "1"
        return [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            // The compiler can prove only of optimised code that audio threads neither allocate nor lock.
            .unsafeFlags(["-Xllvm", "-sil-disable-pass=performance-diagnostics"], .when(configuration: .debug)),
        ] + (strict ? [.treatAllWarnings(as: .error)] : [])
    }

    /// Settings of the targets that the simulator runs. With PARTYLINE_ONE_THREAD, reference counts are not atomic and
    /// access to memory is not checked, which makes a run on one thread a quarter faster. `make lives` builds so, into
    /// a scratch path of its own.
    static var played: [SwiftSetting] {
        guard ProcessInfo.processInfo.environment["PARTYLINE_ONE_THREAD"] == "1" else { return house }
        return house + [
            .define("PARTYLINE_ONE_THREAD"),
            .unsafeFlags(["-Xfrontend", "-assume-single-threaded", "-enforce-exclusivity=unchecked"]),
        ]
    }

    /// For Core, for the simulator around it, and for the other modules through which each datagram and each
    /// sample passes. One thread at a time holds a node, or the state of an audio thread, and nothing calls back into
    /// it. So a release build does not check whether two accesses to a field overlap. In Core that check cost 4 % of
    /// the instructions for a datagram, in the others 1.5 % of a node's time. A debug build checks it.
    static var unchecked: [SwiftSetting] {
        [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]
    }
}

func module(
    _ name: String, in layer: String, _ dependencies: [Target.Dependency], excluding folders: [String] = []
) -> Target {
    let carriesVoice = ["Handover", "MediaSocket", "AlsaAudio", "AudioIO", "NodeRuntime"].contains(name)
    let settings: [SwiftSetting] =
        layer == "Core" ? .played + .unchecked : carriesVoice ? .house + .unchecked : .house
    return .target(
        name: name, dependencies: dependencies,
        path: layer.isEmpty ? "Sources/\(name)" : "Sources/\(layer)/\(name)", exclude: folders,
        swiftSettings: settings)
}

func testing(_ subject: String, _ dependencies: Target.Dependency...) -> Target {
    // Without optimisation, tests compile in half the time. The modules that they test are optimised. Tests of Voice
    // compute sound themselves, and tests that count allocations may make none of their own: they need it too.
    let countsAllocations = dependencies.contains {
        if case .byNameItem("CAllocationCount", _) = $0 { true } else { false }
    }
    var settings: [SwiftSetting] = .house
    if subject != "Voice", !countsAllocations { settings.append(.unsafeFlags(["-Onone"])) }
    // The largest target: the compiler takes longer for each macro the more macros a module has. In batches of files it
    // uses all processors, which shortens the wait after a change by a third.
    if subject == "Mesh" {
        let inBatches = ["-no-whole-module-optimization", "-enable-batch-mode", "-num-threads", "0"]
        settings.append(.unsafeFlags(inBatches))
    }
    return .testTarget(
        name: "\(subject)Tests", dependencies: [.byName(name: subject), "TestKit"] + dependencies,
        path: "Tests/\(subject)Tests", swiftSettings: settings)
}

func fuzzer(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    let path = "Tests/Fuzz/\(name)"
    return fuzzing == "compile"
        ? .target(name: name, dependencies: dependencies, path: path, swiftSettings: .house)
        : .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: .house)
}

func systemLibrary(_ name: String, pkgConfig: String?, apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Shims/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

extension Target.Dependency {
    static var nioCore: Self { .product(name: "NIOCore", package: "swift-nio") }
    static var nioPosix: Self { .product(name: "NIOPosix", package: "swift-nio") }
    static var nioTLS: Self { .product(name: "NIOTLS", package: "swift-nio") }
    static var nioSSL: Self { .product(name: "NIOSSL", package: "swift-nio-ssl") }
    static var protobuf: Self { .product(name: "SwiftProtobuf", package: "swift-protobuf") }
    static var grdb: Self { .product(name: "GRDB", package: "GRDB.swift") }
    static var logging: Self { .product(name: "Logging", package: "swift-log") }
    static var lifecycle: Self { .product(name: "ServiceLifecycle", package: "swift-service-lifecycle") }
    static var unixSignals: Self { .product(name: "UnixSignals", package: "swift-service-lifecycle") }
    static var toml: Self { .product(name: "TOMLKit", package: "TOMLKit") }
    static var arguments: Self { .product(name: "ArgumentParser", package: "swift-argument-parser") }
}
