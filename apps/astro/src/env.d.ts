/// <reference types="astro/client" />

/** Filled in by the build. */
declare var BUILT_WITH: string | undefined;
declare var BUILT_FOR: string;
declare var EVENBENCH_PLATFORM: string | undefined;
