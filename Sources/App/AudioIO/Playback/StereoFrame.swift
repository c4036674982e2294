/// What both ears hear at one instant: left, then right, 16 bits each.
package typealias StereoFrame = SIMD2<Int16>
