declare module "cloudflare:workers" {
  interface Sql {
    exec(query: string, ...values: readonly (string | number | null)[]): Iterable<Record<string, unknown>>;
  }
  export class DurableObject {
    constructor(context: { readonly storage: { readonly sql: Sql } }, env: unknown);
    readonly ctx: { readonly storage: { readonly sql: Sql } };
  }
}
