// swift-tools-version: 6.2
//
// A package of its own, so that nobody who builds or tests partyline fetches and builds a parser of Swift.

import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "mutation",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1"),
    ],
    targets: [
        .target(
            name: "MutationSites",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftOperators", package: "swift-syntax"),
            ], swiftSettings: house),
        .executableTarget(
            name: "mutants",
            dependencies: ["MutationSites", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: house),
        .testTarget(name: "MutationSitesTests", dependencies: ["MutationSites"], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
