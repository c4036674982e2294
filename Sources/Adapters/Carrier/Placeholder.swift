enum CarrierPlaceholder {}
