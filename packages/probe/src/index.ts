export { maskedDigest } from "./body.ts";
export {
  type Arrival,
  checkBody,
  type Exchange,
  type ExchangeError,
  isClients,
  recordOf,
} from "./exchange.ts";
export * from "./probe.ts";
export * from "./round.ts";
export * from "./rules.ts";
