/// Arrows point down: which own modules each module may import. Written here once more than in
/// Package.swift, so that a new arrow is a decision and not a slip.
enum LayerImports {
    static let adapters = [
        "AlsaAudio", "Carrier", "ControlPlane", "Discovery", "FileAudio", "MediaSocket", "OpusCodec",
        "SpeechProcessing", "StateStore",
    ]
    static let shims = ["CAlsa", "CAvahi", "CLinux", "CMediaCipher", "COpus", "CSodium", "CSpeechProcessing"]
    private static let core = ["Primitives", "Wire", "Trust", "TrustCrypto", "Voice", "Channels", "Mesh", "Node"]

    static let allowed: [String: [String]] = [
        "Primitives": [],
        "Wire": ["Primitives"],
        "Trust": ["Primitives", "Wire"],
        "TrustCrypto": ["Primitives", "Wire", "Trust", "CMediaCipher", "CSodium"],
        "Voice": ["Primitives", "Wire"],
        "Channels": ["Primitives", "Wire", "Trust"],
        "Mesh": ["Primitives", "Wire", "Trust"],
        "Node": ["Primitives", "Wire", "Voice", "Channels", "Mesh"],
        "Handover": ["Primitives", "CLinux"],
        "SystemClock": ["Primitives", "CLinux"],
        "NIOBridge": ["Primitives", "CLinux"],
        "Carrier": ["Primitives", "NIOBridge", "SystemClock", "CLinux", "CSodium"],
        "MediaSocket": ["Primitives", "NIOBridge", "SystemClock", "CLinux"],
        "Discovery": ["Primitives", "NIOBridge", "CAvahi", "CLinux"],
        "OpusCodec": ["Primitives", "Voice", "COpus"],
        "SpeechProcessing": ["CSpeechProcessing"],
        "AlsaAudio": ["Primitives", "CAlsa", "SystemClock"],
        "FileAudio": ["Primitives", "SystemClock", "CLinux"],
        "StateStore": ["Primitives", "Handover", "CLinux"],
        "ControlPlane": ["Primitives", "NIOBridge", "CLinux"],
        "AudioIO": [
            "Primitives", "Wire", "Voice", "Handover", "AlsaAudio", "FileAudio", "SpeechProcessing", "SystemClock",
            "CLinux",
        ],
        "Recording": ["Primitives", "Handover", "FileAudio", "AudioIO", "SystemClock"],
        "NodeRuntime": core + adapters.filter { !["AlsaAudio", "FileAudio"].contains($0) } + [
            "AudioIO", "Recording", "Handover", "SystemClock", "NIOBridge", "CLinux",
        ],
        "Lab": ["Primitives", "NodeRuntime", "ControlPlane", "FileAudio", "SystemClock", "CLinux"],
        "Commands": ["Primitives", "NodeRuntime", "Lab", "ControlPlane", "SystemClock", "CLinux"],
        "partyline": ["Commands"],
        "MeshSimulator": ["Primitives", "Wire", "Trust", "Channels", "Mesh", "Voice", "Node"],
        "meshsim": ["Primitives", "MeshSimulator", "TrustCrypto"],
    ]

    /// Modules from outside that Core may use, and where.
    private static let outsideInCore: [String: [String]] = [
        "SwiftProtobuf": ["Sources/Core/Wire/"],
        // Generated code names it for toolchains without FoundationEssentials; it is not compiled here.
        "Foundation": ["Sources/Core/Wire/Generated/"],
        "FoundationEssentials": ["Sources/Core/Wire/Generated/"],
    ]

    static func violations(in text: String, at path: String) -> [Violation] {
        guard let module = module(of: path), let allowed = allowed[module] else {
            return [Violation(line: 1, what: "a module without a place in the layers")]
        }
        return imports(in: text).compactMap { line, name in
            if self.allowed[name] != nil || shims.contains(name) {
                return allowed.contains(name)
                    ? nil : Violation(line: line, what: "\(module) may not import \(name)")
            }
            guard path.hasPrefix("Sources/Core/") else { return nil }
            let places = outsideInCore[name] ?? []
            return places.contains(where: path.hasPrefix)
                ? nil : Violation(line: line, what: "Core may not import \(name) here")
        }
    }

    /// `Sources/LAYER/MODULE/…`, `Sources/Handover/…` or `Simulations/MODULE/…`.
    static func module(of path: String) -> String? {
        let parts = path.split(separator: "/").map(String.init)
        guard 3 <= parts.count else { return nil }
        return parts[0] == "Sources" && 4 <= parts.count && parts[1] != "Handover" ? parts[2] : parts[1]
    }

    private static func imports(in text: String) -> [(line: Int, name: String)] {
        let tokens = SwiftTokens.tokens(of: text)
        let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        return tokens.indices.compactMap { index in
            guard tokens[index].text == "import", tokens[index].kind == .word, tokens.text(index - 1) != "." else {
                return nil
            }
            let name = kinds.contains(tokens.text(index + 1)) ? tokens.text(index + 2) : tokens.text(index + 1)
            return (tokens[index].line, name)
        }
    }
}
