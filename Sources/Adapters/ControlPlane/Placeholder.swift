enum ControlPlanePlaceholder {}
