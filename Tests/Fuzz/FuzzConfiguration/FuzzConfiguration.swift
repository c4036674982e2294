// config.toml under libFuzzer, from its text to the options of a node. A message about a mistake can be shown on a
// terminal.

import NodeRuntime

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard count <= CrewLimits.fileBytesMax, let text = String(validating: bytes, as: UTF8.self) else { return 0 }
    do throws(ConfigurationMistakes) {
        let settings = try ConfigurationFile.settings(in: text, path: "config.toml")
        let nowhere = StandardPaths(environment: [:], user: 0, folderExists: { _ in false })
        _ = try RunResolution.resolve(
            options: RunSettings(), file: settings, paths: nowhere, hostName: "host", hasSpeechProcessing: true)
    } catch {
        precondition(1...CrewLimits.mistakesMax ~= error.all.count, "\(error.all.count) mistakes")
        for mistake in error.all {
            precondition(mistake.description.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
    }
    return 0
}
