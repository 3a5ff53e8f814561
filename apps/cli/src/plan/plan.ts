import { resolve } from 'node:path';
import { UsageError } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { converse, type ConversationEnd } from './converse.js';
import { readPlanSession, writeSchedule } from './plan-results.js';
import { absentPerson, createTerminalPerson } from './terminal-person.js';
import { buildPlanRequest, type PlanRequestOptions } from './plan-request.js';

export interface PlanOptions extends PlanRequestOptions {
  /** Folder for the picture, the calendar file and the table. */
  readonly out?: string;
  /** False: do not ask, also at a terminal. */
  readonly ask?: boolean;
  readonly idempotencyKey?: string;
}

/**
 * `phaseline plan GOAL`: plans a goal in a conversation. Without a terminal, or with --no-ask, it stops at the first question and says how to answer.
 * Exit code: 0 for an approved plan, 3 for one that waits for a person, otherwise that of the job.
 */
export async function plan(context: CommandContext, goal: string, options: PlanOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const request = buildPlanRequest(goal, options);
  if (goal.trim() === '')
    throw new UsageError('Say what is to be planned, such as: phaseline plan "Learn to sail by May"');
  const client = await connect(context);
  const submitted = await client.submit(
    { agent: 'planner', parameters: request, idempotencyKey: options.idempotencyKey },
    { signal },
  );
  const planId = submitted.jobId;
  const canAsk = options.ask !== false && !out.isStructured && isTerminal(context);
  const person = canAsk ? createTerminalPerson(context) : absentPerson;
  const onStage = (title: string): void => out.writeMessage(`· ${title}`);
  const end = await converse({ client, planId, person, signal, onStage });
  const session = await readPlanSession(client, planId, signal);
  const isApproved = session.planningStatus === 'complete';
  const files =
    isApproved && options.out !== undefined
      ? await writeSchedule(client, planId, {
          ...{ folder: resolve(context.currentDirectory, options.out), stamp: new Date(context.now()), signal },
        })
      : [];
  if (out.isStructured)
    out.writeDocument({
      ...{ planId, status: end.job.status, planningStatus: session.planningStatus, responseText: session.responseText },
      ...(session.escalateReason === undefined ? {} : { escalateReason: session.escalateReason }),
      ...(end.waitsFor ? { waitsFor: end.waitsFor } : {}),
      files,
    });
  else {
    out.writeLines(planId);
    for (const line of describeEnd(end, planId)) out.writeMessage(line);
    for (const path of files) out.writeMessage(`Wrote ${path}`);
  }
  return end.waitsFor ? exitCode.waiting : exitCodeOfStatus(end.job.status);
}

function isTerminal({ out, input }: CommandContext): boolean {
  return out.isTerminal && (input as { readonly isTTY?: boolean }).isTTY === true;
}

function describeEnd({ job, waitsFor }: ConversationEnd, planId: string): readonly string[] {
  if (!waitsFor)
    return [
      job.status === 'completed' ? 'The plan is approved.' : `The plan is ${job.status}: ${job.failure?.message ?? ''}`,
    ];
  const { callId, kind, text } = waitsFor;
  const reply =
    kind === 'approval'
      ? [`phaseline approve ${planId} ${callId}`, `phaseline refuse ${planId} ${callId} --reason "propose changes: …"`]
      : [`phaseline answer ${planId} ${callId} "…"`];
  return ['The plan waits for you:', '', text, '', 'To reply:', ...reply.map((line) => `  ${line}`)];
}
