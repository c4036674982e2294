enum StateStorePlaceholder {}
