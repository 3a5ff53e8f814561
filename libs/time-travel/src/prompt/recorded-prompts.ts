import {
  reasoningModes,
  type ChatRequest,
  type JobId,
  type ReasoningMode,
  type ToolDefinition,
} from '@phaseline/contracts';
import {
  buildJudgePrompt,
  buildPromptOfState,
  buildReflexionPrompt,
  countMessageTokens,
  countToolTokens,
  hashRequest,
  MAX_TEXT_BYTES,
  planSummary,
  PROMPT_BUILDER,
  type Prompt,
} from '@phaseline/context';
import {
  decodePhaseEvent,
  findDueReflection,
  foldPhase,
  getAdmittedCall,
  type ModelCallPurpose,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
  type PromptLayers,
} from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { Lineage, withholdContent } from '@phaseline/repository';
import { getJobBlobs, readTextByHash, StagedWorkspace, type BlobReader } from '@phaseline/workspace';

type CallStarted = PhaseEventData<'ModelCallStarted'>;

/** A model call of a phase, as the log records its start. */
export interface RecordedModelCall {
  readonly step: number;
  /** Number of the call within its step: a step whose attempt failed or was taken over has several. */
  readonly attempt: number;
  readonly purpose: 'work' | ModelCallPurpose;
  readonly model: string;
  readonly promptBuilder: number;
  readonly requestHash: string;
  readonly inputTokens: number;
  readonly position: number;
}

/** The share of one layer of a prompt. */
interface PromptLayer {
  readonly layer: keyof PromptLayers;
  readonly tokens: number;
  /** Index of its first message, and their number. The tools are no messages. */
  readonly firstMessage: number;
  readonly messageCount: number;
}

/** The request of a recorded model call, built again from the log. */
export interface RebuiltPrompt {
  readonly call: RecordedModelCall;
  readonly request: ChatRequest;
  /** Layers with text, in the order in which they are sent; the tools are last. Their tokens sum to those of the request. */
  readonly layers: readonly PromptLayer[];
  /** Tokens of each message, and of each tool, of the request. */
  readonly messageTokens: readonly number[];
  readonly toolTokens: readonly number[];
  /** Hash of the rebuilt request. */
  readonly hash: string;
  /** Whether the rebuilt request is the one that was sent: both hashes are equal. */
  readonly isExact: boolean;
  /** Why the hashes may differ; absent when they are equal. */
  readonly difference?: 'other-builder' | 'other-release';
}

/** Returns the tools of a phase, by the declarations of this release and the settings of the phase's agent. */
export interface PromptTools {
  forPhase(state: PhaseState): {
    specsOf(names: readonly string[]): readonly { readonly definition: ToolDefinition }[];
  };
}

interface PhaseStep {
  readonly event: PhaseEvent;
  readonly call?: RecordedModelCall;
}

interface FoundCall {
  readonly call: RecordedModelCall;
  readonly started: CallStarted;
  /** The state from which the prompt was built. */
  readonly state: PhaseState;
}

/** Maximum number of events that are kept until they are folded. */
const EVENTS_PER_FOLD = 1_000;

/** Rebuilds the requests of model calls from the log. Reads only; costs one fold of the phase. */
export class RecordedPrompts {
  private readonly lineage: Lineage;

  constructor(
    private readonly store: EventLog,
    private readonly tools: PromptTools,
  ) {
    this.lineage = new Lineage(store);
  }

  /** Lists the model calls of a phase in order; empty when the phase does not exist or made none. */
  async list(jobId: JobId, phase: number): Promise<readonly RecordedModelCall[]> {
    const calls: RecordedModelCall[] = [];
    for await (const { call } of this.iterate(jobId, phase)) if (call) calls.push(call);
    return calls;
  }

  /**
   * Rebuilds the request of a call; the last attempt of the step when `attempt` is omitted. `undefined` when there was no such call.
   * Throws ContentErased for an erased job, and BlobMissing when a file of the prompt is gone.
   */
  async rebuild(jobId: JobId, phase: number, step: number, attempt?: number): Promise<RebuiltPrompt | undefined> {
    return withholdContent(jobId, async () => {
      const found = await this.find(jobId, phase, step, attempt);
      return found && this.rebuildCall(found);
    });
  }

