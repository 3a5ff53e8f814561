import type { LocalHome } from '@phaseline/local-stack';
import type { PhaselineClient } from '@phaseline/client';
import type { JobId, SubmitRequest } from '@phaseline/contracts';
import { verifyLog } from '../audit/verify-log.js';
import type { CommandContext } from '../command/command-context.js';
import { followJob } from '../progress/follow-job.js';
import { collectDeliverables } from '../stack/collect-deliverables.js';
import { describeModel } from '../stack/describe-model.js';
import { renderDemoResult, type DemoResult } from '../stack/demo-result.js';
import type { StackPlan } from '../stack/stack-plan.js';
import type { RunningStack } from '../stack/start-stack.js';
import type { StepList } from '../stack/step-list.js';

/** What a demo needs to run jobs. */
export interface DemoParts {
  readonly context: CommandContext;
  readonly keepRunning: boolean;
  readonly plan: StackPlan;
  readonly home: LocalHome;
  readonly stack: RunningStack;
  readonly steps: StepList;
  readonly startedAt: number;
}

/** Label of all demo jobs, so that a later demo can cancel those of a killed one. */
const DEMO_LABEL = 'phaseline/demo';

type DemoRequest = Pick<SubmitRequest, 'agent' | 'tenant' | 'instructions' | 'repository' | 'parameters' | 'budgets'>;
type DemoFiles = NonNullable<NonNullable<Parameters<PhaselineClient['submit']>[1]>['files']>;

export async function submitDemoJob(
  { context: { signal } }: DemoParts,
  client: PhaselineClient,
  request: DemoRequest,
  files: DemoFiles = [],
): Promise<JobId> {
  const { jobId } = await client.submit({ ...request, labels: { [DEMO_LABEL]: 'true' } }, { files, signal });
  return jobId;
}

interface FollowDemoJob {
  /** Named where the demo runs several jobs. */
  readonly agent?: string;
  /** Whether the audit also derives every accepted claim again. */
  readonly withClaims?: boolean;
}

/** Shows a job live to its end, and collects and verifies what it left. */
export async function followDemoJob(
  { context, home, plan, stack, steps, startedAt }: DemoParts,
  client: PhaselineClient,
  jobId: JobId,
  { agent, withClaims = false }: FollowDemoJob = {},
): Promise<DemoResult> {
  const { out, signal } = context;
  steps.complete(`job ${jobId}${agent === undefined ? '' : ` (${agent})`}`);
  if (!out.isStructured) out.writeLines('');
  const progress = await followJob(client, jobId, context);
  const job = await client.get(jobId, { signal });
  if (!out.isStructured) out.writeLines('');
  const deliverables = await collectDeliverables(client, job, {
    workspaceRoot: stack.workspaceRoot,
    homeDirectory: home.directory,
    signal,
  });
  const countPhases = (kind: string): number => progress.phases.filter((phase) => phase.kind === kind).length;
  return {
    job,
    model: describeModel(plan.model),
    isRehearsal: plan.model.kind === 'rehearsal',
    phases: { strategic: countPhases('strategic'), tactical: countPhases('tactical') },
    ...deliverables,
    audit: await verifyLog(stack.databaseUrl, { signal, withClaims }),
    positions: { first: progress.firstPosition, last: progress.position },
    elapsedMs: context.now() - startedAt,
  };
}

export function showResult({ context: { out }, keepRunning, stack }: DemoParts, result: DemoResult): void {
  if (out.isStructured) out.writeRecord({ kind: 'result', ...result });
  else
    out.writeLines(...renderDemoResult(result, { paint: out.paint, ...(keepRunning ? { apiUrl: stack.apiUrl } : {}) }));
}

/** Cancels the jobs of killed demos, which the next stack would otherwise continue along with the new one. */
export async function cancelLeftovers(client: PhaselineClient, signal: AbortSignal): Promise<number> {
  let cancelled = 0;
  const unfinished = ['submitted', 'running', 'paused', 'waiting-for-approval', 'waiting-for-input'] as const;
  for await (const job of client.list({ label: `${DEMO_LABEL}=true`, statuses: [...unfinished] }, { signal })) {
    await client.cancel(job.jobId, { reason: 'The demo that started this job was stopped.' }, { signal });
    cancelled += 1;
  }
  return cancelled;
}
