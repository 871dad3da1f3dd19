declare module "cloudflare:workers" {
  interface Sql {
    exec(query: string, ...values: readonly (string | number | null)[]): Iterable<Record<string, unknown>>;
  }
  export interface DurableObjectContext {
    readonly storage: { readonly sql: Sql };
  }
  export class DurableObject {
    constructor(context: DurableObjectContext, env: unknown);
    readonly ctx: DurableObjectContext;
  }
}
