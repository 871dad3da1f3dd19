export { type Arrival, type Exchange, type ExchangeError, recordOf } from "./exchange.ts";
export * from "./expectation.ts";
export * from "./interleave.ts";
export * from "./probe.ts";
