import { volatile } from "./mask.ts";
import type { ProviderAccount } from "./schema.ts";

/** The response header that says which instance served a handler case: "0123456789abcdef; served=12; in-flight=0". */
export const INSTANCE_HEADER = "x-evenbench-instance";

/** Title of the problem document that a case which threw answers with, by which preflight knows it. */
export const CASE_FAILED = "The case failed";

/** An instance's account of itself, which comes with a response. */
export interface InstanceAccount {
  /** 16 hexadecimal digits, which no other instance has. */
  readonly instanceId: string;
  /** Number of case requests that it had served before this one. */
  readonly served: number;
  /** Number of other case requests that it had under way. */
  readonly inFlight: number;
}

/** Writes the value of {@link INSTANCE_HEADER}. */
export function formatInstanceHeader({ instanceId, served, inFlight }: InstanceAccount): string {
  return `${instanceId}; served=${served}; in-flight=${inFlight}`;
}

/** Reads the value of {@link INSTANCE_HEADER}. @returns null for any other text. */
export function parseInstanceHeader(value: string | null | undefined): InstanceAccount | null {
  const match = /^([0-9a-f]{16}); served=(\d{1,15}); in-flight=(\d{1,15})$/.exec(value ?? "");
  if (match === null) {
    return null;
  }
  return { instanceId: match[1] as string, served: Number(match[2]), inFlight: Number(match[3]) };
}

/** An instance's account of itself within a page, since a page cannot set headers. */
export interface RenderAccount extends InstanceAccount {
  /** 16 hexadecimal digits. Two responses with the same ones were rendered once: a cache has answered. */
  readonly renderId: string;
}

/** Digits of a count in a marker, so that all markers have one length. */
const COUNT_DIGITS = 10;
const START = "[eb[instance ";
const MARKER = /\[eb\[instance ([^\]]{1,80}); render=([0-9a-f]{16})\]eb\]/;

/** Number of bytes from the start of a page's body within which its marker stands: no client looks further. */
export const MARKER_WITHIN_BYTES = 16_384;

/** Writes the marker of a page: early in its body, masked like all volatile text, and of constant length. */
export function renderMarker({ instanceId, served, inFlight, renderId }: RenderAccount): string {
  const digits = (count: number) => String(count).padStart(COUNT_DIGITS, "0");
  return volatile(
    `instance ${instanceId}; served=${digits(served)}; in-flight=${digits(inFlight)}; render=${renderId}`,
  );
}

/** Finds the marker of a page. @returns null where the text has none. */
export function findRenderMarker(text: string): RenderAccount | null {
  const at = text.indexOf(START);
  const match = at === -1 ? null : MARKER.exec(text.slice(at, at + 160));
  const account = parseInstanceHeader(match?.[1]);
  return account === null ? null : { ...account, renderId: match?.[2] as string };
}

/** The request header by which a platform's account of a request can be found again. */
export const REQUEST_HEADER = "x-evenbench-request";
/** The response header by which a deployed function accounts for the request before: "<id>=<milliseconds>". */
export const CPU_HEADER = "x-evenbench-cpu";

/** Reads the value of {@link CPU_HEADER}. @returns null for any other text. */
export function parseCpuHeader(value: string | null | undefined): ProviderAccount | null {
  const match = /^([!-<>-~]{1,300})=(\d{1,9}(?:\.\d{1,3})?)$/.exec(value ?? "");
  return match === null ? null : { requestId: match[1] as string, cpuMs: Number(match[2]), wallMs: null };
}
