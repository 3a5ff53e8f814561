import { ToolError } from '@phaseline/contracts';
import { EXPIRY_ACTOR, getAdmittedCall, listNestedCalls, type CallState, type PhaseState } from '@phaseline/domain';
import type { planningSpec } from '@phaseline/pack-specs';
import {
  addMessage,
  type ApprovalEnd,
  followAnswer,
  followApproval,
  getProposalKey,
  isApproved,
  isStop,
  listAnswerOptions,
  type PendingQuestion,
  type PlanSession,
  type PlanStage,
  resolvePolicy,
  shortenConversation,
  summarizeTurn,
  waitForPerson,
} from '@phaseline/planning';
import type { InlineToolContext, InlineToolOutcome, ToolRun } from '@phaseline/tools';
import { STYLE_QUESTION } from './collect-context.js';
import { readConflict } from './conflict-file.js';
import { finish } from './control-stages.js';
import { PlanWork, toJson } from './plan-work.js';

const APPROVAL_HANDLER = 'approval_handler';
const PORTFOLIO_RECHECK = 'portfolio_recheck';

/** Asks the person for the approval that is due, and follows the reply. */
export const controlApproval: ToolRun<typeof planningSpec, 'request_approval'> = async (context) => {
  const work = await PlanWork.read(context);
  return askApproval(work, context, false);
};

/**
 * Makes the call that a person approves. Its arguments name the artifact by its hash, and the engine binds the approval to them. With `renews`, an
 * expired request is followed by a new one for the same artifact. Once the schedule is approved, the other plans of the person are read again.
 */
function askApproval(work: PlanWork, context: InlineToolContext, renews: boolean): InlineToolOutcome {
  const { session } = work;
  const conclude = (how: ApprovalEnd) => {
    const decision = followApproval(session, how);
    work.session = decision.session;
    return finish(work, decision.outcome, undefined);
  };
  if (!session.approval) throw new ToolError('nothing_to_approve', 'Nothing of this plan waits for an approval.');
  const nested = listNestedCalls(context.state, context.callId);
  const last = nested.findLast(({ name }) => name === APPROVAL_HANDLER);
  const end = last && findApprovalEnd(last);
  if (!end || (end.kind === 'no_response' && renews)) {
    const { subject, hash } = session.approval;
    const { jobId } = context.state.start.identity;
    const args = { kind: subject, job: jobId, content_hash: hash, summary: session.responseText || `The ${subject}.` };
    return { content: '', nestedCalls: [{ name: APPROVAL_HANDLER, arguments: args }] };
  }
  if (end.kind !== 'approved' || session.approval.subject !== 'schedule') return conclude(end);
  const recheck = nested.find(({ name }) => name === PORTFOLIO_RECHECK);
  if (!recheck) return { content: '', nestedCalls: [{ name: PORTFOLIO_RECHECK, arguments: {} }] };
  return conclude(findPortfolioEnd(recheck, session, context.state));
}

/** What the other plans of the person say about an approved schedule. One that was made around them as they are is approved as it is. */
function findPortfolioEnd({ callId, status }: CallState, session: PlanSession, { work }: PhaseState): ApprovalEnd {
  const { portfolio_version: version, conflicts } = work.calls.find((call) => call.callId === callId)?.result ?? {};
  if (status !== 'completed' || typeof version !== 'string' || !Array.isArray(conflicts)) return { kind: 'unchecked' };
  const isKnown = version === session.portfolioVersion || conflicts.length === 0;
  return isKnown ? { kind: 'approved' } : { kind: 'overtaken', conflicts: conflicts.map(String) };
}

function findApprovalEnd(call: CallState): ApprovalEnd {
  switch (call.status) {
    case 'completed':
      return { kind: 'approved' };
    case 'refused': {
      const { actor, refusalReason = '' } = call.approvalDecision ?? {};
      if (actor === EXPIRY_ACTOR) return { kind: 'no_response' };
      return { kind: 'rejected', text: refusalReason.replace(/^\s*propose changes:\s*/i, '') || 'Rejected.' };
    }
    default:
      throw new ToolError('approval_failed', `The request for approval failed: ${call.result ?? call.status}`);
  }
}

/** Runs once a person has approved it. What was approved must still be what the plan has. */
export const handleApproval: ToolRun<typeof planningSpec, 'approval_handler'> = async (context, input) => {
  const { session } = await PlanWork.read(context);
  if (session.approval?.hash !== input.content_hash || session.approval.subject !== input.kind)
    throw new ToolError('outdated', 'The plan has changed since the request. A new request follows.');
  const result = { ok: true, confidence: 1, explanations: [`Approved: ${input.kind}.`] };
  return { content: JSON.stringify({ ...result, data: { content_hash: input.content_hash } }), result };
};

