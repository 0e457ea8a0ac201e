// The precompiled header needs a file to be compiled with; this is it.
