import { type InstanceAccount, parseInstanceHeader } from "./instance-header.ts";
import { volatile } from "./mask.ts";

/** What a page of a framework says of its rendering. A page cannot set headers, so it says it in its body. */
export interface RenderAccount extends InstanceAccount {
  /** Random for each rendering: two responses with the same one were rendered once. 16 hexadecimal digits. */
  readonly renderId: string;
}

const COUNT_DIGITS = 10;
const START = "[eb[instance ";
const MARKER = /\[eb\[instance ([^\]]{1,80}); render=([0-9a-f]{16})\]eb\]/;

/** The text that a page has to contain, early in its body: masked like all volatile text, and of constant length. */
export function renderMarker({ instanceId, served, inFlight, renderId }: RenderAccount): string {
  const digits = (count: number) => String(count).padStart(COUNT_DIGITS, "0");
  return volatile(
    `instance ${instanceId}; served=${digits(served)}; in-flight=${digits(inFlight)}; render=${renderId}`,
  );
}

/** What the first marker in a text says, or null where there is none. */
export function findRenderMarker(text: string): RenderAccount | null {
  const at = text.indexOf(START);
  const match = at === -1 ? null : MARKER.exec(text.slice(at, at + 160));
  const account = parseInstanceHeader(match?.[1]);
  return account === null ? null : { ...account, renderId: match?.[2] as string };
}
