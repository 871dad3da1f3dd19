import { volatile } from "./mask.ts";
import type { ProviderAccount } from "./schema.ts";

/** By it a handler case says who served it: "0123456789abcdef; served=12; in-flight=0". */
export const INSTANCE_HEADER = "x-evenbench-instance";

export interface InstanceAccount {
  readonly instanceId: string;
  readonly served: number;
  readonly inFlight: number;
}

export function formatInstanceHeader({ instanceId, served, inFlight }: InstanceAccount): string {
  return `${instanceId}; served=${served}; in-flight=${inFlight}`;
}

export function parseInstanceHeader(value: string | null | undefined): InstanceAccount | null {
  const match = /^([0-9a-f]{16}); served=(\d{1,15}); in-flight=(\d{1,15})$/.exec(value ?? "");
  if (match === null) {
    return null;
  }
  return { instanceId: match[1] as string, served: Number(match[2]), inFlight: Number(match[3]) };
}

/** A page cannot set headers: it says it in its body. */
export interface RenderAccount extends InstanceAccount {
  /** Two responses with the same one were rendered once. 16 hexadecimal digits. */
  readonly renderId: string;
}

const COUNT_DIGITS = 10;
const START = "[eb[instance ";
const MARKER = /\[eb\[instance ([^\]]{1,80}); render=([0-9a-f]{16})\]eb\]/;

/** Early in a page's body, masked like all volatile text, and of constant length. */
export function renderMarker({ instanceId, served, inFlight, renderId }: RenderAccount): string {
  const digits = (count: number) => String(count).padStart(COUNT_DIGITS, "0");
  return volatile(
    `instance ${instanceId}; served=${digits(served)}; in-flight=${digits(inFlight)}; render=${renderId}`,
  );
}

export function findRenderMarker(text: string): RenderAccount | null {
  const at = text.indexOf(START);
  const match = at === -1 ? null : MARKER.exec(text.slice(at, at + 160));
  const account = parseInstanceHeader(match?.[1]);
  return account === null ? null : { ...account, renderId: match?.[2] as string };
}

/** By it a platform's account of a request can be found again. */
export const REQUEST_HEADER = "x-evenbench-request";
/** By it a deployed function accounts for its request before this one: "<id>=<milliseconds>". */
export const CPU_HEADER = "x-evenbench-cpu";

export function parseCpuHeader(value: string | null | undefined): ProviderAccount | null {
  const match = /^([!-<>-~]{1,300})=(\d{1,9}(?:\.\d{1,3})?)$/.exec(value ?? "");
  return match === null ? null : { requestId: match[1] as string, cpuMs: Number(match[2]), wallMs: null };
}
