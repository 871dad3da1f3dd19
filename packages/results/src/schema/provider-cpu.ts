import type { ProviderAccount } from "@evenbench/core";
import { z } from "zod";
import { sampleKey } from "./sample.ts";
import { milliseconds, strict } from "./strict.ts";

/** What a platform accounts to one request, as core has it. */
const account = {
  requestId: z.string(),
  cpuMs: milliseconds,
  wallMs: milliseconds.nullable(),
} satisfies Record<keyof ProviderAccount, z.ZodType>;

export const providerAccountSchema = strict({ ...sampleKey, ...account }).meta({
  title: "Evenbench account of CPU time",
  description:
    "CPU time that a platform accounts to one request: a line of provider-cpu.ndjson, with its sample's key.",
});

/** A platform's account of one request, with the key of its sample: a line of `provider-cpu.ndjson`. */
export type JoinedAccount = z.infer<typeof providerAccountSchema>;
