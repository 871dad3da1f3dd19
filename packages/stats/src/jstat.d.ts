/** The part of jstat that is used here: it comes without types. */
declare module "jstat" {
  interface Distribution {
    /** The quantile at a probability, by degrees of freedom. */
    inv(probability: number, degreesOfFreedom: number): number;
  }
  const jstat: { readonly chisquare: Distribution; readonly studentt: Distribution };
  export default jstat;
}
