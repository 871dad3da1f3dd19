/// <reference types="vite/client" />

declare const BUILT_WITH: string | undefined;
declare const EVENBENCH_PLATFORM: string | undefined;
