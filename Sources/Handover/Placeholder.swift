enum HandoverPlaceholder {}
