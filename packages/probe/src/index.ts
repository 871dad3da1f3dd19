export { maskedDigest } from "./body.ts";
export {
  checkBody,
  type Exchange,
  type ExchangeError,
  isClients,
  NO_COST,
  type PartArrival,
  recordedOf,
} from "./exchange.ts";
export * from "./probe.ts";
export * from "./round.ts";
export * from "./rules.ts";
