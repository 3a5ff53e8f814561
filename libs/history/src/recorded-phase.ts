import {
  decodePhaseEvent,
  foldPhase,
  type JsonObject,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import { canonicalJson } from './canonical-json.js';

/** A call as it went in the recording. */
export interface RecordedCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly lane: 'log' | 'runner';
  /** What a person said to it, where it waited for one. */
  judgement?: Extract<PhaseEvent, { type: 'ApprovalGranted' | 'ApprovalRefused' }>;
  /** What it changed, in order: files, todos, a proposal. */
  readonly facts: PhaseEvent[];
  /** How it ended; missing when it did not, or was only stopped. */
  end?: Extract<PhaseEvent, { type: 'ToolCallCompleted' | 'ToolCallFailed' }>;
}

/** Results that were taken out of the conversation, and the files that some of them went into. */
export interface RecordedClearing {
  /** The step before which it was. */
  readonly step: number;
  readonly facts: readonly PhaseEvent[];
  /** Empty where it was reasoning that was cleared. */
  readonly callIds: readonly string[];
  /** The last step whose answer lost its reasoning. */
  readonly reasoningTo?: number;
}

/** What a phase of the forked job holds that a fork can take in place of a model, a tool or a person. */
export class RecordedPhase {
  readonly answers = new Map<number, PhaseEventData<'ModelResponded'>>();
  /** In the order in which they were asked for. */
  readonly calls = new Map<string, RecordedCall>();
  /** Files that the phase itself wrote and no call, by path. */
  readonly ownFiles = new Map<string, PhaseEventData<'FileWritten'>>();
  /** In the order in which they were made. */
  readonly summaries: PhaseEventData<'ConversationSummarised'>[] = [];
  /** In the order in which they were made. */
  readonly clearings: RecordedClearing[] = [];
  private clearedFiles: PhaseEvent[] = [];
  failure?: PhaseEventData<'PhaseFailed'>;
  ended = false;
  /** The phase as it was in the end. */
  state: PhaseState | undefined;

  static of(events: readonly RecordedEvent[]): RecordedPhase {
    const phase = new RecordedPhase();
    for (const recorded of events) phase.add(decodePhaseEvent(recorded));
    return phase;
  }

  /** The call of that id, if it asked for the same. */
  call(callId: string, name: string, args: JsonObject): RecordedCall | undefined {
    const call = this.calls.get(callId);
    return call && callKey(call.name, call.arguments) === callKey(name, args) ? call : undefined;
  }

  private add(event: PhaseEvent): void {
    this.state = foldPhase([event], this.state);
    switch (event.type) {
      case 'ModelResponded':
        this.answers.set(event.data.step, event.data);
        return;
      case 'ConversationSummarised':
        this.summaries.push(event.data);
        return;
      case 'ReasoningCleared': {
        const step = (this.state?.spending.steps ?? 0) + 1;
        this.clearings.push({ step, facts: [event], callIds: [], reasoningTo: event.data.upToStep });
        return;
      }
      case 'ToolResultsCleared': {
        const step = (this.state?.spending.steps ?? 0) + 1;
        this.clearings.push({ step, facts: [...this.clearedFiles, event], callIds: event.data.callIds });
        this.clearedFiles = [];
        return;
      }
      case 'ToolCallRequested':
      case 'ApprovalRequested': {
        const { callId, name, arguments: args, lane } = event.data;
        if (!this.calls.has(callId)) this.calls.set(callId, { callId, name, arguments: args, lane, facts: [] });
        return;
      }
      case 'ApprovalGranted':
      case 'ApprovalRefused': {
        const call = this.calls.get(event.data.callId);
        if (call) call.judgement = event;
        return;
      }
      case 'ToolCallCompleted':
      case 'ToolCallFailed': {
        const call = this.calls.get(event.data.callId);
        const stopped = event.type === 'ToolCallFailed' && event.data.code === 'cancelled';
        if (call && !stopped) call.end = event;
        return;
      }
      case 'FileWritten':
        if (event.data.callId === undefined) this.ownFiles.set(event.data.path, event.data);
        this.addFact(event, event.data.callId);
        return;
      case 'FileDeleted':
      case 'TodoCompleted':
      case 'ToolsLoaded':
      case 'TodoAdded':
      case 'TodoStarted':
      case 'TodosRewound':
      case 'ExperienceNoted':
      case 'JobCompletionProposed':
        this.addFact(event, event.data.callId);
        return;
      case 'PhaseFailed':
        this.failure = event.data;
        this.ended = true;
        return;
      case 'PhaseCompleted':
      case 'PhaseCancelled':
        this.ended = true;
        return;
    }
  }

  private addFact(event: PhaseEvent, callId: string | undefined): void {
    const call = callId === undefined ? undefined : this.calls.get(callId);
    // Behind the end of its call a file is only written of what is about to be cleared.
    if (call?.end && event.type === 'FileWritten') this.clearedFiles.push(event);
    else call?.facts.push(event);
  }
}

/** The same for calls that ask for the same: name and arguments, whatever the order of their keys. */
export function callKey(name: string, args: JsonObject): string {
  return `${name} ${canonicalJson(args)}`;
}
