import {
  advanceWatched,
  evolvePhase,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
  type StuckPattern,
} from '@phaseline/domain';
import { Chance } from '../simulator/schedule/chance.js';
import type { RunKind } from './labelled-run.js';
import { playRun } from './play-run.js';

/** What the phase decided about a run while the run went on regardless of it. */
export interface PlayedRun {
  readonly kind: string;
  readonly seed: number;
  readonly steps: number;
  /** How often the agent was told something about its way of working. Its work goes on. */
  readonly nudges: number;
  /** The decision that took work away from the agent, where there was one: a rewind or a failed phase. */
  readonly loss?: { readonly decision: string; readonly pattern?: StuckPattern; readonly at: number };
}

/** Lists can be given up, as in the shipped workflow. */
const WITH_REWIND: Partial<PhaseEventData<'PhaseStarted'>> = { rewind: { outcome: 'rewound', gates: [] } };

/** Plays runs to their end, or to where they lose work, with every decision that a phase takes between two answers. */
export function playThrough(kinds: readonly RunKind[], seeds: readonly number[]): readonly PlayedRun[] {
  return kinds.flatMap((kind) => seeds.map((seed) => playOne(kind, seed)));
}

function playOne(kind: RunKind, seed: number): PlayedRun {
  const turns = kind.play(new Chance(seed).at(kind.name));
  const run = { kind: kind.name, seed, steps: turns.length };
  let state: PhaseState | undefined;
  let answered = 0;
  let nudges = 0;
  for (const event of [...playRun(turns, WITH_REWIND), undefined]) {
    if (state && answered > 0 && (!event || event.type === 'ModelResponded')) {
      const { events } = advanceWatched(state, { todosFile: undefined });
      const loss = lossIn(events, answered);
      if (loss) return { ...run, nudges, loss };
      nudges += events.filter(({ type }) => type === 'StuckDetected' || type === 'PhaseNudged').length;
      for (const decided of [...events, callOf(answered + 1)]) state = evolvePhase(state, decided);
    }
    if (!event || state?.end) break;
    if (event.type === 'ModelResponded') answered = event.data.step;
    state = evolvePhase(state, event);
  }
  return { ...run, nudges };
}

function lossIn(events: readonly PhaseEvent[], at: number): PlayedRun['loss'] {
  const detected = events.find((event) => event.type === 'StuckDetected');
  const pattern = detected ? { pattern: detected.data.pattern } : {};
  for (const event of events) {
    if (event.type === 'TodosRewound') return { decision: 'rewind', ...pattern, at };
    if (event.type === 'PhaseFailed') return { decision: event.data.code, ...pattern, at };
  }
  return undefined;
}

/** The next call, which tells the agent what is waiting to be told. */
function callOf(step: number): PhaseEvent {
  return {
    type: 'ModelCallStarted',
    data: {
      step,
      model: 'default',
      requestHash: '0'.repeat(64),
      inputTokens: 1,
      reservedTokens: 1,
      reservedMicroUsd: 1,
      holder: 'worker',
      epoch: 0,
    },
  };
}
