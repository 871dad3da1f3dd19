/** The error of a request that comes to a feature which the local host does not have. The host answers it by 501. */
export class UnservedError extends Error {
  /** The feature, in words, such as "a middleware's rewrite to another host". */
  readonly feature: string;

  constructor(feature: string) {
    super(`${feature} is not served by the local host`);
    this.feature = feature;
  }
}
