import type { PlanProgress, RunPlanRequest } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { UsageError } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';

export interface RunPlanOptions {
  readonly people?: 'confirm' | 'as_planned';
  /** Start of a rehearsal's clock. */
  readonly clock?: string;
  readonly speed?: number;
  readonly detach?: boolean;
  readonly idempotencyKey?: string;
}

/**
 * `phaseline plan run PLAN`: carries out an approved plan and prints what begins and ends, until all is done. The run does not depend on this command:
 * interrupted, it continues.
 */
export async function runPlan(context: CommandContext, given: string, options: RunPlanOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const { runId } = await client.runPlan(jobId, buildRequest(options), { signal });
  if (options.detach) {
    if (out.isStructured) out.writeDocument({ runId, planId: jobId });
    else out.writeLines(runId);
    return exitCode.ok;
  }
  out.writeMessage(
    `Run ${runId}. It continues if this command is interrupted; 'phaseline plan progress ${runId}' shows it.`,
  );
  for await (const { type, data } of client.events(runId, { signal })) {
    for (const line of describeEvent(type, data as Record<string, unknown>, runId)) out.writeMessage(line);
  }
  const progress = await client.planRun(runId, { signal });
  show(context, progress);
  return exitCodeOfStatus(progress.status);
}

function buildRequest({ people, clock, speed, idempotencyKey }: RunPlanOptions): RunPlanRequest {
  if (clock === undefined && speed !== undefined)
    throw new UsageError('Give --clock with --speed: where the clock begins.');
  return {
    ...(people && { people }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(clock === undefined ? {} : { clock: { shows: readInstant(clock), speed: speed ?? 1 } }),
  };
}

function readInstant(text: string): string {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new UsageError(`--clock ${text} is no time. Use one such as 2027-01-04T08:00:00Z.`);
  return new Date(ms).toISOString();
}

function describeEvent(type: string, data: Record<string, unknown>, runId: JobId): readonly string[] {
  const read = (name: string): string => toPrintable(typeof data[name] === 'string' ? data[name] : '');
  switch (type) {
    case 'PlanTaskStarted': {
      const agent = read('agent');
      return [`${read('at')}  begins  ${read('item')}  ${read('title')}${agent === '' ? '' : ` (${agent})`}`];
    }
    case 'PlanTaskEnded':
      return [`${read('at')}  ${read('status').padEnd(7)} ${read('item')}, by ${read('by')}`];
    case 'PlanReplaced':
      return [`The plan was made again: ${read('why')}`];
    case 'QuestionAsked':
      return [
        '',
        ...String(data['question']).split('\n').map(toPrintable),
        `To reply: phaseline plan reply ${runId} "…"`,
      ];
    default:
      return [];
  }
}

/** `phaseline plan progress RUN`: shows how far a plan is carried out. */
export async function showProgress(context: CommandContext, given: string): Promise<ExitCode> {
  const { client, jobId } = await connectToJob(context, given);
  show(context, await client.planRun(jobId, { signal: context.signal }));
  return exitCode.ok;
}

function show({ out }: CommandContext, progress: PlanProgress): void {
  if (out.isStructured) {
    out.writeDocument(progress);
    return;
  }
  const { tasks, status, runId, waitsFor } = progress;
  out.writeLines(
    ...renderTable<PlanProgress['tasks'][number]>(
      [
        { title: 'TASK', cell: ({ id }) => id },
        { title: 'STATUS', cell: (task) => task.status },
        { title: 'PLANNED', cell: ({ start }) => start },
        { title: 'BEGAN', cell: ({ startedAt }) => startedAt ?? '-' },
        { title: 'ENDED', cell: ({ endedAt }) => endedAt ?? '-' },
        { title: 'BY', cell: ({ by, agent }) => toPrintable(by ?? agent ?? '-') },
        { title: 'TITLE', cell: ({ title }) => toPrintable(title) },
      ],
      tasks,
      { width: out.columns, title: out.paint.dim },
    ),
  );
  const done = tasks.filter((task) => task.status === 'done').length;
  out.writeMessage(`${done} of ${tasks.length} tasks done, job ${status}.`);
  if (!waitsFor) return;
  for (const line of ['', ...waitsFor.question.split('\n')]) out.writeMessage(toPrintable(line));
  out.writeMessage(`To reply: phaseline plan reply ${runId} "…"`);
}
