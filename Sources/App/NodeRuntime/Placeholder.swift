enum NodeRuntimePlaceholder {}
