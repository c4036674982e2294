// Crew files under libFuzzer, whose roles are resolved as a node would. Messages about mistakes can be shown on a
// terminal.

import NodeRuntime

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCrew(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard count <= CrewLimits.fileBytesMax, let text = String(validating: bytes, as: UTF8.self) else { return 0 }
    do throws(ConfigurationMistakes) {
        let crew = try CrewFile(text, path: "crew.toml")
        precondition(!crew.roles.isEmpty)
    } catch {
        precondition(1...CrewLimits.mistakesMax ~= error.all.count, "\(error.all.count) mistakes")
        for mistake in error.all {
            precondition(mistake.description.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
    }
    return 0
}
