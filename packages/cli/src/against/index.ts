export type { Finding } from "./findings.ts";
export { measurePairs } from "./measure-pairs.ts";
