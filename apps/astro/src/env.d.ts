/// <reference types="astro/client" />

/** Filled in by the build: the adapter with its version, and the platform. */
declare const BUILT_WITH: string | undefined;
declare const EVENBENCH_PLATFORM: string | undefined;
