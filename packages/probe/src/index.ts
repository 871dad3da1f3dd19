export { checkBody } from "./body.ts";
export { type Arrival, type Exchange, type ExchangeError, maskedDigest, recordOf } from "./exchange.ts";
export * from "./probe.ts";
export * from "./rules.ts";
