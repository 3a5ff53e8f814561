import { createHash } from 'node:crypto';
import {
  isReasoningSent,
  type ChatMessage,
  type ChatRequest,
  type ReasoningMode,
  type ToolDefinition,
} from '@phaseline/contracts';
import { listSentNotices, type PhaseState, type PromptLayers, type TranscriptEntry } from '@phaseline/domain';
import { buildConversationPiece } from './conversation-piece.js';
import { renderExperiences } from './experiences-part.js';
import { countToolTokens } from './count-prompt-tokens.js';
import { renderItem } from './item-part.js';
import { buildPiece, digestOf, type Piece } from './prompt-piece.js';
import { renderPrecedents } from './precedents-part.js';
import { renderReflexion } from './reflexion/reflexion-part.js';
import { renderReceived } from './return-part.js';
import { hasKeptItems } from './summary-lists.js';
import { renderShownFiles, type ShownFile } from './shown-files-part.js';
import { renderSystemPrompt } from './system-prompt.js';
import { renderTodoList } from './render-todo-list.js';

/** Token counts per layer. `total` is their exact sum. */
interface TokenLedger extends PromptLayers {
  readonly total: number;
}

/** A run of messages that belong to one layer. */
interface LayerSpan {
  readonly layer: Exclude<keyof PromptLayers, 'tools'>;
  readonly messages: number;
}

export interface Prompt {
  readonly request: ChatRequest;
  readonly ledger: TokenLedger;
  /** The layers of the messages in order. Together they have as many messages as the request; one without text has none. */
  readonly layout: readonly LayerSpan[];
  /** SHA-256 in hex over the digests of all messages and tools, in order. The same prompt has the same hash. */
  readonly hash: string;
}

export interface PromptInput {
  readonly state: PhaseState;
  readonly tools: readonly ToolDefinition[];
  /** Current text of workspace.md; `undefined` if it does not exist. */
  readonly workspaceMemory: string | undefined;
  /** Current text of experiences.md. */
  readonly experiences?: string | undefined;
  /** Files that the phase shows, as they were at its beginning. */
  readonly shownFiles?: readonly ShownFile[];
  readonly maxOutputTokens: number;
  /** When reasoning is sent back to the model; never by default. Reasoning that is not sent is not part of the prompt. */
  readonly reasoning?: ReasoningMode | undefined;
}

/** A part of the prompt with the layer to which it belongs. */
interface Section {
  readonly layer: LayerSpan['layer'];
  readonly pieces: readonly Piece<readonly ChatMessage[]>[];
}

const KICKOFF = 'Start with the current todo.';
/** In a phase without todos. */
const TASK_KICKOFF = 'Start with the task.';
/** The piece of most phases. Built when first used, because counting its tokens loads the tables of the encoder. */
let plainKickoff: Piece<readonly ChatMessage[]> | undefined;

/**
 * Builds the first message after the system prompt. Notes are part of this message and not of the system prompt, because
 * text written by an agent or an earlier job must not have the authority of the system.
 */
function buildKickoff(notes: readonly string[], kickoff: string): Piece<readonly ChatMessage[]> {
  const content = notes.length === 0 ? kickoff : `${notes.join('\n').trim()}\n\n${kickoff}`;
  return buildPiece<readonly ChatMessage[]>([{ role: 'user', content }]);
}

/**
 * Builds the prompt of the next call from the phase's state: system prompt, todo list, tools, conversation. Conversations of
 * earlier phases are not included, because the phase's stream does not contain them.
 */
