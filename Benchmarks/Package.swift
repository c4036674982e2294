// swift-tools-version: 6.2
//
// A package of its own, so that nobody who builds partyline fetches or builds what only measuring
// needs. `Sources`, `Simulations` and `Tests` here are links to the folders next door: `package`
// visibility ends at a package's edge, so the few modules that are measured are compiled here once
// more, from the same files, exactly as ../Package.swift declares them.

import PackageDescription

// MARK: - What is measured

let measured: [Target] = [
    .target(
        name: "CMediaCipher", path: "Sources/Shims/CMediaCipher", linkerSettings: [.linkedLibrary("crypto")]),
    .systemLibrary(
        name: "CSodium", path: "Sources/Shims/CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    module("Primitives", in: "Core", []),
    module("Wire", in: "Core", ["Primitives", .protobuf], excluding: ["Protocol"]),
    module("Trust", in: "Core", ["Primitives", "Wire"]),
    module("TrustCrypto", in: "Core", ["Primitives", "Trust", "CMediaCipher", "CSodium"]),
    module("Voice", in: "Core", ["Primitives", "Wire"]),
    module("Channels", in: "Core", ["Primitives", "Wire", "Trust"]),
    module("Mesh", in: "Core", ["Primitives", "Wire", "Trust"]),
    module("Node", in: "Core", ["Primitives", "Wire", "Voice", "Channels", "Mesh"]),
    .systemLibrary(name: "COpus", path: "Sources/Shims/COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
    module("OpusCodec", in: "Adapters", ["Primitives", "Voice", "COpus"]),
    .target(
        name: "MeshSimulator",
        dependencies: ["Primitives", "Wire", "Trust", "Channels", "Mesh", "Voice", "Node"],
        path: "Simulations/MeshSimulator", swiftSettings: .unchecked),
]

// MARK: - How

let measuring: [Target] = [
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .target(
        name: "TestKit", dependencies: ["Primitives", "Wire", "Trust"], path: "Tests/TestKit",
        swiftSettings: .house),
    .target(
        name: "MeshTestKit",
        dependencies: ["Primitives", "Wire", "Trust", "Voice", "Channels", "Mesh", "Node", "MeshSimulator", "TestKit"],
        path: "Tests/MeshTestKit", swiftSettings: .house),
    .executableTarget(
        name: "HotPaths",
        dependencies: measured.map { .byName(name: $0.name) } + [
            "CAllocationCount", "MeshTestKit", .benchmark,
        ],
        path: "HotPaths", swiftSettings: .house,
        plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    // A folder deeper: what lies in a folder named Benchmarks is run as a benchmark.
    .executableTarget(name: "Figures", path: "Tools/Figures", swiftSettings: .house),
]

let package = Package(
    name: "partyline-benchmarks",
    platforms: [.macOS(.v14)],
    dependencies: [
        // Without its interposers: `CAllocationCount` counts allocations, here as in the tests.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0", traits: []),
    ],
    targets: measured + measuring,
    swiftLanguageModes: [.v6]
)

// MARK: - Words of the manifest

extension [SwiftSetting] {
    static var house: [SwiftSetting] {
        [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
    }

    static var unchecked: [SwiftSetting] {
        house + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]
    }
}

func module(
    _ name: String, in layer: String, _ dependencies: [Target.Dependency], excluding folders: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", exclude: folders,
        swiftSettings: layer == "Core" ? .unchecked : .house)
}

extension Target.Dependency {
    static var benchmark: Self { .product(name: "Benchmark", package: "benchmark") }
    static var protobuf: Self { .product(name: "SwiftProtobuf", package: "swift-protobuf") }
}
