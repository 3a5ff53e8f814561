import type { PlanReplyRequest, PlanReplyResponse, PlanWait } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';
import { decodePhaseEvent, type ControlRequest } from '@phaseline/domain';
import type { EventStore } from '@phaseline/event-store';
import { hashArguments, type JobDriver } from '@phaseline/orchestration';
import { requireJobOutcome, type ControlHeaders } from '../jobs/control-headers.js';
import { ApiProblem } from '../problem/api-problem.js';
import type { PlanReader } from './plan-reader.js';

type Reply = Extract<ControlRequest, { readonly action: 'answer' | 'approve' | 'refuse' }>;

const replyNames = { answer: 'answered', approve: 'approved', refuse: 'refused' } as const;

/** Events in which replies are recorded, and those that say to what they replied. */
const REPLY_TYPES = [
  ...['QuestionAsked', 'ApprovalRequested'],
  ...['QuestionAnswered', 'ApprovalGranted', 'ApprovalRefused'],
];

/** Replies to plans in words. */
export class PlanReplies {
  constructor(
    private readonly reader: PlanReader,
    private readonly driver: JobDriver,
    private readonly store: EventStore,
  ) {}

  /**
   * Answers the question or decides the approval for which a plan waits. A repeat with the same idempotency key has the first answer, also when
   * the plan has gone on. Throws ApiProblem `approval_outdated`, `not_waiting` and those of control requests; what waits instead is named.
   */
  async reply(
    jobId: JobId,
    { text, callId, contentHash }: PlanReplyRequest,
    order: ControlHeaders,
  ): Promise<PlanReplyResponse> {
    if (order.idempotencyKey !== undefined) {
      const first = await this.findFirst(jobId, text, order);
      if (first) return first;
    }
    const wait = await this.reader.readWait(jobId);
    if (wait && (callId === undefined || callId === wait.callId)) {
      if (contentHash !== undefined && (wait.kind !== 'approval' || contentHash !== wait.contentHash))
        throw outdated(jobId, contentHash, wait);
      return this.apply(jobId, toReply(wait, text, order.actor), order, wait);
    }
    // What was decided before says by whom, or that it expired.
    const ended = (await this.listEnded(jobId)).find((one) => callId === undefined || one.wait.callId === callId);
    const hasEnded = await this.reader.hasEnded(jobId);
    if (ended && !hasEnded) return this.apply(jobId, toReply(ended.wait, text, order.actor), order, wait);
    if (wait && callId !== undefined) throw outdated(jobId, `call ${callId}`, wait);
    throw new ApiProblem('not_waiting', `Plan ${jobId} waits for no reply.`);
  }

  private async apply(
    jobId: JobId,
    reply: Reply,
    order: ControlHeaders,
    wait: PlanWait | undefined,
  ): Promise<PlanReplyResponse> {
    const outcome = requireJobOutcome(jobId, await this.driver.control(jobId, reply, order));
    if (outcome.kind === 'refused') {
      const isNamed = wait && outcome.reason.includes(wait.callId);
      const next = wait && !isNamed ? ` The plan waits for a reply to ${wait.callId} now.` : '';
      throw new ApiProblem(outcome.code ?? 'request_refused', `Not done: ${outcome.reason}.${next}`);
    }
    return toResponse(jobId, reply);
  }

  /** Finds the reply that was recorded with the key: requests like this one are sent again to the calls that they decided. */
  private async findFirst(jobId: JobId, text: string, order: ControlHeaders): Promise<PlanReplyResponse | undefined> {
    let hasConflict = false;
    const own = (await this.listEnded(jobId)).filter((ended) => ended.actor === order.actor);
    for (const { wait } of own) {
      const reply = toReply(wait, text, order.actor);
      const { kind } = await this.driver.control(jobId, reply, order);
      if (kind === 'recorded') return toResponse(jobId, reply);
      hasConflict ||= kind === 'key-conflict';
    }
    if (!hasConflict) return undefined;
    throw new ApiProblem('idempotency_conflict', 'This idempotency key was used before with another reply.');
  }

  /** Lists what the plan waited for and who ended each wait, the last one first. */
  private async listEnded(jobId: JobId): Promise<readonly EndedWait[]> {
    const waits = new Map<CallId, PlanWait>();
    const ended: EndedWait[] = [];
    for (const recorded of await this.store.readCorrelation(jobId, { types: REPLY_TYPES })) {
      const { type, data } = decodePhaseEvent(recorded);
      if (type === 'QuestionAsked') {
        const { callId, question, questionHash, deadlineAt } = data;
        waits.set(callId, { kind: 'question', callId, question, questionHash, expiresAt: deadlineAt });
      } else if (type === 'ApprovalRequested') {
        const { callId, name, arguments: args, expiresAt } = data;
        const argumentsHash = hashArguments(args);
        waits.set(callId, { kind: 'approval', callId, question: name, options: [], argumentsHash, expiresAt });
      } else if (type === 'QuestionAnswered' || type === 'ApprovalGranted' || type === 'ApprovalRefused') {
        const wait = waits.get(data.callId);
        if (wait) ended.unshift({ wait, actor: data.actor });
      }
    }
    return ended;
  }
}

/** What a plan waited for, and who ended the wait. */
interface EndedWait {
  readonly wait: PlanWait;
  readonly actor: string;
}

/** Builds the request for a reply in words. `approve` approves; any other reply to a request for approval says what to change. */
function toReply(wait: PlanWait, text: string, actor: string): Reply {
  const { callId } = wait;
  if (wait.kind === 'question')
    return { action: 'answer', actor, callId, questionHash: wait.questionHash, answer: text };
  return text.trim().toLowerCase() === 'approve'
    ? { action: 'approve', actor, callId, argumentsHash: wait.argumentsHash }
    : { action: 'refuse', actor, callId, reason: text };
}

function toResponse(planId: JobId, { action, callId }: Reply): PlanReplyResponse {
  return { planId, reply: replyNames[action], callId };
}

function outdated(jobId: JobId, given: string, wait: PlanWait): ApiProblem {
  const current = wait.kind === 'approval' ? wait.contentHash : undefined;
  const what = current === undefined ? 'something else' : `the approval of ${current}`;
  return new ApiProblem(
    'approval_outdated',
    `Plan ${jobId} waits for ${what} now. The reply is about ${given}. Read the plan, and reply again.`,
  );
}
