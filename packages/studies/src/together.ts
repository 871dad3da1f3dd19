import { listTargets, run } from "@evenbench/runner";

const CASES = [
  "html-template",
  "react-ssr",
  "math",
  "trig",
  "json-reviver",
  "next-landing",
  "sveltekit-page",
];

/**
 * A long run whose instances are warmed up, or whose targets are asked, several at a time. Such a run is a pool.
 *
 * @returns its folder.
 */
export async function measureTogether(options: {
  readonly cases: readonly string[];
  readonly warm: number;
  readonly ask: number;
  readonly trials: number;
  readonly out?: string;
}): Promise<string> {
  const ids = options.cases.length === 0 ? CASES : options.cases;
  const targets = (await listTargets()).filter(({ platform }) => !platform.offUnlessNamed);
  const apps = new Map(targets.map(({ app }) => [app.id, app]));
  const all = await Promise.all([...apps].map(async ([id, app]) => [id, await app.cases()] as const));
  const measured = all.map(([id, own]) => [id, own.filter((one) => ids.includes(one.id))] as const);
  const used = new Set(measured.flatMap(([id, own]) => (own.length > 0 ? [id] : [])));
  const { folder } = await run({
    targets: targets.filter(({ app }) => used.has(app.id)),
    cases: Object.fromEntries(measured),
    otherCaseIds: all.flatMap(([, own]) => own.map(({ id }) => id)).filter((id) => !ids.includes(id)),
    trials: options.trials,
    warmTogether: options.warm,
    askTogether: options.ask,
    ...(options.out === undefined ? {} : { out: options.out }),
    onEvent: ({ detail }) => console.error(`! ${detail}`),
  });
  return folder;
}
