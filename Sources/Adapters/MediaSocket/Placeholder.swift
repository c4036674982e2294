enum MediaSocketPlaceholder {}