  /**
   * Finds the last matching call of a phase. Events are folded a page at a time, because each fold copies the file tree; events after the
   * step are not read.
   */
  private async find(jobId: JobId, phase: number, step: number, attempt?: number): Promise<FoundCall | undefined> {
    let found: FoundCall | undefined;
    let state: PhaseState | undefined;
    let unfolded: PhaseEvent[] = [];
    const isWanted = (call: RecordedModelCall): boolean =>
      call.step === step && (attempt ?? call.attempt) === call.attempt;
    for await (const { event, call } of this.iterate(jobId, phase)) {
      if (call && call.step > step) break;
      if (call && event.type === 'ModelCallStarted' && isWanted(call)) {
        state = foldPhase(unfolded, state);
        unfolded = [];
        if (state) found = { call, started: event.data, state };
      }
      unfolded.push(event);
      if (unfolded.length < EVENTS_PER_FOLD) continue;
      state = foldPhase(unfolded, state);
      unfolded = [];
    }
    return found;
  }

  private async rebuildCall({ call, started, state }: FoundCall): Promise<RebuiltPrompt> {
    const prompt = await this.findMatchingPrompt(started, state);
    const { request, hash } = prompt;
    const isExact = hash === call.requestHash;
    const difference = call.promptBuilder === PROMPT_BUILDER ? 'other-release' : 'other-builder';
    return {
      ...{ call, request, hash, isExact, ...(isExact ? {} : { difference }) },
      layers: listLayers(prompt),
      messageTokens: request.messages.map(countMessageTokens),
      toolTokens: request.tools.map(countToolTokens),
    };
  }

  /**
   * Calls of version 1 do not record the settings of their model's profile. Then the request is built with each of the few possible
   * settings, until one has the recorded hash.
   */
  private async findMatchingPrompt(started: CallStarted, state: PhaseState): Promise<Prompt> {
    const modes = started.request ? [started.request.reasoning] : reasoningModes;
    let first: Prompt | undefined;
    for (const mode of modes) {
      const prompt = await this.buildPrompt(started, state, mode);
      first ??= prompt;
      if (prompt.hash === started.requestHash) return prompt;
    }
    return first!;
  }

  private async buildPrompt(started: CallStarted, state: PhaseState, reasoning: ReasoningMode): Promise<Prompt> {
    const maxOutputTokens = started.request?.maxOutputTokens ?? started.reservedTokens - started.inputTokens;
    if (started.purpose === 'summary') {
      const limit = started.request?.summariseTokens ?? state.start.terms.context.summariseTokens;
      const plan = planSummary(state, limit, hashRequest, reasoning);
      if (plan) return plan.prompt;
    }
    const part = started.purpose === 'reflection' ? findDueReflection(state) : undefined;
    if (part) return buildReflexionPrompt(state, part, hashRequest);
    const blobs = getJobBlobs(this.store.blobs, state.start.identity.jobId);
    if (started.purpose === 'judge') return buildJudgePromptOf(state, started, blobs);
    const workspace = new StagedWorkspace(state.tree, blobs);
    const readText = async (path: string): Promise<string | undefined> => {
      const bytes = await workspace.readRange(path, { offset: 0, length: MAX_TEXT_BYTES });
      return bytes && new TextDecoder().decode(bytes);
    };
    const tools = this.tools.forPhase(state);
    const readStored = (hash: string) => readTextByHash(blobs, hash, MAX_TEXT_BYTES);
    return buildPromptOfState(state, { readText, readStored, tools, maxOutputTokens, reasoning });
  }

  /** Yields the events of a phase in order, each that starts a model call with this call. */
  private async *iterate(jobId: JobId, phase: number): AsyncGenerator<PhaseStep, void, undefined> {
    const attempts = new Map<number, number>();
    for await (const recorded of this.lineage.iteratePhaseEvents(jobId, phase)) {
      const event = decodePhaseEvent(recorded);
      if (event.type !== 'ModelCallStarted') {
        yield { event };
        continue;
      }
      const { step, model, promptBuilder, requestHash, inputTokens, purpose = 'work' as const } = event.data;
      const attempt = (attempts.get(step) ?? 0) + 1;
      attempts.set(step, attempt);
      const { position } = recorded;
      yield { event, call: { step, attempt, purpose, model, promptBuilder, requestHash, inputTokens, position } };
    }
  }
}

function listLayers({ layout, ledger }: Prompt): readonly PromptLayer[] {
  let firstMessage = 0;
  const layers: PromptLayer[] = [];
  for (const { layer, messages } of layout) {
    if (messages > 0) layers.push({ layer, tokens: ledger[layer] ?? 0, firstMessage, messageCount: messages });
    firstMessage += messages;
  }
  if (ledger.tools === 0) return layers;
  return [...layers, { layer: 'tools', tokens: ledger.tools, firstMessage, messageCount: 0 }];
}

function buildJudgePromptOf(state: PhaseState, started: CallStarted, blobs: BlobReader): Promise<Prompt> {
  const call = getAdmittedCall(state.calls, started.callId!);
  return buildJudgePrompt(state, call, (hash, maxBytes) => readTextByHash(blobs, hash, maxBytes), hashRequest);
}
