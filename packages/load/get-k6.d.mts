export declare const K6_VERSION: string;
export declare function cachedK6(): string;
