import type { JobId } from '@phaseline/contracts';
import {
  decideJob,
  findDecidingPhase,
  hasJobEnded,
  phaseStream,
  type Guard,
  jobStream,
  type JobDecision,
  type Precedent,
} from '@phaseline/domain';
import { completeDecision, readDecisionFiles } from '@phaseline/orchestration';
import type { DecodedEvent } from '../log/decoded-event.js';
import type { CommitToRedecide, DecidedEvent, Redecision } from './redecide-parts.js';

/** Decides again what an orchestrator appended about a job: what follows its phases, timers and requests. */
export async function redecideJobCommit({ before, events, now }: CommitToRedecide): Promise<Redecision> {
  const { job, log } = before;
  if (!job || hasJobEnded(job)) return { kind: 'input' };
  const { jobId } = job.submitted;
  const deciding = findDecidingPhase(job);
  const phase = deciding === undefined ? undefined : before.getPhase(deciding);
  if (deciding !== undefined && !phase)
    return { kind: 'unknown', reason: `phase ${deciding} is not in the log of the job` };
  const decided = decideJob(job, phase, now, await readDecisionFiles(job, phase, { repository: before, store: log }));
  const { decision } = await completeDecision(job, phase, decided, {
    repository: before,
    blobs: before.blobs,
    now,
    listSharedGuards: () => findSharedGuards(events),
    findPrecedents: () => findRecordedPrecedents(events),
  });
  return { kind: 'decided', inputs: 0, decided: toEvents(jobId, deciding, decision) };
}

/** The guards of the installation and of the tenant are not part of the job. Those that the next phase began with are taken as recorded. */
function findSharedGuards(events: readonly DecodedEvent[]): readonly Guard[] {
  for (const { event } of events)
    if (event.type === 'PhaseStarted') return (event.data.terms.guards ?? []).filter(({ scope }) => scope !== 'agent');
  return [];
}

/** Learning traces of other jobs are not part of the job either. */
function findRecordedPrecedents(events: readonly DecodedEvent[]): readonly Precedent[] {
  for (const { event } of events) if (event.type === 'PhaseStarted') return event.data.plan.precedents ?? [];
  return [];
}

function toEvents(
  jobId: JobId,
  deciding: number | undefined,
  { job, activePhase, next }: JobDecision,
): readonly DecidedEvent[] {
  return [
    ...job.map((event) => ({ streamId: jobStream(jobId), event })),
    ...activePhase.map((event) => ({ streamId: phaseStream(jobId, deciding!), event })),
    ...(next ? [{ streamId: phaseStream(jobId, next.phase), event: next.started }] : []),
  ];
}
