{"jsonrpc":"2.0","id":1,"method":"calls.make","params":{"peer":"SM","channel":"stage","all":true,"text":"hi","urgent":true,"expires_s":30}}
