/* Empty, since the library is C++. Only CSpeechProcessing includes the library's headers. */
