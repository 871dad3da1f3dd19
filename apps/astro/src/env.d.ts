/// <reference types="astro/client" />

declare var BUILT_WITH: string | undefined;
declare var BUILT_FOR: string;
declare var EVENBENCH_PLATFORM: string | undefined;
