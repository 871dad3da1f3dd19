import { parseAllDocuments } from "yaml";
import { z } from "zod";

const quantities = z.record(z.string(), z.union([z.int(), z.string()]));

/**
 * The fields of a TestRun (k6.io/v1alpha1) that we write, with the types that k6-operator v1.6.0 gives
 * them in its resource definition.
 */
const testRunShape = z.strictObject({
  apiVersion: z.literal("k6.io/v1alpha1"),
  kind: z.literal("TestRun"),
  metadata: z.strictObject({
    name: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/),
    labels: z.record(z.string(), z.string()),
  }),
  spec: z.strictObject({
    parallelism: z.int().min(1),
    cleanup: z.literal("post"),
    arguments: z.string(),
    script: z.strictObject({ configMap: z.strictObject({ name: z.string(), file: z.string() }) }),
    runner: z.strictObject({
      image: z.string(),
      env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
      envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })).exactOptional(),
      nodeSelector: z.record(z.string(), z.string()).exactOptional(),
      resources: z.strictObject({ requests: quantities, limits: quantities }),
    }),
  }),
});
export type TestRun = z.infer<typeof testRunShape>;

/** The TestRuns of a `kubernetes.yaml`. */
export function testRunsIn(yaml: string): readonly TestRun[] {
  return parseAllDocuments(yaml)
    .map((document) => document.toJS())
    .filter(({ kind }) => kind !== "ConfigMap")
    .map((one) => testRunShape.parse(one));
}
