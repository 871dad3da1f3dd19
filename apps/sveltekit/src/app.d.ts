/// <reference types="vite/client" />

/** Filled in by the build: the adapter and its version. */
declare const BUILT_WITH: string | undefined;
