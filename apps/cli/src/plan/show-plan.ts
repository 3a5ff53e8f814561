import { resolve } from 'node:path';
import type { Plan, PlanItem, PlansQuery, PlanStep } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { connectToJob } from '../connection/find-job.js';
import { toPrintable } from '../output/printable.js';
import { formatUsd } from '../output/quantities.js';
import { renderTable } from '../output/table.js';
import { writeSchedule } from './plan-results.js';

/** Digits of a plan id that a list shows. */
const SHORT_ID = 8;

export interface ListPlansOptions {
  readonly goalId?: string;
  readonly status?: PlansQuery['planningStatus'];
  readonly pattern?: string;
  readonly limit: number;
}

/** `phaseline plan list`: lists plans, newest first. */
export async function listPlans(
  context: CommandContext,
  { limit, goalId, status, pattern }: ListPlansOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const query = { goalId, planningStatus: status, patternType: pattern };
  const found: PlanItem[] = [];
  for await (const item of client.plans({ ...query, limit: Math.min(limit, 200) }, { signal })) {
    found.push(item);
    if (found.length >= limit) break;
  }
  if (out.isStructured) out.writeDocument({ items: found });
  else if (found.length === 0) out.writeMessage('No plans.');
  else out.writeLines(...renderPlans(found, context));
  return exitCode.ok;
}

function renderPlans(items: readonly PlanItem[], { out }: CommandContext): string[] {
  return renderTable<PlanItem>(
    [
      { title: 'PLAN', cell: ({ planId }) => planId.slice(0, SHORT_ID) },
      { title: 'STATUS', cell: ({ planningStatus }) => planningStatus },
      { title: 'STAGE', cell: ({ stage }) => stage },
      {
        title: 'PATTERN',
        cell: ({ patternType, patternSubtype }) => [patternType ?? '-', patternSubtype].filter(Boolean).join('/'),
      },
      { title: 'FOR', cell: ({ user }) => toPrintable(user ?? '-') },
      {
        title: 'GOAL ID',
        cell: ({ goalId }) => toPrintable(goalId ?? '-'),
        short: ({ goalId }) => toPrintable(goalId?.slice(0, SHORT_ID) ?? '-'),
      },
      { title: 'GOAL', cell: ({ goal }) => toPrintable(goal ?? '-') },
    ],
    items,
    { width: out.columns, title: out.paint.dim },
  );
}

/** `phaseline plan show PLAN`: shows a plan as it is now. */
export async function showPlan(context: CommandContext, given: string): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const found = await client.plan(jobId, { signal });
  if (out.isStructured) out.writeDocument(found);
  else out.writeLines(...describePlan(found));
  return exitCode.ok;
}

function describePlan(plan: Plan): readonly string[] {
  const { planId, goal, goalId, continues, user, planningStatus, stage, status } = plan;
  const { selectedPattern, violations, waitsFor, responseText } = plan;
  const pattern = selectedPattern?.['patternType'];
  return [
    `${planId}  ${toPrintable(goal)}`,
    `  For           ${toPrintable(user)}`,
    `  Goal id       ${toPrintable(goalId)}${continues === undefined ? '' : `, continues ${toPrintable(continues)}`}`,
    `  Status        ${planningStatus} (job ${status}), stage ${stage}`,
    `  Pattern       ${typeof pattern === 'string' ? toPrintable(pattern) : 'none yet'}`,
    ...(violations.length > 0 ? [`  Violations    ${violations.length}`] : []),
    ...(responseText === '' ? [] : ['', ...responseText.split('\n').map(toPrintable)]),
    ...(waitsFor ? ['', `To reply: phaseline plan reply ${planId} "…"`] : []),
  ];
}

/** `phaseline plan trace PLAN`: shows every step of a plan with its confidence and its cost. */
export async function tracePlan(context: CommandContext, given: string): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const trace = await client.planTrace(jobId, { signal });
  if (out.isStructured) out.writeDocument(trace);
  else {
    out.writeLines(...renderSteps(trace.items, context));
    out.writeMessage(`${trace.items.length} steps, ${formatUsd(trace.costMicroUsd)}`);
  }
  return exitCode.ok;
}

function renderSteps(items: readonly PlanStep[], { out }: CommandContext): string[] {
  return renderTable<PlanStep>(
    [
      { title: 'STAGE', cell: ({ stage }) => stage ?? '-' },
      { title: 'TOOL', cell: ({ tool, memo }) => `${toPrintable(tool ?? '-')}${memo ? ' (memo)' : ''}` },
      { title: 'MS', align: 'right', cell: ({ durationMs }) => String(durationMs ?? '-') },
      { title: 'CONFIDENCE', align: 'right', cell: ({ confidence }) => confidence?.toFixed(2) ?? '-' },
      { title: 'COST', align: 'right', cell: ({ costDelta }) => formatUsd(costDelta) },
      { title: 'VIOLATIONS', cell: ({ violations }) => violations.join(', ') || '-' },
      { title: 'CHANGES', align: 'right', cell: ({ adaptations }) => String(adaptations) },
      { title: 'EXPLANATION', cell: ({ explanations }) => toPrintable(explanations[0] ?? '') },
    ],
    items,
    { width: out.columns, title: out.paint.dim },
  );
}

/** `phaseline plan export PLAN`: writes the schedule as picture, calendar file and table. */
export async function exportPlan(
  context: CommandContext,
  given: string,
  { out: folder = '.' }: { readonly out?: string },
): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const files = await writeSchedule(client, jobId, { folder: resolve(context.currentDirectory, folder), signal });
  if (out.isStructured) out.writeDocument({ planId: jobId, files });
  else out.writeLines(...files);
  return exitCode.ok;
}
