import type { RehearsalRequest } from '../../rehearsal-policy.js';
import type { PastCall } from '../past-call.js';
import { readAnswers } from '../scene.js';
import { buildFrame } from './outline/plan-frame.js';
import type { Draft } from './outline/draft.js';
import { applyContextChange } from './apply-context-change.js';
import { readConversation, type ConversationReading } from './reading/read-conversation.js';
import { scoreReading } from './reading/score-reading.js';
import { readToolHistory } from './tool-results.js';
import { readPlanFiles, type PlanFiles } from './session.js';

/** State of a plan, as read from a request. */
export interface PlanScene extends PlanFiles {
  readonly toolNames: readonly string[];
  /** Calls of the phase, oldest first. */
  readonly calls: readonly PastCall[];
  readonly conversation: ConversationReading;
  readonly draft: Draft;
  /** The planner's own score, as `scoreReading` says. */
  readonly confidence: number;
}

/** Reads the state of a plan from a request. */
export function readPlanScene({ messages, toolNames }: Pick<RehearsalRequest, 'messages' | 'toolNames'>): PlanScene {
  const files = readPlanFiles({ messages });
  const { goal, messages: said, today } = files.session;
  const conversation = readConversation(goal, said, today);
  const calls = readAnswers(messages).flat();
  const { success } = readToolHistory(calls, 'context_elicitor');
  const recorded = success && calls.findLast(({ name }) => name === 'context_elicitor');
  const context = files.context && recorded ? applyContextChange(files.context, recorded.arguments) : files.context;
  const frame = buildFrame(conversation, context, today);
  return {
    ...files,
    ...(context && { context }),
    toolNames,
    calls,
    conversation,
    draft: { goal: conversation.goal, frame, changes: conversation.changes },
    confidence: scoreReading(conversation),
  };
}
