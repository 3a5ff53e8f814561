import { parseStreamName, type PhaseState } from '@phaseline/domain';
import type { Patient } from './patient.js';

const PAGE = 500;
/** Enough for a picture of a system of any size; more would make the doctor part of the load. */
const MOST = 5_000;

/** Phases that have not ended and that nobody has written to for a while. What cannot be read is left out: it is set aside. */
export async function* idlePhases(
  { store, histories }: Pick<Patient, 'store' | 'histories'>,
  idleForMs: number,
): AsyncGenerator<PhaseState> {
  let after: string | undefined;
  for (let seen = 0; seen < MOST;) {
    const from = after === undefined ? {} : { after };
    const page = await store.openStreams({ prefix: 'phase-', idleForMs, limit: PAGE, ...from });
    for (const { streamId } of page) {
      const name = parseStreamName(streamId);
      if (name?.kind !== 'phase') continue;
      const state = await histories.phase(name.jobId, name.phase).catch(() => undefined);
      if (state && !state.end) yield state;
    }
    seen += page.length;
    after = page.at(-1)?.streamId;
    if (page.length < PAGE) return;
  }
}
