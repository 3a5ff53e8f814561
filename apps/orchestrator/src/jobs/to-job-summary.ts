import type { JobSummary } from '@phaseline/client';
import { isEncryptedJob } from '@phaseline/domain';
import { findCurrentTool, type JobView } from '@phaseline/projections';

/** Converts a job to its API form. */
export function toJobSummary(view: JobView): JobSummary {
  const { jobId, agent, status, labels, createdAt, updatedAt, endedAt, phase, result, failure } = view;
  const { inputTokens, cachedInputTokens, outputTokens, costMicroUsd, steps } = view;
  const tool = phase && findCurrentTool(phase);
  return {
    jobId,
    tenant: view.tenant,
    agent,
    status,
    createdAt,
    updatedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    position: view.position,
    labels: { ...labels },
    ...(isEncryptedJob(jobId) ? { encrypted: true as const } : {}),
    ...(phase
      ? {
          phase: {
            number: phase.number,
            kind: phase.kind,
            state: phase.state,
            name: phase.name,
            todosDone: phase.todosDone,
            todosTotal: phase.todosTotal,
            ...(tool === undefined ? {} : { currentTool: tool }),
          },
        }
      : {}),
    ...(view.wait ? { waiting: { kind: view.wait.kind, since: view.wait.since } } : {}),
    usage: { inputTokens, cachedInputTokens, outputTokens, costMicroUsd, steps },
    ...(result ? { result } : {}),
    ...(failure ? { failure } : {}),
    ...(view.unreadable === undefined ? {} : { unreadableReason: view.unreadable }),
  };
}
