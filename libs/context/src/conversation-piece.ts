import type { ChatMessage } from '@phaseline/contracts';
import type { PhaseState, TranscriptEntry } from '@phaseline/domain';
import { countSameEntries } from './count-same-entries.js';
import { buildEntryPiece, isEntryComplete } from './entry-piece.js';
import type { Piece } from './prompt-piece.js';

const DIGEST_BYTES = 32;

/** By the start of the phase, which all states of a phase share. */
const conversations = new WeakMap<PhaseState['start'], GrowingConversation>();

/**
 * Builds the conversation of a phase as one piece of its prompt. What the last prompt of the phase had as well is not built again, so
 * the cost of a step does not grow with the phase.
 */
export function buildConversationPiece(
  entries: readonly TranscriptEntry[],
  state: PhaseState,
  carriesReasoning: (entry: TranscriptEntry) => boolean,
): Piece<readonly ChatMessage[]> {
  const conversation = conversations.get(state.start) ?? new GrowingConversation();
  conversations.set(state.start, conversation);
  return conversation.build(entries, state, carriesReasoning);
}

/** The pieces of the entries of a conversation, put together. */
class GrowingConversation {
  private entries: TranscriptEntry[] = [];
  /** Whether each entry was built with its reasoning. */
  private reasoning: boolean[] = [];
  private readonly messages: ChatMessage[] = [];
  /** Index of the first entry that may still change, and is built again: the answer whose calls have not all ended. */
  private firstOpen = Infinity;
  private digests = Buffer.alloc(DIGEST_BYTES);
  /** Messages and tokens of the conversation up to each entry, with it. */
  private ends: { readonly messages: number; readonly tokens: number }[] = [];

  build(
    entries: readonly TranscriptEntry[],
    state: PhaseState,
    carriesReasoning: (entry: TranscriptEntry) => boolean,
  ): Piece<readonly ChatMessage[]> {
    this.truncate(this.countReusable(entries, carriesReasoning));
    for (const entry of entries.slice(this.entries.length)) this.add(entry, state, carriesReasoning(entry));
    return {
      content: this.messages.slice(),
      tokens: this.ends.at(-1)?.tokens ?? 0,
      digest: Buffer.from(this.digests.subarray(0, entries.length * DIGEST_BYTES)),
    };
  }

  private countReusable(
    entries: readonly TranscriptEntry[],
    carriesReasoning: (entry: TranscriptEntry) => boolean,
  ): number {
    const same = Math.min(this.firstOpen, countSameEntries(this.entries, entries));
    for (let index = 0; index < same; index += 1)
      if (carriesReasoning(entries[index]!) !== this.reasoning[index]) return index;
    return same;
  }

  private truncate(count: number): void {
    if (this.firstOpen >= count) this.firstOpen = Infinity;
    this.entries.length = count;
    this.reasoning.length = count;
    this.ends.length = count;
    this.messages.length = this.ends.at(-1)?.messages ?? 0;
  }

  private add(entry: TranscriptEntry, state: PhaseState, isWithReasoning: boolean): void {
    const { content, tokens, digest } = buildEntryPiece(entry, state, isWithReasoning);
    const from = this.entries.length * DIGEST_BYTES;
    if (from + DIGEST_BYTES > this.digests.length) {
      // Not with `concat`, whose result is a part of a piece of 64 KiB.
      const longer = Buffer.alloc(this.digests.length * 2);
      this.digests.copy(longer);
      this.digests = longer;
    }
    digest.copy(this.digests, from);
    this.messages.push(...content);
    this.ends.push({ messages: this.messages.length, tokens: (this.ends.at(-1)?.tokens ?? 0) + tokens });
    if (!isEntryComplete(entry)) this.firstOpen = Math.min(this.firstOpen, this.entries.length);
    this.entries.push(entry);
    this.reasoning.push(isWithReasoning);
  }
}
