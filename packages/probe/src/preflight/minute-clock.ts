const MINUTE_MS = 60_000;

/**
 * Tells whether a text shows the minute of a moment, as a clock without seconds does: "10:42", "2026-11-27T10:42Z",
 * "10:42:00.000", or the minute's beginning in milliseconds or seconds since 1970. The hour is not looked at, since a
 * server may show that of any time zone.
 *
 * @param atMs milliseconds since 1970.
 */
export function showsMinute(text: string, atMs: number): boolean {
  const beginMs = atMs - (atMs % MINUTE_MS);
  const minute = String(new Date(beginMs).getUTCMinutes()).padStart(2, "0");
  const clock = String.raw`(?<![\d:])(?:[01]?\d|2[0-3]):${minute}(?::00(?:\.0+)?)?(?![\d:])`;
  const sinceEpoch = String.raw`(?<!\d)(?:${beginMs}|${beginMs / 1000})(?!\d)`;
  return new RegExp(`${clock}|${sinceEpoch}`).test(text);
}

/** Milliseconds from a moment, in milliseconds since 1970, until the next minute begins. */
export function untilNextMinute(atMs: number): number {
  return MINUTE_MS - (atMs % MINUTE_MS);
}
