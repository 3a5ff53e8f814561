/** Quantile of the normal distribution for 95 %, both sides. */
const Z_95 = 1.96;

/**
 * Interval that contains the true share with a probability of 95 %, by Wilson's score (1927). Unlike one made of standard errors, it is not empty when
 * few trials all had the same end. Without trials, every share is possible.
 */
export function computeWilsonInterval(successes: number, trials: number): readonly [low: number, high: number] {
  if (trials === 0) return [0, 1];
  const share = successes / trials;
  const square = Z_95 ** 2 / trials;
  const center = (share + square / 2) / (1 + square);
  const half = (Z_95 * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials))) / (1 + square);
  return [center - half, center + half];
}