/** Asks the person what the plan waits for, and continues with the answer. */
export const controlClarification: ToolRun<typeof planningSpec, 'clarify'> = async (context, { code }) => {
  const work = await PlanWork.read(context);
  const { session } = work;
  const pending: PendingQuestion | undefined = code
    ? buildBudgetQuestion(code, session, context.state)
    : session.pending;
  if (!pending) throw new ToolError('nothing_to_ask', 'This plan waits for nothing.');
  if (pending.kind === 'no_response') return askApproval(work, context, true);
  const { question } = getAdmittedCall(context.state.calls, context.callId);
  if (!question) return ask(work, pending, context.now);
  if (question.end?.kind !== 'answered') return finish(work, 'unanswered', undefined);
  const heard = addMessage(session, 'planner', question.question);
  // The next calls of a session whose turn was expensive cost less with a shorter conversation.
  work.session = code === 'turn_cost' ? shortenConversation(heard) : heard;
  return follow(work, pending, renderAnswer(question.end.answer), question.end.actor, context);
};

/** Before a person is asked whether an expensive turn continues, they are told what it has brought about. */
function buildBudgetQuestion(
  code: Extract<PendingQuestion, { kind: 'budget' }>['code'],
  session: PlanSession,
  { turn, money }: PhaseState,
): PendingQuestion {
  const softCostMicroUsd = money.allowance.turn?.softCostMicroUsd;
  if (code !== 'turn_cost' || !turn || softCostMicroUsd === undefined) return { kind: 'budget', code };
  return { kind: 'budget', code, summary: summarizeTurn(session, { ...turn, softCostMicroUsd }) };
}

function ask(work: PlanWork, pending: PendingQuestion, now: Date): InlineToolOutcome {
  const reason = pending.kind === 'budget' ? pending.code : (work.session.escalateReason ?? pending.kind);
  // A stage that ended at a limit could not record that the plan waits.
  work.session = waitForPerson(work.session, pending, reason);
  const { responseText, settings } = work.session;
  const options = listAnswerOptions(pending);
  const deadlineAt = new Date(now.getTime() + settings.answerWithinMs);
  return work.ask({ question: responseText, ...(options && { options: [...options] }), deadlineAt });
}

async function follow(
  work: PlanWork,
  pending: PendingQuestion,
  answer: string,
  actor: string,
  { workspace }: InlineToolContext,
): Promise<InlineToolOutcome> {
  recordProposalDecision(work, pending, answer, actor);
  if (pending.kind === 'facts' && pending.questions.includes(STYLE_QUESTION)) readStyle(work, answer, actor);
  const changed = pending.kind === 'infeasible' && !isStop(answer) ? await relax(work, answer, workspace) : undefined;
  const decision = followAnswer(work.session, pending, answer, changed);
  work.session = decision.session;
  return finish(work, decision.outcome, undefined);
}

/** Records the decision about a proposal, which later jobs of the tenant know if it was approved. */
function recordProposalDecision(work: PlanWork, pending: PendingQuestion, answer: string, actor: string): void {
  const { proposal } = work.session;
  if (pending.kind !== 'proposal' || !proposal || isStop(answer)) return;
  const key = getProposalKey(proposal.pattern);
  if (!isApproved(answer)) {
    work.record('PatternRefused', { proposal: key, actor });
    return;
  }
  const definition = proposal.definition && { definition: toJson(proposal.definition) };
  work.record('PatternApproved', { proposal: key, actor, pattern: toJson(proposal.pattern), ...definition });
}

/**
 * Follows the answer to the question about the style of the conversation. What the person answers is a lasting preference; what another person
 * answers for them holds for this session.
 */
function readStyle(work: PlanWork, answer: string, actor: string): void {
  const conversationStyle = STYLES.find((style) => new RegExp(String.raw`\b${style}\b`, 'i').test(answer));
  if (conversationStyle === undefined) return;
  const { session } = work;
  const { user } = session;
  if (actor === user) {
    const preferences = { ...session.preferences, conversationStyle };
    work.session = { ...session, preferences, policy: resolvePolicy(preferences, session.overrides) };
    work.record('PreferenceAnswered', {
      user,
      preference: 'conversationStyle',
      value: conversationStyle,
      words: answer,
    });
    return;
  }
  const overrides = [...session.overrides, { conversationStyle }];
  work.session = { ...session, overrides, policy: resolvePolicy(session.preferences, overrides) };
  work.record('PolicyOverridden', { overrides: { conversationStyle }, words: answer });
}

/** What an answer to the question about the style can name. */
const STYLES = ['conversational', 'concise'] as const;

/** Changes the plan as the chosen relaxation says. Returns the earliest stage that has to be drafted again. */
async function relax(
  work: PlanWork,
  answer: string,
  workspace: InlineToolContext['workspace'],
): Promise<PlanStage | undefined> {
  const conflict = await readConflict(workspace, work.session.hashes.roadmap);
  const change = conflict?.choices.find(({ id }) => id === answer)?.change;
  if (!change) return undefined;
  work.recordArtifact(change.kind, change.artifact);
  // What is made from the context begins with the outline.
  return change.kind === 'context' ? 'outline' : change.kind;
}

function renderAnswer(answer: unknown): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}
