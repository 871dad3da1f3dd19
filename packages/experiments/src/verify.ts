import { type CaseManifest, type Identity, pathWith } from "@evenbench/core";
import { maskedDigest } from "@evenbench/probe";
import { fetchIdentity, fetchWhole } from "@evenbench/probe/preflight";
import type { LocalTarget } from "@evenbench/runner";
import { type CaseRequest, type InstanceSettings, serveLocal } from "@evenbench/runner/engine";
import type { Side } from "./define.ts";

/** A side that started and answered, and what every exchange with it is held against. */
export interface VerifiedSide {
  readonly side: Side;
  readonly target: LocalTarget;
  readonly identity: Identity;
  readonly request: CaseRequest;
  /** Of its second exchange, and of its start; milliseconds. */
  readonly exchangeMs: number;
  readonly startMs: number;
}

/**
 * Starts a side, asks it twice for its case, and stops it.
 *
 * @throws {Error} when it does not start, or does not answer the same twice with success; the message has the
 *   runtime's own words.
 */
export async function verifySide(
  side: Side,
  target: LocalTarget,
  manifest: CaseManifest,
  settings: InstanceSettings,
): Promise<VerifiedSide> {
  const begun = performance.now();
  const host = await serveLocal(target, `verify-${side.name}`, settings);
  const startMs = performance.now() - begun;
  try {
    const options = { timeoutMs: settings.exchangeTimeoutMs };
    const identity = await fetchIdentity(host.url, options);
    const path = pathWith(manifest.path, side.parameters ?? {});
    const first = await fetchWhole(host.url + path, options);
    const { status, contentType, contentEncoding, body, elapsedMs } = await fetchWhole(
      host.url + path,
      options,
    );
    const wanted = manifest.golden?.status ?? 200;
    if (status !== wanted) throw new Error(`${path} answers HTTP ${status} instead of ${wanted}.`);
    if (contentEncoding !== null)
      throw new Error(`${path} answers with content-encoding ${contentEncoding}.`);
    const sha256 = maskedDigest(body, manifest);
    if (maskedDigest(first.body, manifest) !== sha256)
      throw new Error(`${path} answers with another body the second time.`);
    const { masks, variation } = manifest;
    const expected = {
      status,
      contentType,
      bytes: body.byteLength,
      sha256,
      masks,
      variation,
      isPage: manifest.page !== null,
    };
    return { side, target, identity, request: { path, expected }, exchangeMs: elapsedMs, startMs };
  } finally {
    await host.stop();
  }
}

/**
 * What differs between sides although they were asked the same: pins, and bodies. A sentence for each; the
 * sides of a claim may be meant to differ, and a reader must know in what.
 */
export function describeDifferences(sides: readonly VerifiedSide[]): readonly string[] {
  const pins = [...new Set(sides.flatMap(({ identity }) => Object.keys(identity.pins)))].sort();
  const ofPins = pins.flatMap((pin) =>
    difference(
      `The setting "${pin}"`,
      sides.map(({ side, identity }) => [side.name, identity.pins[pin] ?? "(not given)"]),
    ),
  );
  const bodies = Map.groupBy(sides, ({ request }) => request.path);
  const ofBodies = [...bodies].flatMap(([path, asked]) =>
    difference(
      `The body of ${path}`,
      asked.map(({ side, request: { expected } }) => [
        side.name,
        `${expected.bytes} bytes, ${expected.sha256.slice(0, 8)}`,
      ]),
    ),
  );
  return [...ofPins, ...ofBodies];
}

function difference(what: string, values: readonly (readonly [string, string])[]): string[] {
  const byValue = Map.groupBy(values, ([, value]) => value);
  if (byValue.size < 2) return [];
  const told = [...byValue].map(([value, who]) => `${value} (${who.map(([name]) => name).join(", ")})`);
  return [`${what} differs: ${told.join("; ")}.`];
}
