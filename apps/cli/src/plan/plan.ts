import { resolve } from 'node:path';
import type { Plan, PlanWait } from '@phaseline/client';
import type { JobId, JobStatus } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { connectToJob } from '../connection/find-job.js';
import { toPrintable } from '../output/printable.js';
import { UsageError } from '../command/command-errors.js';
import { converse, type ConversationEnd } from './converse.js';
import { findOpenPlan } from './find-open-plan.js';
import { buildPlanRequest, type PlanRequestOptions } from './plan-request.js';
import { writeSchedule } from './plan-results.js';
import { absentPerson, createTerminalPerson } from './terminal-person.js';

export interface ConversationOptions {
  /** Folder for the picture, the calendar file and the table. */
  readonly out?: string;
  /** False: do not ask, also at a terminal. */
  readonly ask?: boolean;
}

export interface PlanOptions extends PlanRequestOptions, ConversationOptions {
  readonly idempotencyKey?: string;
  /** Continue the latest open plan, or that of the goal with this id. */
  readonly continue?: string | true;
}

/**
 * `phaseline plan GOAL`: plans a goal in a conversation. Without a terminal, or with --no-ask, it stops at the first question and says how to answer.
 * With --continue, it continues the open plan that the person began last. Exit code: 0 for an approved plan, 3 for one that waits for a person,
 * otherwise that of the job.
 */
export async function plan(context: CommandContext, goal: string | undefined, options: PlanOptions): Promise<ExitCode> {
  const client = await connect(context);
  return talk(context, client, await choosePlan(context, client, goal, options), options);
}

/** Returns the plan to talk about: a new one, or with --continue an open one. Throws UsageError and NoOpenPlan. */
async function choosePlan(
  { signal }: CommandContext,
  client: Awaited<ReturnType<typeof connect>>,
  goal: string | undefined,
  options: PlanOptions,
): Promise<JobId> {
  if (options.continue === undefined) {
    if (goal === undefined)
      throw new UsageError('Say what is to be planned, or continue an open plan with --continue.');
    return (await client.submitPlan(buildPlanRequest(goal, options), { signal })).planId;
  }
  refuseOptionsOfNewPlan(goal, options);
  const wanted = { user: options.user, goalId: options.continue === true ? undefined : options.continue };
  return findOpenPlan(client, wanted, signal);
}

/** An open plan has its request already. */
function refuseOptionsOfNewPlan(
  goal: string | undefined,
  { continue: _, user: _user, out: _out, ask: _ask, ...request }: PlanOptions,
): void {
  if (goal !== undefined)
    throw new UsageError('Give a goal or --continue, not both. A new session about a goal is made with --goal-id.');
  const [name] = Object.entries(request).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  if (name === undefined) return;
  const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${option} is for a new plan, and cannot be given with --continue.`);
}

/** `phaseline plan continue PLAN`: continues the conversation of a plan. */
export async function continuePlan(
  context: CommandContext,
  given: string,
  options: ConversationOptions,
): Promise<ExitCode> {
  const { client, jobId } = await connectToJob(context, given);
  return talk(context, client, jobId, options);
}

/** `phaseline plan reply PLAN TEXT`: answers what the plan waits for. */
export async function replyToPlan(context: CommandContext, given: string, text: string): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const response = await client.replyToPlan(jobId, { text }, { signal });
  if (out.isStructured) out.writeDocument(response);
  else out.writeLines(`${jobId}: ${effects[response.reply]}`);
  return exitCode.ok;
}

const effects = {
  answered: 'continues with the answer.',
  approved: 'is approved.',
  refused: 'is drafted again with what you said.',
} as const;

async function talk(
  context: CommandContext,
  client: Awaited<ReturnType<typeof connect>>,
  planId: JobId,
  options: ConversationOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const canAsk = options.ask !== false && !out.isStructured && isTerminal(context);
  const person = canAsk ? createTerminalPerson(context) : absentPerson;
  const onStage = (title: string): void => out.writeMessage(`· ${title}`);
  const end = await converse({ client, planId, person, signal, onStage });
  const { planningStatus } = end.plan;
  const folder = options.out === undefined ? undefined : resolve(context.currentDirectory, options.out);
  const files =
    folder === undefined || planningStatus !== 'complete'
      ? []
      : await writeSchedule(client, planId, { folder, signal });
  show(context, end, files);
  return findExitCode(end.plan.waitsFor, end.job.status);
}

function show({ out }: CommandContext, { plan: made, job }: ConversationEnd, files: readonly string[]): void {
  const { planId, planningStatus, responseText, escalateReason, waitsFor } = made;
  if (out.isStructured) {
    const reason = escalateReason === undefined ? {} : { escalateReason };
    out.writeDocument({ planId, status: job.status, planningStatus, responseText, ...reason, waitsFor, files });
    return;
  }
  out.writeLines(planId);
  for (const line of describeEnd(made, job)) out.writeMessage(line);
  for (const path of files) out.writeMessage(`Wrote ${path}`);
}

function findExitCode(waitsFor: PlanWait | null, status: JobStatus): ExitCode {
  return waitsFor ? exitCode.waiting : exitCodeOfStatus(status);
}

function isTerminal({ out, input }: CommandContext): boolean {
  return out.isTerminal && (input as { readonly isTTY?: boolean }).isTTY === true;
}

function describeEnd({ planId, waitsFor }: Plan, job: ConversationEnd['job']): readonly string[] {
  if (waitsFor) {
    const reply = waitsFor.kind === 'approval' ? 'approve' : '…';
    const lines = waitsFor.question.split('\n').map(toPrintable);
    return ['The plan waits for you:', '', ...lines, '', `To reply: phaseline plan reply ${planId} "${reply}"`];
  }
  if (job.status === 'completed') return ['The plan is approved.'];
  return [`The plan is ${job.status}${job.failure ? `: ${toPrintable(job.failure.message)}` : ''}.`];
}
