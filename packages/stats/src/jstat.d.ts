/** The part of jstat that is used here: it comes without types. */
declare module "jstat" {
  interface Distribution {
    /** The quantile at a probability, by degrees of freedom. */
    inv(probability: number, degreesOfFreedom: number): number;
  }
  interface RatioDistribution {
    /** The part of the distribution below a value, by the degrees of freedom above and below the line. */
    cdf(value: number, above: number, below: number): number;
  }
  const jstat: {
    readonly chisquare: Distribution;
    readonly studentt: Distribution;
    readonly centralF: RatioDistribution;
  };
  export default jstat;
}
