import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { InboxItem, JobSummary, PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';

/** What a plan waits for. */
export interface PlanWait {
  readonly kind: 'question' | 'approval';
  /** What the person reads. */
  readonly text: string;
  /** Answers to choose from; free text if absent. */
  readonly options?: readonly string[];
}

/** Answers for the person: a terminal, or a script. `undefined`: nobody answers now. */
export interface PlanPerson {
  reply(wait: PlanWait): Promise<string | undefined>;
}

export interface Conversation {
  readonly client: PhaselineClient;
  readonly planId: JobId;
  readonly person: PlanPerson;
  readonly signal: AbortSignal;
  /** Called with the title of each stage that begins. */
  readonly onStage: (title: string) => void;
}

export interface ConversationEnd {
  readonly job: JobSummary;
  /** What the plan still waits for, if nobody answered. */
  readonly waitsFor?: PlanWait & { readonly callId: string };
  readonly asked: readonly PlanWait[];
}

/** Events after which the plan may wait for its person. */
const WAITS = new Set(['QuestionAsked', 'ApprovalRequested']);

/** Follows a plan, and replies to what it waits for, until it ends or nobody replies. */
export async function converse({ client, planId, person, signal, onStage }: Conversation): Promise<ConversationEnd> {
  const asked: PlanWait[] = [];
  for await (const { type, data } of client.events(planId, { signal })) {
    if (type === 'PhaseStarted') onStage(readTitle(data));
    if (!WAITS.has(type)) continue;
    const item = await findItem(client, planId, String((data as { callId?: unknown }).callId), signal);
    // It may have been answered elsewhere in the meantime.
    if (!item) continue;
    const wait = toWait(item);
    const reply = await person.reply(wait);
    if (reply === undefined)
      return { job: await client.get(planId, { signal }), waitsFor: { ...wait, callId: item.callId! }, asked };
    asked.push(wait);
    await sendReply(client, planId, item, reply, signal);
  }
  return { job: await client.get(planId, { signal }), asked };
}

function readTitle(data: unknown): string {
  const { identity } = data as { readonly identity?: { readonly name?: unknown } };
  return typeof identity?.name === 'string' ? identity.name : '';
}

/** The inbox is a read model: what an event says is in it a moment later. */
const LOOK_AGAIN_MS = 100;
const MAX_LOOKS = 100;

/** Finds what a call waits for; `undefined` if it was decided elsewhere in the meantime. */
async function findItem(
  client: PhaselineClient,
  jobId: JobId,
  callId: string,
  signal: AbortSignal,
): Promise<InboxItem | undefined> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    for await (const item of client.inbox({ jobId }, { signal })) if (item.callId === callId) return item;
    await setTimeout(LOOK_AGAIN_MS, undefined, { signal });
  }
  return undefined;
}

function toWait({ question, approval }: InboxItem): PlanWait {
  if (question)
    return { kind: 'question', text: question.text, ...(question.options ? { options: question.options } : {}) };
  const summary = approval?.arguments['summary'];
  return { kind: 'approval', text: typeof summary === 'string' ? summary : 'The plan waits for your approval.' };
}

/** Whether a reply to a request for approval approves it. Anything else is what the person wants to be different. */
function isApproval(reply: string): boolean {
  return /^\s*(?:approve[d]?|yes|y|ok)\s*[.!]?\s*$/i.test(reply);
}

/** Sends a reply, bound to what the person saw. */
async function sendReply(
  client: PhaselineClient,
  jobId: JobId,
  { callId, question, approval }: InboxItem,
  reply: string,
  signal: AbortSignal,
): Promise<void> {
  const options = { signal, idempotencyKey: randomUUID() };
  const id = callId!;
  if (question)
    await client.control(jobId, 'answer', { callId: id, questionHash: question.questionHash, answer: reply }, options);
  else if (approval && isApproval(reply))
    await client.control(jobId, 'approve', { callId: id, argumentsHash: approval.argumentsHash }, options);
  else await client.control(jobId, 'refuse', { callId: id, reason: reply }, options);
}
