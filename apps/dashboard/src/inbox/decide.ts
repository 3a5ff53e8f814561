import { PhaselineClientError, RequestRefused, type InboxItem, type RetryRequest } from '@phaseline/client';
import { client } from '../api/client.js';

/** What a person does about an entry. */
export type Decision =
  | { readonly kind: 'approve'; readonly reason?: string; readonly arguments?: Record<string, unknown> }
  | { readonly kind: 'refuse'; readonly reason: string }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'steer'; readonly message: string }
  | { readonly kind: 'retry'; readonly message: string; readonly budgets?: RetryRequest['budgets'] };

export type Answer = string | number | boolean | null | unknown[] | Record<string, unknown>;

/**
 * Sends a decision. It names the hash of what the person saw, so that the server refuses it for anything else. Returns what failed if the
 * main part succeeded.
 */
export async function sendDecision(item: InboxItem, decision: Decision): Promise<string | undefined> {
  const { jobId, callId } = item;
  switch (decision.kind) {
    case 'steer':
      await client.control(jobId, 'steer', { message: decision.message });
      return undefined;
    case 'retry':
      await client.control(jobId, 'retry', decision.budgets ? { budgets: decision.budgets } : {});
      return decision.message === '' ? undefined : tellAfterRetry(jobId, decision.message);
    case 'answer':
      if (callId && item.question) {
        const { questionHash } = item.question;
        await client.control(jobId, 'answer', { callId, questionHash, answer: decision.answer });
      }
      return undefined;
    case 'refuse':
      if (callId)
        await client.control(jobId, 'refuse', { callId, ...(decision.reason ? { reason: decision.reason } : {}) });
      return undefined;
    case 'approve':
      if (callId && item.approval) {
        const { argumentsHash } = item.approval;
        const amended = decision.arguments ? { arguments: decision.arguments } : {};
        const because = decision.reason ? { reason: decision.reason } : {};
        await client.control(jobId, 'approve', { callId, argumentsHash, ...amended, ...because });
      }
      return undefined;
  }
}

/** An ended job takes no message, so the message follows the retry. The job may have ended again before it arrives. */
async function tellAfterRetry(jobId: InboxItem['jobId'], message: string): Promise<string | undefined> {
  try {
    await client.control(jobId, 'steer', { message });
    return undefined;
  } catch (error) {
    return `The message did not reach the agent: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Says what was done, for the line that follows a decision. */
export function describeDecision({ agent }: InboxItem, decision: Decision): string {
  const done = {
    approve: `You approved the call of ${agent}. It runs now.`,
    refuse: `You refused the call of ${agent}. The agent reads the reason.`,
    answer: `You answered ${agent}. The job continues.`,
    steer: `${agent} reads your message before its next step. The entry disappears when the agent takes the todo up again.`,
    retry: `The job of ${agent} continues.`,
  };
  return decision.kind === 'approve' && decision.arguments
    ? `You approved the call of ${agent} with other arguments. It runs now.`
    : done[decision.kind];
}

/** What happened to an entry that could not be decided, by the code of the refusal. */
const conflicts: Readonly<Record<string, string>> = {
  already_decided: 'Somebody else was faster.',
  not_waiting: 'It does not wait any more: the job went on or ended.',
  deadline_passed: 'The deadline had passed.',
  version_mismatch: 'It has changed since you opened it. Look at it again: nothing was decided.',
  job_not_found: 'The job is gone, or you may not see it any more.',
  content_erased: 'The content of the job was erased.',
};

/** Explains a refusal that is nobody's mistake: the entry is not what it was. Undefined for all other errors. */
export function explainConflict(error: unknown): string | undefined {
  if (!(error instanceof PhaselineClientError)) return undefined;
  const explanation = conflicts[error.code];
  return explanation === undefined ? undefined : `${explanation} ${error.message}`;
}

/** Returns why the server refused a value: one line per place in it. */
export function listRefusals(error: unknown): string {
  const errors = error instanceof RequestRefused ? error.errors : [];
  if (errors.length === 0) return error instanceof Error ? error.message : String(error);
  return errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n');
}