export function buildPrompt(input: PromptInput): Prompt {
  const { state } = input;
  const system = buildPiece([{ role: 'system', content: renderSystemPrompt(state, input.workspaceMemory) }]);
  const todos = buildPiece([{ role: 'system', content: renderTodoList(state) }]);
  const tools = input.tools.map(buildToolPiece);
  const entries = [...state.conversation.transcript, ...listSentNotices(state.conversation)];
  const summary = buildPiece<readonly ChatMessage[]>(
    state.conversation.summary === undefined
      ? []
      : [{ role: 'system', content: renderSummary(state.conversation.summary, state) }],
  );
  const reflexionText = renderReflexion(state);
  const reflexion = reflexionText === '' ? undefined : buildPiece([{ role: 'user', content: reflexionText }]);
  const carriesReasoning = findReasoningCarriers(state, input.reasoning);
  const notes = [
    ...renderItem(state),
    ...renderReceived(state),
    ...renderShownFiles(input.shownFiles ?? []),
    ...renderPrecedents(state.start.plan.precedents),
    ...renderExperiences(input.experiences),
  ];
  const kickoff = state.start.plan.controller ? TASK_KICKOFF : KICKOFF;
  const first =
    notes.length === 0 && kickoff === KICKOFF
      ? (plainKickoff ??= buildKickoff([], KICKOFF))
      : buildKickoff(notes, kickoff);
  const conversation = [first, buildConversationPiece(entries, state, carriesReasoning)];
  const layers = {
    system: system.tokens,
    todos: todos.tokens,
    tools: sumTokens(tools),
    ...(reflexion ? { reflexion: reflexion.tokens } : {}),
    summary: summary.tokens,
    conversation: sumTokens(conversation),
  };
  const place = state.start.terms.context.todoList;
  const sections: readonly Section[] = [
    { layer: 'system', pieces: [system] },
    { layer: 'todos', pieces: place === 'after-system' ? [todos] : [] },
    { layer: 'reflexion', pieces: reflexion ? [reflexion] : [] },
    { layer: 'summary', pieces: [summary] },
    { layer: 'conversation', pieces: conversation },
    { layer: 'todos', pieces: place === 'last' ? [todos] : [] },
  ];
  const pieces = sections.flatMap((section) => section.pieces);
  const digests = Buffer.concat([...pieces, ...tools].map(({ digest }) => digest));
  return {
    request: {
      messages: pieces.flatMap(({ content }) => content),
      tools: input.tools,
      maxOutputTokens: input.maxOutputTokens,
      ...pickModelParameters(state),
    },
    ledger: {
      ...layers,
      total: Object.values(layers).reduce((total, tokens) => total + tokens, 0),
    },
    layout: sections.map(measureSection),
    hash: createHash('sha256').update(digests).digest('hex'),
  };
}

function measureSection({ layer, pieces }: Section): LayerSpan {
  return { layer, messages: pieces.reduce((count, { content }) => count + content.length, 0) };
}

/** Parameters that the agent sets for this kind of phase. They are not part of the prompt, so the hash does not cover them. */
function pickModelParameters({
  start: { terms, identity },
}: PhaseState): Pick<ChatRequest, 'temperature' | 'reasoningEffort'> {
  const temperature = terms.temperature?.[identity.kind];
  const reasoningEffort = terms.reasoningEffort?.[identity.kind];
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
  };
}

function renderSummary(summary: string, { start: { plan } }: PhaseState): string {
  const text = `Your summary of the earlier part of this phase, whose messages were removed:\n${summary}`;
  if (!plan.returns || plan.listing || !hasKeptItems(summary)) return text;
  return `${text}\n\nThe result of this phase must contain its decisions and unresolved defects word for word, or \`settled\` those that no longer hold.`;
}

/** SHA-256 in hex of a request that is not built from layers. */
export function hashRequest(request: ChatRequest): string {
  return digestOf([request.messages, request.tools]).toString('hex');
}

/** Returns a predicate for the entries of the conversation that are sent with their reasoning. */
export function findReasoningCarriers(
  state: PhaseState,
  mode: ReasoningMode = 'never',
): (entry: TranscriptEntry) => boolean {
  if (mode === 'never') return () => false;
  const entries = [...state.conversation.transcript, ...listSentNotices(state.conversation)];
  const lastUser = entries.findLastIndex(({ kind }) => kind === 'notice');
  const since = new Set(entries.slice(lastUser + 1));
  return (entry) =>
    entry.kind === 'answer' &&
    entry.answer.calls.length > 0 &&
    (entry.answer.reasoning ?? '') !== '' &&
    entry.answer.step > (state.conversation.reasoningClearedToStep ?? 0) &&
    isReasoningSent(mode, since.has(entry));
}

const toolPieces = new WeakMap<ToolDefinition, Piece<ToolDefinition>>();

function buildToolPiece(tool: ToolDefinition): Piece<ToolDefinition> {
  const known = toolPieces.get(tool);
  if (known) return known;
  const made = { content: tool, tokens: countToolTokens(tool), digest: digestOf(tool) };
  toolPieces.set(tool, made);
  return made;
}

function sumTokens(pieces: readonly Piece<unknown>[]): number {
  return pieces.reduce((total, { tokens }) => total + tokens, 0);
}
