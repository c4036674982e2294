/* The library is C++: CSpeechProcessing includes it, and nothing else. */
