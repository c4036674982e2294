import Foundation

/// Path of the folder for the files of a test: the environment's `TMPDIR`, else `/tmp`. `.ci/test` names a folder in
/// memory, so that a node of a test does not wait for a busy disk.
package let temporaryFolder = FileManager.default.temporaryDirectory.path
