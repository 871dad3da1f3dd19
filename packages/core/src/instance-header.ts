/**
 * The response header by which a handler case says who served it: "0123456789abcdef; served=12; in-flight=0".
 */
export const INSTANCE_HEADER = "x-evenbench-instance";

/** What the header says. */
export interface InstanceAccount {
  readonly instanceId: string;
  /** Requests that the instance had served before this one. */
  readonly served: number;
  /** Other requests in flight in the instance on arrival. */
  readonly inFlight: number;
}

export function formatInstanceHeader({ instanceId, served, inFlight }: InstanceAccount): string {
  return `${instanceId}; served=${served}; in-flight=${inFlight}`;
}

/** The header's parts, or null where it is absent or malformed. */
export function parseInstanceHeader(value: string | null | undefined): InstanceAccount | null {
  const match = /^([0-9a-f]{16}); served=(\d{1,15}); in-flight=(\d{1,15})$/.exec(value ?? "");
  if (match === null) return null;
  return { instanceId: match[1] as string, served: Number(match[2]), inFlight: Number(match[3]) };
}
