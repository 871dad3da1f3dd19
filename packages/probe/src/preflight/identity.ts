import { type Identity, openRecord } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { type FetchOptions, fetchWhole } from "./response.ts";

/** What to do about the answers of a closed target. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: `; it wants its token: set EVENBENCH_TOKEN and name its host with --token-for, or deploy it again with \`${EVENBENCH} deploy\``,
  503: `; if it is closed for want of a token, deploy it again with \`${EVENBENCH} deploy\``,
};

export async function fetchIdentity(url: string, options: FetchOptions): Promise<Identity> {
  const response = await fetchWhole(new URL("/identity", url).href, options);
  if (response.status !== 200) {
    const remedy = REMEDIES[response.status] ?? "";
    throw new Error(`/identity answers HTTP ${response.status} instead of 200${remedy}`);
  }
  const identity = parse(response.body.toString());
  if (!isIdentity(identity))
    throw new Error("/identity does not answer with an identity of schema version 1");
  const { schemaVersion, app, platform } = identity;
  const [pins, facts] = [
    openRecord(Object.entries(identity.pins)),
    openRecord(Object.entries(identity.facts)),
  ];
  const { id, served } = identity.instance;
  return { schemaVersion, app, platform, instance: { id, served }, pins, facts };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function isIdentity(value: unknown): value is Identity {
  if (!isRecord(value) || value.schemaVersion !== 1) return false;
  const { app, platform, instance, pins, facts } = value;
  return (
    typeof app === "string" &&
    typeof platform === "string" &&
    isRecord(instance) &&
    typeof instance.id === "string" &&
    typeof instance.served === "number" &&
    isRecord(pins) &&
    Object.values(pins).every((pin) => typeof pin === "string") &&
    isRecord(facts) &&
    Object.values(facts).every((fact) => fact === null || typeof fact === "string")
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
