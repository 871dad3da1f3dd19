export { maskedDigest } from "./body.ts";
export { type Arrival, checkBody, type Exchange, type ExchangeError, recordOf } from "./exchange.ts";
export * from "./probe.ts";
export * from "./rules.ts";
