import type { AdmittedCall, GuardWait, ModelCallPurpose, PhaseEvent, PhaseState } from '@phaseline/domain';
import type { CallId, ChatAnswer, JobId, ProcessId } from '@phaseline/contracts';
import type { Prompt } from '@phaseline/context';
import type { GuardMoment } from '@phaseline/repository';
import type { ChatModel, ModelError, ModelProfile } from '@phaseline/model';
import type { PendingCommit } from './step/pending-commit.js';

/** A model that a worker can call, under the name that agent definitions use. */
export interface ConfiguredModel {
  readonly profile: ModelProfile;
  readonly model: ChatModel;
  /** Maximum number of tokens per call, request and answer together. */
  readonly contextTokens: number;
}

export interface ModelCatalogue {
  /** Finds a model by its profile name; `undefined` when the worker's configuration has no such profile. */
  find(name: string): ConfiguredModel | undefined | Promise<ConfiguredModel | undefined>;
}

/** Outcome of a search for the model of a phase; `away` when its server has to report its limits but does not respond. */
export type FoundModel = ConfiguredModel | 'unreachable' | undefined;

/** The next call: either a normal one, or one that shortens the conversation first. */
export interface NextCall {
  readonly prompt: Prompt;
  readonly purpose?: 'summary';
}

/** Builds the prompt of the next model call from a pending commit. */
interface PromptBuilder {
  /** Builds the prompt from the commit as it is. */
  build(): Promise<NextCall>;
  /**
   * Shortens the conversation first when it is too long for the model, and records in the commit what was cleared. Returns undefined if guards
   * have to decide first.
   */
  shortenAndBuild(): Promise<NextCall | undefined>;
}

/** Response to a model call: an answer of the model, an event to record unchanged, or the error of the attempt. */
export type ModelResponse = ChatAnswer | PhaseEvent | ModelError;

/** What a source that computes a response uses. */
export interface ResponseParts {
  /** The model of the open call. */
  readonly model: ConfiguredModel;
  /** Builds the prompt of the model call that is open in a state of the phase. */
  readonly rebuildPrompt: (state: PhaseState) => Promise<Prompt>;
}

/** Records the end of a call in a commit. Runs again on a newer state when another process changed the phase first. */
export type RecordCallEnd = (commit: PendingCommit) => Promise<void>;

/**
 * How a remote call ends, with the state on which to record it; or that another process runs the call, or that the phase
 * changed before the call was started.
 */
export type RemoteRun =
  { readonly state: PhaseState; readonly recordEnd: RecordCallEnd } | 'owned-elsewhere' | 'phase-changed';

/** A moment at which guards decide about a call: when it is admitted, when it ended, or when the guards have decided that it waited for. */
interface CallMoment {
  readonly callId: CallId;
  readonly after: 'admission' | 'end' | GuardWait;
}

/**
 * Provides what a phase cannot decide from its own log: the answers of its model, the results of its calls, the
 * decisions on calls that wait for approval, texts that contain the time, and times.
 *
 * The last parameter of a method obtains the response live: it calls the model or runs the tool. The live source returns
 * its result; the recorded source returns what the recording holds and does not call it. A new source, for example one
 * that builds other prompts for the recorded answers, implements this interface and is chosen in `openSource`. Code
 * outside `source/` must not depend on which source it uses.
 *
 * A source is opened for one run of one phase and keeps no state. A method records events only in the commit
 * that it receives. After a concurrent commit it is called again with the newer state.
 */
export interface ResponseSource {
  /** Finds the model for which prompts are built and whose prices apply. `find` searches the worker's catalogue. */
  findModel(state: PhaseState, find: () => Promise<FoundModel>): Promise<FoundModel>;
  /** Builds the prompt of the next model call, and records in the commit what shortens the conversation before it. */
  prepareCall(commit: PendingCommit, prompts: PromptBuilder): Promise<NextCall | undefined>;
  /** Returns the response to the open model call of `state`. `callModel` makes one attempt. */
  respond(
    state: PhaseState,
    callModel: () => Promise<ChatAnswer | ModelError>,
    parts: ResponseParts,
  ): Promise<ModelResponse>;
  /**
   * Returns the events that record what guards decide about a call, and what follows from it. `ask` asks the guards; a recording of a phase
   * with the same guards contains their decisions.
   */
  decideCallGuards(
    state: PhaseState,
    moment: CallMoment,
    ask: () => Promise<readonly PhaseEvent[]>,
  ): Promise<readonly PhaseEvent[]>;
  /**
   * Returns the decisions of guards at a moment, as the events that record them. `ask` asks the guards; a recording of a phase with the same
   * guards contains their decisions.
   */
  decideGuards(
    state: PhaseState,
    moment: GuardMoment,
    ask: () => Promise<readonly PhaseEvent[]>,
  ): Promise<readonly PhaseEvent[]>;
  /** Records decisions on the calls that wait for approval, and answers to questions. A live phase waits for a person, whose decision others record. */
  decideApprovals(commit: PendingCommit): void;
  /** Records the end of an inline call, or the nested calls that it waits for. `run` runs the tool and records both. */
  runInlineCall(commit: PendingCommit, call: AdmittedCall, run: () => Promise<void>): Promise<void>;
  /** Records the reservation of the model call that asks a judge, or how the judge ended. `reserve` records the reservation. */
  judge(commit: PendingCommit, call: AdmittedCall, reserve: () => Promise<void>): Promise<void>;
  /** Records the reservation of the next call of the reflection, or what the phase does instead. `reserve` records the reservation. */
  reflect(commit: PendingCommit, reserve: () => Promise<void>): Promise<void>;
  /** Returns how a remote call ends. `run` runs the tool. */
  runRemoteCall(state: PhaseState, call: AdmittedCall, run: () => Promise<RemoteRun>): Promise<RemoteRun>;
  /** Writes the archive of the todos, which contains the time. `write` stages the archive with the current time. */
  archiveTodos(commit: PendingCommit, write: () => void): void;
  /** Writes the memory with a summary of the workspace, which contains the time. `write` stages it with the current time. */
  refreshMemory(commit: PendingCommit, write: () => void): void;
  /** Returns the time at which the recorded phase itself wrote this content; a live phase writes it when it commits. */
  findWriteTime(path: string, content: Uint8Array): string | undefined;
}

/**
 * Checks whether a process still holds the lease on a stream or a call, from its heartbeats and the clock of the database.
 */
export interface Leases {
  isLeaseHeld(processId: ProcessId, lease: string): Promise<boolean>;
}

/** The leases that this process holds on streams and calls. Its heartbeats contain the list. */
export interface HeldLeases {
  addLease(lease: string): void;
  removeLease(lease: string): void;
}

/** Receives the answer to a model call while the model writes it, for live views only. */
interface AnswerRecorder {
  add(text: string): void;
  /** Says that another attempt begins. What was added is void. */
  restart(attempt: number): void;
  /** Says that the answer is complete. */
  end(): void;
  /** Says that there is no answer. What was added is void. */
  discard(): void;
}

/** Shows people the answers that models are writing, outside the log. */
export interface LiveAnswers {
  open(call: {
    readonly jobId: JobId;
    readonly phase: number;
    readonly step: number;
    /** Number of the attempt at the call, counted from 1. */
    readonly attempt: number;
    readonly purpose?: ModelCallPurpose;
  }): AnswerRecorder;
}

export interface Clock {
  now(): Date;
}
