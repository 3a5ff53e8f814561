import { DELEGATE } from '@phaseline/domain';
import type { JobView, JobWait } from './job-view.js';

/**
 * Returns the view with what its job waits for. The time is kept while the kind stays the same, so that it says how long
 * the job has waited; the indexes of the table thus change only when the kind does.
 */
export function withWait(view: JobView, recordedAt: string): JobView {
  const kind = findWaitKind(view);
  if (view.wait?.kind === kind) return view;
  const { wait, ...rest } = view;
  return kind === undefined ? rest : { ...rest, wait: { kind, since: recordedAt } };
}

function findWaitKind({ status, phase }: JobView): JobWait['kind'] | undefined {
  switch (status) {
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'aborted':
      return undefined;
    case 'blocked':
      return 'blocked';
    case 'paused':
      return 'pause';
    case 'waiting-for-input':
      return 'question';
    case 'waiting-for-approval':
      return 'approval';
    case 'submitted':
    case 'cancelling':
      return 'orchestrator';
    case 'running':
      if (!phase || phase.hasEnded) return 'orchestrator';
      if (phase.blockedTodos.length > 0) return 'todo';
      // Calls run in the order requested.
      return phase.openCalls[0]?.name === DELEGATE ? 'child' : 'worker';
  }
}
