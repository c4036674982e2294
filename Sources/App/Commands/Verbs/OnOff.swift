import ArgumentParser

/// The argument of a verb that switches something.
enum OnOff: String, ExpressibleByArgument, CaseIterable { case on, off }
