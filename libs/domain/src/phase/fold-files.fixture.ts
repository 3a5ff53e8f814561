import { buildPhaseStart } from '../testing/phase-start.js';
import { evolvePhase, foldPhase } from './evolve-phase.js';
import type { PhaseEvent } from './phase-events.js';
import type { PhaseState } from './phase-state.js';

/** Folds a phase that writes files and deletes every tenth of them. `oneByOne` is computed for up to 1,000 files. */
export function foldFileEvents(
  count: number,
  names: readonly string[] = [],
): { state: PhaseState; oneByOne: PhaseState | undefined; files: number } {
  const hash = 'a'.repeat(64);
  const paths = [...names, ...Array.from({ length: count }, (_, index) => `data/${index}.txt`)];
  const written = paths.map((path): PhaseEvent => ({
    type: 'FileWritten',
    data: { path, hash, size: 1, writtenAt: '2026-01-01T00:00:00.000Z' },
  }));
  const deleted = paths
    .filter((path) => path.endsWith('0.txt'))
    .map((path): PhaseEvent => ({ type: 'FileDeleted', data: { path } }));
  const events = [buildPhaseStart(), ...written, ...deleted];
  const oneByOne = count > 1_000 ? undefined : events.reduce<PhaseState | undefined>(evolvePhase, undefined);
  return { state: foldPhase(events)!, oneByOne, files: paths.length - deleted.length };
}
