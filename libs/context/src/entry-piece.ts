import type { ChatMessage } from '@phaseline/contracts';
import type { PhaseState, TranscriptEntry } from '@phaseline/domain';
import { buildPiece, type Piece } from './prompt-piece.js';

/** Token count of an entry in the prompt. */
export function countEntryTokens(entry: TranscriptEntry, state: PhaseState, carriesReasoning: boolean): number {
  return buildEntryPiece(entry, state, carriesReasoning).tokens;
}

/** The messages of the conversation of a phase, oldest first, without system messages and reasoning. */
export function listConversation(state: PhaseState): readonly ChatMessage[] {
  return state.conversation.transcript.flatMap((entry) => entryMessages(entry, state, false));
}

type EntryPieces = WeakMap<TranscriptEntry, Piece<readonly ChatMessage[]>>;
const entryPieces = { with: new WeakMap() as EntryPieces, without: new WeakMap() as EntryPieces };

/** Builds the piece of one entry of a conversation: an answer with the results of its calls in order, or a notice. */
export function buildEntryPiece(
  entry: TranscriptEntry,
  state: PhaseState,
  carriesReasoning: boolean,
): Piece<readonly ChatMessage[]> {
  const pieces = carriesReasoning ? entryPieces.with : entryPieces.without;
  const known = pieces.get(entry);
  if (known) return known;
  const made = buildPiece(entryMessages(entry, state, carriesReasoning));
  if (isEntryComplete(entry)) pieces.set(entry, made);
  return made;
}

/** Whether an entry will not change. The results of the calls of the last answer are not part of it yet. */
export function isEntryComplete(entry: TranscriptEntry): boolean {
  return entry.kind === 'notice' || entry.results !== undefined || entry.answer.calls.length === 0;
}

function entryMessages(entry: TranscriptEntry, state: PhaseState, carriesReasoning: boolean): readonly ChatMessage[] {
  if (entry.kind === 'notice') return [{ role: 'user', content: entry.text }];
  const { content, reasoning, calls } = entry.answer;
  const answer: ChatMessage = {
    role: 'assistant',
    content,
    ...(carriesReasoning && reasoning !== undefined ? { reasoning } : {}),
    ...(calls.length === 0
      ? {}
      : {
          toolCalls: calls.map((call) => ({
            id: call.callId,
            name: call.name,
            arguments: JSON.stringify(call.arguments ?? {}),
          })),
        }),
  };
  return [
    answer,
    ...calls.map(({ callId }): ChatMessage => ({
      role: 'tool',
      callId,
      content: entry.results?.[callId] ?? state.calls.byId[callId]?.result ?? 'No result was recorded for this call.',
    })),
  ];
}
