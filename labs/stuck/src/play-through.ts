import { buildModelCallStarted, type StartChanges } from '@phaseline/domain/testing';
import { advanceOrUnstick, evolvePhase, type PhaseEvent, type PhaseState, type StuckPattern } from '@phaseline/domain';
import { Chance } from '@phaseline/harness';
import type { RunKind } from './labelled-run.js';
import { playRun } from './play-run.js';

/** Decisions of the phase about a run that continues regardless of nudges. */
export interface PlayedRun {
  readonly kind: string;
  readonly seed: number;
  readonly steps: number;
  /** Number of nudges; work continues after a nudge. */
  readonly nudges: number;
  /** The decision that ended the work, if any: a rewind or a failed phase. */
  readonly loss?: { readonly decision: string; readonly pattern?: StuckPattern; readonly at: number };
}

/** Todo lists can be rewound, as in the shipped workflow. */
const WITH_REWIND: StartChanges = { routes: { rewind: { outcome: 'rewound', gates: [] } } };

/** Plays runs to their end or to the loss of their work, with every decision that a phase makes between two answers. */
export function playThrough(kinds: readonly RunKind[], seeds: readonly number[]): readonly PlayedRun[] {
  return kinds.flatMap((kind) => seeds.map((seed) => playOne(kind, seed)));
}

function playOne(kind: RunKind, seed: number): PlayedRun {
  const turns = kind.play(new Chance(seed).rollFor(kind.name));
  const run = { kind: kind.name, seed, steps: turns.length };
  let state: PhaseState | undefined;
  let answered = 0;
  let nudges = 0;
  for (const event of [...playRun(turns, WITH_REWIND), undefined]) {
    if (state && answered > 0 && (!event || event.type === 'ModelResponded')) {
      const { events } = advanceOrUnstick(state, { todosFile: undefined });
      const loss = findLoss(events, answered);
      if (loss) return { ...run, nudges, loss };
      nudges += events.filter(({ type }) => type === 'StuckDetected' || type === 'PhaseNudged').length;
      // The start of a model call delivers pending notices to the agent.
      for (const decided of [...events, buildModelCallStarted(answered + 1)]) state = evolvePhase(state, decided);
    }
    if (!event || state?.end) break;
    if (event.type === 'ModelResponded') answered = event.data.step;
    state = evolvePhase(state, event);
  }
  return { ...run, nudges };
}

function findLoss(events: readonly PhaseEvent[], at: number): PlayedRun['loss'] {
  const detected = events.find((event) => event.type === 'StuckDetected');
  const pattern = detected ? { pattern: detected.data.pattern } : {};
  for (const event of events) {
    if (event.type === 'TodosRewound') return { decision: 'rewind', ...pattern, at };
    if (event.type === 'PhaseFailed') return { decision: event.data.code, ...pattern, at };
  }
  return undefined;
}
