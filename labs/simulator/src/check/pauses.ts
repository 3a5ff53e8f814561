import type { RunResult } from '../run/world.js';
import { readJobLogs } from './streams.js';

/** Checks that the phase of a paused job stays paused until a person resumes the job. */
export function* checkPauses(remains: RunResult): Iterable<string> {
  for (const { agent, events, phases } of readJobLogs(remains)) {
    for (const { phase, events: ofPhase } of phases) {
      for (const { event, recorded } of ofPhase) {
        if (event.type !== 'PhaseResumed') continue;
        const last = events
          .filter(({ event: { type }, recorded: { position } }) => PAUSING.has(type) && position < recorded.position)
          .at(-1);
        if (last?.event.type === 'JobPaused')
          yield `${agent} phase ${phase} version ${recorded.version}: PhaseResumed while the job is paused`;
      }
    }
  }
}

const PAUSING: ReadonlySet<string> = new Set(['JobPaused', 'JobResumed']);
