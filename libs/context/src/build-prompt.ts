import { createHash } from 'node:crypto';
import {
  isReasoningSent,
  type ChatMessage,
  type ChatRequest,
  type PhaseState,
  type PromptLayers,
  type ReasoningHabit,
  type ToolDefinition,
  type TranscriptEntry,
} from '@phaseline/domain';
import { experiencesPart } from './experiences-part.js';
import { messageTokens, toolTokens } from './prompt-tokens.js';
import { systemPrompt } from './system-prompt.js';
import { todoBox } from './todo-box.js';

/** Tokens by layer; `total` is their exact sum. */
export interface TokenLedger extends PromptLayers {
  readonly total: number;
}

export interface Prompt {
  readonly request: ChatRequest;
  readonly ledger: TokenLedger;
  /** SHA-256 in hex over the digests of all messages and tools, in order: the same prompt has the same hash. */
  readonly hash: string;
}

export interface PromptInput {
  readonly state: PhaseState;
  readonly tools: readonly ToolDefinition[];
  /** The text of workspace.md as it stands; `undefined` when there is none. */
  readonly workspaceMemory: string | undefined;
  /** The text of experiences.md as it stands. */
  readonly experiences?: string | undefined;
  readonly maxOutputTokens: number;
  /** When the model is sent its reasoning back; never where this is left out. What is not sent is not in the prompt at all. */
  readonly reasoning?: ReasoningHabit | undefined;
}

/** A piece of the prompt with what is known of it. Pieces of ended answers are made once and used in every later step. */
interface Piece<Content> {
  readonly content: Content;
  readonly tokens: number;
  readonly digest: Buffer;
}

const KICKOFF = 'Begin with the current todo of the list.';
const kickoff = kickoffPiece([]);

/**
 * The first message behind the system prompt. Notes stand in it and not in the system prompt, because what an agent, or an earlier
 * job, has written must not speak with the voice of the system.
 */
function kickoffPiece(notes: readonly string[]): Piece<readonly ChatMessage[]> {
  const content = notes.length === 0 ? KICKOFF : `${notes.join('\n').trim()}\n\n${KICKOFF}`;
  return piece<readonly ChatMessage[]>([{ role: 'user', content }]);
}

/**
 * The prompt of the next call, out of the phase's state alone: system prompt, todo list, tools, conversation. A phase
 * knows nothing of the conversations before it, because its stream holds none of them.
 */
export function buildPrompt(input: PromptInput): Prompt {
  const { state } = input;
  const system = piece([{ role: 'system', content: systemPrompt(state, input.workspaceMemory) }]);
  const todos = piece([{ role: 'system', content: todoBox(state) }]);
  const tools = input.tools.map(toolPiece);
  const entries = [...state.transcript, ...state.pendingNotices];
  const summary = piece<readonly ChatMessage[]>(
    state.summary === undefined ? [] : [{ role: 'system', content: summaryText(state.summary) }],
  );
  const carriesReasoning = reasoningCarriers(state, input.reasoning);
  const notes = experiencesPart(input.experiences);
  const first = notes.length === 0 ? kickoff : kickoffPiece(notes);
  const conversation = [first, ...entries.map((entry) => entryPiece(entry, state, carriesReasoning(entry)))];
  const layers = {
    system: system.tokens,
    todos: todos.tokens,
    tools: sum(tools),
    summary: summary.tokens,
    conversation: sum(conversation),
  };
  const before = state.start.context.todoList === 'after-system' ? [todos] : [];
  const after = state.start.context.todoList === 'last' ? [todos] : [];
  const pieces = [system, ...before, summary, ...conversation, ...after];
  const hash = createHash('sha256');
  for (const { digest } of [...pieces, ...tools]) hash.update(digest);
  return {
    request: {
      messages: pieces.flatMap(({ content }) => content),
      tools: input.tools,
      maxOutputTokens: input.maxOutputTokens,
    },
    ledger: {
      ...layers,
      total: layers.system + layers.todos + layers.tools + layers.summary + layers.conversation,
    },
    hash: hash.digest('hex'),
  };
}

function summaryText(summary: string): string {
  return `What happened so far in this phase, as you summarised it before the older messages were removed:\n${summary}`;
}

/** SHA-256 in hex of a request that is not made of layers. */
export function requestHash(request: ChatRequest): string {
  return digestOf([request.messages, request.tools]).toString('hex');
}

/** Tells which entries of the conversation are sent with their reasoning. */
export function reasoningCarriers(
  state: PhaseState,
  habit: ReasoningHabit = 'never',
): (entry: TranscriptEntry) => boolean {
  if (habit === 'never') return () => false;
  const entries = [...state.transcript, ...state.pendingNotices];
  const lastUser = entries.findLastIndex(({ kind }) => kind === 'notice');
  const since = new Set(entries.slice(lastUser + 1));
  return (entry) =>
    entry.kind === 'answer' &&
    entry.answer.calls.length > 0 &&
    (entry.answer.reasoning ?? '') !== '' &&
    entry.answer.step > (state.reasoningClearedTo ?? 0) &&
    isReasoningSent(habit, since.has(entry));
}

/** Tokens that an entry takes in the prompt. */
export function entryTokens(entry: TranscriptEntry, state: PhaseState, carriesReasoning: boolean): number {
  return entryPiece(entry, state, carriesReasoning).tokens;
}

type EntryPieces = WeakMap<TranscriptEntry, Piece<readonly ChatMessage[]>>;
const entryPieces = { with: new WeakMap() as EntryPieces, without: new WeakMap() as EntryPieces };

/** The fifth layer: answers, results in the order of their calls, and what the system told the model. */
function entryPiece(
  entry: TranscriptEntry,
  state: PhaseState,
  carriesReasoning: boolean,
): Piece<readonly ChatMessage[]> {
  const pieces = carriesReasoning ? entryPieces.with : entryPieces.without;
  const known = pieces.get(entry);
  if (known) return known;
  const made = piece(entryMessages(entry, state, carriesReasoning));
  // While an answer is the last one, its results stand beside it and may still come in.
  const settled = entry.kind === 'notice' || entry.results !== undefined || entry.answer.calls.length === 0;
  if (settled) pieces.set(entry, made);
  return made;
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
      content: entry.results?.[callId] ?? state.calls[callId]?.result ?? 'No result was recorded for this call.',
    })),
  ];
}

const toolPieces = new WeakMap<ToolDefinition, Piece<ToolDefinition>>();

function toolPiece(tool: ToolDefinition): Piece<ToolDefinition> {
  const known = toolPieces.get(tool);
  if (known) return known;
  const made = { content: tool, tokens: toolTokens(tool), digest: digestOf(tool) };
  toolPieces.set(tool, made);
  return made;
}

function piece<Messages extends readonly ChatMessage[]>(content: Messages): Piece<Messages> {
  return {
    content,
    tokens: content.reduce((total, message) => total + messageTokens(message), 0),
    digest: digestOf(content),
  };
}

function digestOf(content: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

function sum(pieces: readonly Piece<unknown>[]): number {
  return pieces.reduce((total, { tokens }) => total + tokens, 0);
}
