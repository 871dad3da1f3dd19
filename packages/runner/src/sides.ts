import { type CaseManifest, type Identity, messageOf, openRecord, pathWith } from "@evenbench/core";
import type { Expectation } from "@evenbench/probe";
import { expectationFrom, fetchIdentity, fetchWhole, shortestMs } from "@evenbench/probe/preflight";
import { type InstanceSettings, serveLocal } from "./instance.ts";
import { type LocalTarget, RunError, type Target } from "./options.ts";
import type { Verified, VerifyOptions } from "./verify.ts";

interface VerifiedSide {
  readonly name: string;
  readonly path: string;
  readonly identity: Identity;
  readonly expected: Expectation;
  /** Of its second exchange. */
  readonly exchangeMs: number;
  readonly startMs: number;
}

export function pathOf(target: Target, { path }: CaseManifest): string {
  return target.place === "local" ? pathWith(path, target.parameters ?? {}) : path;
}

/** Each is started by itself, and held against its own answer: sides are meant to differ. */
export async function verifySides(
  targets: readonly Target[],
  [manifest]: readonly CaseManifest[],
  { signal }: VerifyOptions,
  settings: InstanceSettings,
): Promise<Verified> {
  const sides: VerifiedSide[] = [];
  const unproved = openRecord<string>();
  for (const target of targets) {
    if (signal.aborted || manifest === undefined || target.place !== "local") break;
    try {
      sides.push(await verifySide(target, manifest, settings));
    } catch (error) {
      unproved[target.name] = messageOf(error);
    }
  }
  const byName = <T>(pick: (side: VerifiedSide) => T) =>
    openRecord(sides.map((side) => [side.name, pick(side)] as const));
  const ofCase = <T>(value: T) => openRecord(manifest === undefined ? [] : [[manifest.id, value] as const]);
  return {
    ...{ warnings: [], assumed: [], unknown: [], toConfirm: {}, bodiesToConfirm: {} },
    ...{ unproved, differences: describeDifferences(sides), expectations: openRecord() },
    identities: byName(({ identity }) => identity),
    ownExpectations: ofCase(byName(({ expected }) => expected)),
    exchangeMs: ofCase(byName(({ exchangeMs }) => exchangeMs)),
    startMs: sides.reduce((sum, { startMs }) => sum + startMs, 0),
  };
}

async function verifySide(
  target: LocalTarget,
  manifest: CaseManifest,
  settings: InstanceSettings,
): Promise<VerifiedSide> {
  const begun = performance.now();
  const host = await serveLocal(target, `verify-${target.name}`, settings);
  const startMs = performance.now() - begun;
  try {
    const options = { timeoutMs: settings.exchangeTimeoutMs };
    const identity = await fetchIdentity(host.url, options);
    const path = pathOf(target, manifest);
    const ask = () => fetchWhole(host.url + path, options);
    const answers = [await ask(), await ask()] as const;
    const [first, second] = answers;
    const { status, contentEncoding } = second;
    const wanted = manifest.golden?.status ?? 200;
    if (status !== wanted) throw new RunError(`${path} answers HTTP ${status} instead of ${wanted}.`);
    if (contentEncoding !== null)
      throw new RunError(`${path} answers with content-encoding ${contentEncoding}.`);
    const expected = expectationFrom(second, manifest);
    if (expectationFrom(first, manifest).sha256 !== expected.sha256)
      throw new RunError(`${path} answers with another body the second time.`);
    return { name: target.name, path, identity, expected, exchangeMs: shortestMs(answers), startMs };
  } finally {
    await host.stop();
  }
}

function describeDifferences(sides: readonly VerifiedSide[]): readonly string[] {
  const pins = [...new Set(sides.flatMap(({ identity }) => Object.keys(identity.pins)))].sort();
  return [
    ...pins.flatMap((pin) =>
      difference(
        `The setting "${pin}"`,
        sides.map(({ name, identity }) => [name, identity.pins[pin] ?? "(not given)"]),
      ),
    ),
    ...[...Map.groupBy(sides, ({ path }) => path)].flatMap(([path, asked]) =>
      difference(
        `The body of ${path}`,
        asked.map(({ name, expected: { bytes, sha256 } }) => [name, `${bytes} bytes, ${sha256.slice(0, 8)}`]),
      ),
    ),
  ];
}

function difference(what: string, values: readonly (readonly [string, string])[]): string[] {
  const byValue = Map.groupBy(values, ([, value]) => value);
  if (byValue.size < 2) return [];
  const told = [...byValue].map(([value, who]) => `${value} (${who.map(([name]) => name).join(", ")})`);
  return [`${what} differs: ${told.join("; ")}.`];
}
