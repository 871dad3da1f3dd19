/** A request has come to something that a build uses and the local host does not have: it is not answered otherwise. */
export class UnservedError extends Error {
  readonly feature: string;
  constructor(feature: string) {
    super(`${feature} is not served by the local host`);
    this.feature = feature;
  }
}
