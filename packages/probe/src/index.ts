export {
  type Arrival,
  type Exchange,
  type ExchangeError,
  isClients,
  maskedDigest,
  recordOf,
} from "./exchange.ts";
export * from "./probe.ts";
export * from "./rules.ts";
