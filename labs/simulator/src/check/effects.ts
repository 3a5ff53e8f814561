import type { RunResult } from '../run/world.js';

/** Checks that each call of a `once` tool took effect at most once. */
export function* checkEffects({ effects }: RunResult): Iterable<string> {
  const times = new Map<string, number>();
  for (const { tool, kind, jobId, callId } of effects) {
    if (kind !== 'once') continue;
    const name = `${tool} (${callId} of ${jobId})`;
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  for (const [name, count] of times) if (count > 1) yield `${name} took effect ${count} times`;
}
