// Written by hand, and here because the generated code holds `bytes` fields as FoundationEssentials'
// Data: the one place that turns them into the arrays that the rest of Core speaks of.

import FoundationEssentials

extension Data {
    var array: [UInt8] { [UInt8](self) }

    /// The field as an array, if it has just `count` bytes.
    func array(count: Int) throws(WireError) -> [UInt8] {
        guard self.count == count else { throw .malformed }
        return array
    }
}

extension [UInt8] {
    var field: Data { Data(self) }
}
