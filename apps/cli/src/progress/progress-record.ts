import type { EventRecord, Usage } from '@phaseline/client';
import type { JobStatus, JobId } from '@phaseline/contracts';
import { getCurrentPhase, type JobProgress } from './job-progress.js';
import { describeActivity, getElapsedMs } from './render-progress.js';

/** A line of `--json` output while a job is watched. Fields may be added, but never removed or renamed. */
export interface ProgressRecord {
  readonly kind: 'progress';
  readonly jobId: JobId;
  readonly status: JobStatus;
  readonly phase?: {
    readonly number: number;
    readonly kind: string;
    readonly name: string;
    readonly status: string;
    readonly todosDone: number;
    readonly todosTotal: number;
    /** Absent if no todo is blocked. */
    readonly todosBlocked?: number;
    readonly currentTool?: string;
  };
  readonly usage: Usage;
  readonly elapsedMs: number;
  /** The event that caused the change. */
  readonly event: { readonly position: number; readonly type: string };
}

export function toProgressRecord(progress: JobProgress, event: EventRecord): ProgressRecord {
  const phase = getCurrentPhase(progress);
  const blocked = phase?.todos.filter((todo) => todo.blocked !== undefined).length ?? 0;
  const tool = phase && phase.openCalls.length > 0 ? describeActivity(phase) : undefined;
  return {
    kind: 'progress',
    jobId: progress.jobId,
    status: progress.status,
    ...(phase && {
      phase: {
        number: phase.number,
        kind: phase.kind,
        name: phase.name,
        status: phase.status,
        todosDone: phase.todos.filter((todo) => todo.isDone).length,
        todosTotal: phase.todos.length,
        ...(blocked === 0 ? {} : { todosBlocked: blocked }),
        ...(tool === undefined ? {} : { currentTool: tool }),
      },
    }),
    usage: progress.usage,
    elapsedMs: getElapsedMs(progress, Date.parse(event.recordedAt)),
    event: { position: event.position, type: event.type },
  };
}
