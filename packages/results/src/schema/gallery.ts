import { z } from "zod";
import { count, interval, milliseconds, strict } from "./strict.ts";

const measured = strict({
  target: z.string(),
  medianMs: milliseconds.nullable(),
  /** 99 % interval of the median over the trials. */
  lowMs: milliseconds.nullable(),
  highMs: milliseconds.nullable(),
  /** Target / baseline; null for the baseline itself. */
  ratio: interval.nullable(),
  verdict: z.string().nullable(),
});
/** What a run found of one target in one case. */
export type GalleryMeasured = z.infer<typeof measured>;

const entryCase = strict({
  id: z.string(),
  title: z.string(),
  kind: z.string(),
  baseline: z.string(),
  /** Of the case's headline; empty where nothing was measured. */
  time: z.array(measured).readonly(),
  /** For one exchange; empty where the system does not report it. */
  cpuTime: z.array(measured).readonly(),
});
export type GalleryCase = z.infer<typeof entryCase>;

export const GALLERY_ENTRY_SCHEMA_VERSION = 2;

export const galleryEntrySchema = strict({
  schemaVersion: z.literal(GALLERY_ENTRY_SCHEMA_VERSION),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  evenbenchVersion: z.string(),
  /** What came out, in one sentence. */
  answer: z.string(),
  /** How many things a reader must know before any number. */
  notices: count,
  machine: strict({ system: z.string(), cpuModel: z.string(), cores: count, memoryBytes: count }),
  /** Of runtimes, frameworks and adapters. */
  versions: z.array(strict({ name: z.string(), version: z.string() })).readonly(),
  targets: z
    .array(
      strict({
        name: z.string(),
        app: z.string(),
        platform: z.string().nullable(),
        /** Of the platform; null where it has none of its own. */
        colour: count.nullable(),
      }),
    )
    .readonly(),
  cases: z.array(entryCase).readonly(),
}).meta({
  title: "Evenbench gallery entry",
  description: "runs/<run>/entry.json of a gallery: all that it keeps of a run, beside its report.",
});
/** `entry.json` */
export type GalleryEntry = z.infer<typeof galleryEntrySchema>;
