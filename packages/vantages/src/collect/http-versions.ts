import type { Problem } from "./plan-logs.ts";

export class HttpVersions {
  readonly #seen = new Map<string, Set<string>>();

  /** @param protocol null where no answer came. */
  see(protocol: string | null, where: string): void {
    if (protocol === null) return;
    const places = this.#seen.get(protocol) ?? new Set();
    this.#seen.set(protocol, places);
    places.add(where);
  }

  problems(): readonly Problem[] {
    if (this.#seen.size < 2) return [];
    const each = [...this.#seen].map(([version, where]) => `${version} (${[...where].join(", ")})`);
    const sentence = `Versions of HTTP are mixed: ${each.join("; ")}. Start every client with GODEBUG=http2client=0.`;
    return [{ kind: "mixed", sentence }];
  }
}
