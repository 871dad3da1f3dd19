/** The way in which a page with flight data differs between runtimes although it is not streamed. */
export const FLIGHT_IN_PIECES = {
  reason:
    "React hands flight data on as a runtime's streams take it: on Node.js 26 in many pieces, each in a script of its own, on workerd in one.",
  normalForm: "react-stream",
  lengthWithin: 0.02,
} as const;
