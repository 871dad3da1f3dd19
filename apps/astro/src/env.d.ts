/// <reference types="astro/client" />

/** Filled in by the build: the adapter with its version, what the pages are made for, and the platform. */
declare const BUILT_WITH: string | undefined;
declare const BUILT_FOR: string;
declare const EVENBENCH_PLATFORM: string | undefined;
