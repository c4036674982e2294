/// The version of this program, as `partyline --version` and the status show it. It says nothing about the wire
/// format, whose version is part of HELLO.
package enum ProgramVersion {
    /// Major, minor and patch number (semver.org).
    package static let text = "0.1.0"
}
