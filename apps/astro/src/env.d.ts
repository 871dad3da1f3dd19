/// <reference types="astro/client" />

/** Filled in by the build: the adapter with its version, what the pages are made for, and the platform. */
declare var BUILT_WITH: string | undefined;
declare var BUILT_FOR: string;
declare var EVENBENCH_PLATFORM: string | undefined;
