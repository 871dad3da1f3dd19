/** What an option is given: a value, several, or whether it is set. */
type Value = string | number | boolean | readonly (string | number)[];

/** By camelCase names of long options. */
type Values = { readonly [option: string]: Value | undefined };

/**
 * What `evenbench.config.ts` exports: values by command, and under `all` those of every command that has such
 * an option.
 */
export interface Config {
  readonly all?: Values;
  readonly [command: string]: Values | undefined;
}

/**
 * Lets an editor check what `evenbench.config.ts` exports. Which names and values there are, `evenbench` says
 * when it reads them.
 */
export function defineConfig(config: Config): Config {
  return config;
}
