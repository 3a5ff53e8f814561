import { randomUUID } from 'node:crypto';
import type { JobSummary, PhaselineClient, Plan, PlanWait } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';

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
  readonly plan: Plan;
  /** What the person replied to, oldest first. */
  readonly answered: readonly PlanWait[];
}

/** Events after which the plan may wait for its person. */
const WAITS = new Set(['QuestionAsked', 'ApprovalRequested']);

/** Follows a plan, and replies to what it waits for, until it ends or nobody replies. */
export async function converse({ client, planId, person, signal, onStage }: Conversation): Promise<ConversationEnd> {
  const answered: PlanWait[] = [];
  for await (const { type, data } of client.events(planId, { signal })) {
    if (type === 'PhaseStarted') onStage(readTitle(data));
    if (!WAITS.has(type)) continue;
    const { waitsFor } = await client.plan(planId, { signal });
    // Events of the past are read too: what they waited for was decided before.
    if (!waitsFor || waitsFor.callId !== (data as { readonly callId?: unknown }).callId) continue;
    const text = await person.reply(waitsFor);
    if (text === undefined) break;
    answered.push(waitsFor);
    const seen = waitsFor.kind === 'approval' ? waitsFor.contentHash : undefined;
    const request = { text, callId: waitsFor.callId, ...(seen === undefined ? {} : { contentHash: seen }) };
    await client.replyToPlan(planId, request, { signal, idempotencyKey: randomUUID() });
  }
  return { job: await client.get(planId, { signal }), plan: await client.plan(planId, { signal }), answered };
}

function readTitle(data: unknown): string {
  const { identity } = data as { readonly identity?: { readonly name?: unknown } };
  return typeof identity?.name === 'string' ? identity.name : '';
}
