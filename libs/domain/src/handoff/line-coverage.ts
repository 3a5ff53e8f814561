import type { JsonObject, JsonValue } from '@phaseline/basics';
import { systemTools } from '../claim/system-calls.js';
import type { PhaseState } from '../phase/phase-state.js';

/** The lowest percentage of covered lines among the newest runs of each verifier of the phase; `undefined` if none measured it. */
export function findLineCoverage({ work }: PhaseState): number | undefined {
  const newest = new Map<JsonValue | undefined, number>();
  for (const { name, arguments: given, result } of work.calls) {
    if (name !== systemTools.verifier) continue;
    const percentage = computeLineCoverage(result?.['coverage']);
    if (percentage !== undefined) newest.set(given['name'], percentage);
  }
  return newest.size === 0 ? undefined : Math.min(...newest.values());
}

/** Percentage of covered lines of the result of a verifier, with one decimal; `undefined` if it has none. */
export function computeLineCoverage(coverage: JsonValue | undefined): number | undefined {
  if (typeof coverage !== 'object' || coverage === null || Array.isArray(coverage)) return undefined;
  const { coveredLines, totalLines } = coverage as JsonObject;
  if (typeof coveredLines !== 'number' || typeof totalLines !== 'number' || totalLines === 0) return undefined;
  return Math.floor((coveredLines / totalLines) * 1_000) / 10;
}
