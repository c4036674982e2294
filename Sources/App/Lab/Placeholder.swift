enum LabPlaceholder {}
