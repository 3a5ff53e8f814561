import { parseStreamName, type PhaseState } from '@phaseline/domain';
import type { DoctorTarget } from './doctor-target.js';

const PAGE_SIZE = 500;
/** Bounds the load of the check. A sample of this size is representative of any system. */
const MAX_PHASES_CHECKED = 5_000;

/** Iterates over open phases that were not written to for a while. Skips unreadable phases, which are in quarantine. */
export async function* readIdlePhases(
  { store, repository }: Pick<DoctorTarget, 'store' | 'repository'>,
  idleForMs: number,
): AsyncGenerator<PhaseState> {
  let after: string | undefined;
  for (let seen = 0; seen < MAX_PHASES_CHECKED;) {
    const from = after === undefined ? {} : { after };
    const page = await store.openStreams({ prefix: 'phase-', idleForMs, limit: PAGE_SIZE, ...from });
    for (const { streamId } of page) {
      const name = parseStreamName(streamId);
      if (name?.kind !== 'phase') continue;
      const state = await repository.loadPhase(name.jobId, name.phase).catch(() => undefined);
      if (state && !state.end) yield state;
    }
    seen += page.length;
    after = page.at(-1)?.streamId;
    if (page.length < PAGE_SIZE) return;
  }
}
