enum ChannelsPlaceholder {}
