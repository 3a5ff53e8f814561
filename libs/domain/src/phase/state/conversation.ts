import type { Guard } from '../../guard/guard.js';
import type { PhaseEventData } from '../phase-events.js';
import type { PhaseCalls } from './calls.js';
import { keep, type ChangeEvent } from './changed-groups.js';
import { NO_MESSAGES, type PersonMessages } from './person-messages.js';
import {
  applySummaryToTranscript,
  clearTranscriptResults,
  guardNotice,
  moveResultsIntoTranscript,
  personNotice,
  systemNotice,
  type NoticeEntry,
  type Transcript,
  type TranscriptEntry,
} from './transcript.js';
import type { PhaseTree } from './tree.js';

/** What the model receives with its next call. */
export interface PhaseConversation {
  readonly transcript: Transcript;
  /** Messages from people that no model call has contained yet. */
  readonly pendingNotices: Transcript;
  /** How many messages of people the model has read; absent if there were none. */
  readonly messages?: PersonMessages;
  /** Set in a phase whose guards decide about each message of a person before it is sent. */
  readonly decidesMessages?: true;
  /** Moments of the phase about which guards have decided. */
  readonly moments?: PhaseMoments;
  /** Summary that replaces the older part of the conversation. */
  readonly summary?: string;
  /** Number of times that the conversation was summarised. */
  readonly summaries?: number;
  /** Last step whose answer is sent without its reasoning; all earlier answers are sent without it too. */
  readonly reasoningClearedToStep?: number;
  /** Tools found on demand, in the order in which they were found. */
  readonly loadedTools?: readonly string[];
}

/** Moments of a phase about which guards have decided. */
interface PhaseMoments {
  readonly isStartDecided?: boolean;
  readonly isTaskDecided?: boolean;
  /** Number of tasks and messages about which guards decided. */
  readonly prompts: number;
}

export function startConversation(notices: readonly string[] = [], guards: readonly Guard[] = []): PhaseConversation {
  const counts = notices.length > 0 ? { messages: { ...NO_MESSAGES, received: notices.length } } : {};
  if (!guards.some(({ points }) => points.includes('UserPromptSubmit')))
    return { transcript: notices.map(personNotice), pendingNotices: [], ...counts };
  return {
    ...counts,
    transcript: [],
    pendingNotices: notices.map((text) => markUndecided(personNotice(text), text)),
    decidesMessages: true,
  };
}

function markUndecided(notice: NoticeEntry, undecided: string): NoticeEntry {
  return { ...notice, undecided };
}

function isUndecided(entry: TranscriptEntry): boolean {
  return entry.kind === 'notice' && entry.undecided !== undefined;
}

/** What a person wrote in the oldest message about which guards have not decided; `undefined` if there is none. */
export function findUndecidedPrompt({ pendingNotices }: PhaseConversation): string | undefined {
  const entry = pendingNotices.find(isUndecided);
  return entry?.kind === 'notice' ? entry.undecided : undefined;
}

/** Folds one event. `calls` and `tree` are those before it. */
export function foldConversation(
  conversation: PhaseConversation,
  event: ChangeEvent,
  calls: PhaseCalls,
  tree: PhaseTree,
): PhaseConversation {
  const { transcript, pendingNotices, messages = NO_MESSAGES, summaries = 0, loadedTools = [] } = conversation;
  switch (event.type) {
    case 'ModelCallStarted':
      return deliverNotices(conversation, event.data);
    case 'ModelResponded': {
      const answer = { kind: 'answer', answer: event.data } as const;
      return {
        ...conversation,
        transcript: [...moveResultsIntoTranscript(transcript, calls), answer],
        ...(messages.sent === messages.read ? {} : { messages: { ...messages, read: messages.sent } }),
      };
    }
    case 'ToolResultsCleared':
      return { ...conversation, transcript: clearTranscriptResults(transcript, new Set(event.data.callIds), tree) };
    case 'ReasoningCleared':
      return { ...conversation, reasoningClearedToStep: event.data.upToStep };
    case 'ConversationSummarised': {
      const { summary, entries } = event.data;
      const shortened = applySummaryToTranscript(transcript, entries);
      return { ...conversation, transcript: shortened, summary, summaries: summaries + 1 };
    }
    case 'ToolsLoaded':
      return { ...conversation, loadedTools: [...new Set([...loadedTools, ...event.data.names])] };
    case 'PhaseNudged':
    case 'TransitionRejected':
    case 'StuckDetected':
      return addSystemNotice(conversation, event.data.message);
    case 'PhaseSteered': {
      const notice = personNotice(`Message from ${event.data.actor}: ${event.data.message}`);
      const pending = conversation.decidesMessages ? markUndecided(notice, event.data.message) : notice;
      return {
        ...conversation,
        pendingNotices: [...pendingNotices, pending],
        messages: { ...messages, received: messages.received + 1 },
      };
    }
    case 'GuardDecided':
      return addGuardContext(conversation, event.data);
    case 'MomentDecided':
      return decideMoment(conversation, event.data);
    default:
      return keep(conversation, 'conversation', event);
  }
}

/** Adds the text of a guard whose decision has an effect, at the points whose context belongs to no call. */
function addGuardContext(
  conversation: PhaseConversation,
  { point, guard, context, override }: PhaseEventData<'GuardDecided'>,
): PhaseConversation {
  if (point !== 'SessionStart' && point !== 'UserPromptSubmit') return conversation;
  if (context === undefined || override || guard.stage !== 'production') return conversation;
  const notice = guardNotice(guard.name, context, point === 'SessionStart');
  return { ...conversation, transcript: [...conversation.transcript, notice] };
}

function decideMoment(
  conversation: PhaseConversation,
  { point, prompt, refusal }: PhaseEventData<'MomentDecided'>,
): PhaseConversation {
  const { moments = { prompts: 0 }, pendingNotices } = conversation;
  if (point === 'SessionStart') return { ...conversation, moments: { ...moments, isStartDecided: true } };
  const decided = { ...moments, prompts: moments.prompts + 1 };
  if (prompt === 'task') return { ...conversation, moments: { ...decided, isTaskDecided: true } };
  const index = pendingNotices.findIndex(isUndecided);
  const entry = pendingNotices[index];
  if (entry?.kind !== 'notice') return { ...conversation, moments: decided };
  const { undecided: _decided, ...notice } = entry;
  return {
    ...conversation,
    moments: decided,
    pendingNotices: pendingNotices.toSpliced(index, 1, ...(refusal ? [] : [notice])),
  };
}

function addSystemNotice(conversation: PhaseConversation, message: string | undefined): PhaseConversation {
  if (message === undefined) return conversation;
  return { ...conversation, transcript: [...conversation.transcript, systemNotice(message)] };
}

/** The pending messages that the next call contains: those about which guards need not decide, or have decided. */
export function listSentNotices({ pendingNotices }: PhaseConversation): Transcript {
  return pendingNotices.filter((notice) => !isUndecided(notice));
}

/**
 * Moves pending messages into the transcript. A summary covers only entries of the transcript; the call after it
 * contains these messages.
 */
function deliverNotices(
  conversation: PhaseConversation,
  { purpose }: PhaseEventData<'ModelCallStarted'>,
): PhaseConversation {
  const { transcript, pendingNotices, messages } = conversation;
  if (purpose || !messages) return conversation;
  const sent = listSentNotices(conversation);
  return {
    ...conversation,
    messages: { ...messages, sent: messages.received - (pendingNotices.length - sent.length) },
    transcript: [...transcript, ...sent],
    pendingNotices: pendingNotices.filter((notice) => !sent.includes(notice)),
  };
}
