import type { EventOf } from '../event/define-event.js';
import { guardsAwaited, guardsSettled, momentDecided } from '../guard/guard-wait-events.js';
import { judgeEnded } from '../judge/judge-events.js';
import { toolsLoaded } from '../discovery/discovery-events.js';
import { stuckDetected } from '../stuck/stuck-events.js';
import { guardDecided, guardOverridden } from '../guard/guard-events.js';
import { guardOverrideRevoked } from '../guard/guard-override-events.js';
import { experienceNoted } from '../memory/experience-events.js';
import { todoEventDefinitions } from '../todo/todo-events.js';
import { modelCallStarted, modelCallFailed, modelAwaited, modelResponded } from './model-events.js';
import {
  toolResultsCleared,
  reasoningCleared,
  conversationSummarised,
  summaryNotRecorded,
} from './conversation-events.js';
import {
  toolCallRequested,
  approvalRequested,
  approvalGranted,
  approvalRefused,
  toolCallAmended,
  toolCallDenied,
  toolCallStarted,
  toolCallCompleted,
  toolCallFailed,
} from './call-events.js';
import {
  claimAccepted,
  claimRaised,
  claimRefused,
  todoCompleted,
  jobCompletionProposed,
  phaseNudged,
  transitionRejected,
} from './discipline-events.js';
import { phaseSteered, phasePaused, phaseResumed, phaseTakenOver } from './control-events.js';
import { delegationEventDefinitions } from '../delegation/child-events.js';
import { requirementsCached } from './cache-events.js';
import { commandStopped, connectionRecorded, protectedChangeUndone } from './command-events.js';
import { phaseCompleted, phaseFailed, phaseCancelled } from './end-events.js';
import { questionEventDefinitions } from './question-events.js';
import { itemsRefused, itemsSubmitted } from '../item/item-events.js';
import { planEventDefinitions } from '../plan/plan-events.js';
import { reflexionEventDefinitions } from '../reflexion/reflexion-events.js';
import { phaseReturned } from '../return/return-events.js';
import { fileDeleted, fileWritten } from './file-events.js';
import { phaseForked, phaseStarted } from './start-events.js';

/** All events of a phase's stream. */
export const phaseEventDefinitions = [
  phaseStarted,
  phaseForked,
  modelCallStarted,
  modelCallFailed,
  modelAwaited,
  modelResponded,
  toolResultsCleared,
  reasoningCleared,
  conversationSummarised,
  summaryNotRecorded,
  toolCallRequested,
  approvalRequested,
  approvalGranted,
  approvalRefused,
  toolCallAmended,
  ...questionEventDefinitions,
  ...delegationEventDefinitions,
  guardDecided,
  guardOverridden,
  guardOverrideRevoked,
  toolCallDenied,
  toolCallStarted,
  toolCallCompleted,
  toolCallFailed,
  commandStopped,
  protectedChangeUndone,
  connectionRecorded,
  requirementsCached,
  fileWritten,
  fileDeleted,
  todoCompleted,
  ...todoEventDefinitions,
  experienceNoted,
  jobCompletionProposed,
  phaseReturned,
  itemsSubmitted,
  itemsRefused,
  ...planEventDefinitions,
  phaseNudged,
  stuckDetected,
  toolsLoaded,
  claimRaised,
  claimAccepted,
  judgeEnded,
  ...reflexionEventDefinitions,
  guardsAwaited,
  guardsSettled,
  momentDecided,
  claimRefused,
  transitionRejected,
  phaseSteered,
  phasePaused,
  phaseResumed,
  phaseTakenOver,
  phaseCompleted,
  phaseFailed,
  phaseCancelled,
] as const;

export type PhaseEvent = EventOf<(typeof phaseEventDefinitions)[number]>;
export type PhaseEventType = PhaseEvent['type'];
export type PhaseEventData<Type extends PhaseEventType> = Extract<PhaseEvent, { type: Type }>['data'];

/** Types of events that end a phase's stream. */
export const phaseEndTypes = [
  'PhaseCompleted',
  'PhaseFailed',
  'PhaseCancelled',
] as const satisfies readonly PhaseEventType[];
