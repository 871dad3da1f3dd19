export declare const K6_VERSION: string;
export declare function cachedK6(): string;
export declare function getK6(say: (text: string) => void): string | null;
