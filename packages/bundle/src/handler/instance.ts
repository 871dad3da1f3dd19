/** One isolate or process, as its responses name it. */
export interface InstanceCounts {
  /** 16 hexadecimal digits; made on first use, because Workers forbid randomness at module scope. */
  id(): string;
  /** Case requests taken so far. */
  served: number;
  /** Case requests whose response has not been handed to the platform yet. */
  inFlight: number;
}

export function newInstance(): InstanceCounts {
  let id: string | undefined;
  return {
    id() {
      id ??= Array.from(crypto.getRandomValues(new Uint8Array(8)), hexadecimal).join("");
      return id;
    },
    served: 0,
    inFlight: 0,
  };
}

function hexadecimal(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
