import type { PhaseEventData } from '../phase-events.js';
import type { PhaseCalls } from './calls.js';
import { keep, type ChangeEvent } from './changed-groups.js';
import {
  applySummaryToTranscript,
  clearTranscriptResults,
  moveResultsIntoTranscript,
  personNotice,
  systemNotice,
  type Transcript,
} from './transcript.js';
import type { PhaseTree } from './tree.js';

/** What the model receives with its next call. */
export interface PhaseConversation {
  readonly transcript: Transcript;
  /** Messages from people that no model call has contained yet. */
  readonly pendingNotices: Transcript;
  /** Summary that replaces the older part of the conversation. */
  readonly summary?: string;
  /** Number of times that the conversation was summarised. */
  readonly summaries?: number;
  /** Last step whose answer is sent without its reasoning; all earlier answers are sent without it too. */
  readonly reasoningClearedToStep?: number;
  /** Tools found on demand, in the order in which they were found. */
  readonly loadedTools?: readonly string[];
}

export function startConversation(notices: readonly string[] = []): PhaseConversation {
  return { transcript: notices.map(personNotice), pendingNotices: [] };
}

/** Folds one event. `calls` and `tree` are those before it. */
export function foldConversation(
  conversation: PhaseConversation,
  event: ChangeEvent,
  calls: PhaseCalls,
  tree: PhaseTree,
): PhaseConversation {
  const { transcript, pendingNotices, summaries = 0, loadedTools = [] } = conversation;
  switch (event.type) {
    case 'ModelCallStarted':
      return deliverNotices(conversation, event.data);
    case 'ModelResponded': {
      const answer = { kind: 'answer', answer: event.data } as const;
      return { ...conversation, transcript: [...moveResultsIntoTranscript(transcript, calls), answer] };
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
      return { ...conversation, pendingNotices: [...pendingNotices, notice] };
    }
    default:
      return keep(conversation, 'conversation', event);
  }
}

function addSystemNotice(conversation: PhaseConversation, message: string | undefined): PhaseConversation {
  if (message === undefined) return conversation;
  return { ...conversation, transcript: [...conversation.transcript, systemNotice(message)] };
}

/**
 * Moves pending messages into the transcript. A summary covers only entries of the transcript; the call after it
 * contains these messages.
 */
function deliverNotices(
  conversation: PhaseConversation,
  { purpose }: PhaseEventData<'ModelCallStarted'>,
): PhaseConversation {
  const { transcript, pendingNotices } = conversation;
  if (purpose || pendingNotices.length === 0) return conversation;
  return { ...conversation, transcript: [...transcript, ...pendingNotices], pendingNotices: [] };
}
