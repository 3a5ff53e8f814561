/** The two-sided sign test: how likely it is that equal chances split at least as unevenly. */
export function signTest(one: number, other: number): number {
  const all = one + other;
  let tail = 0;
  let ways = 1;
  for (let less = 0; less <= Math.min(one, other); less += 1) {
    tail += ways;
    ways = (ways * (all - less)) / (less + 1);
  }
  return Math.min(1, (2 * tail) / 2 ** all);
}
