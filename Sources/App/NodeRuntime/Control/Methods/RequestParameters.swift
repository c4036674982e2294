import Channels
import ControlPlane

/// - Throws: `invalidParameters` if the value of a parameter is not in the range, whose bounds are whole numbers.
func checkNumber(_ value: Double, within range: ClosedRange<Double>, _ parameter: String) throws(ControlFailure) {
    guard !range.contains(value) else { return }
    let bounds = "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
    throw ControlFailure(.invalidParameters, "\"\(parameter)\" must be a number from \(bounds)")
}

/// - Throws: `invalidParameters` if `path` is no absolute path.
func checkAbsolute(_ path: String, of parameter: String) throws(ControlFailure) {
    if path.hasPrefix("/"), !path.utf8.contains(0) { return }
    throw ControlFailure(.invalidParameters, "\"\(parameter)\" must be an absolute path")
}

/// The name of a channel in a request; every method has the same rule.
///
/// - Throws: `invalidParameters` with a sentence that names the parameter.
func channelName(_ text: String, _ parameter: String) throws(ControlFailure) -> ChannelName {
    do throws(NameFault) {
        return try ChannelName(typed: text)
    } catch {
        throw ControlFailure(.invalidParameters, "\"\(parameter)\" must \(error)")
    }
}
