import type { JsonObject } from '@phaseline/basics';
import { STORE_TRACE, type CallId } from '@phaseline/contracts';
import { currentTodo, EXPIRY_ACTOR, systemTools, type PhaseEvent, type Todo } from '@phaseline/domain';
import { chooseAction, describeCall, describeSubject } from './describe-call.js';
import type { Lesson } from './learning-trace.js';
import { parseStoredNote } from './stored-note.js';
import { chooseClaimReason, chooseVerifierReason, isFailedVerifier } from './verifier-reason.js';

/** A call that learning traces refer to. */
interface KnownCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/**
 * Derives lessons from the events of a phase, given in the order of their stream. `PhaseStarted`, `Todo…`, calls and answers of the model
 * only say what later events refer to. Those that no later event refers to may be left out: their absence makes a lesson less precise, never wrong.
 */
export class PhaseLessons {
  private agent: string;
  private feature: string | undefined;
  private objective: string | undefined;
  private todos: readonly Todo[] = [];
  private failedAttempt: string | undefined;
  private assumption: string | undefined;
  private readonly calls = new Map<CallId, KnownCall>();
  private readonly denials = new Map<CallId, { readonly guard: string; readonly reason: string | undefined }>();
  private readonly questions = new Map<CallId, { readonly question: string; readonly hasOptions: boolean }>();

  /** `jobAgent`: agent of the job, which runs the phases whose start is not known. */
  constructor(jobAgent: string) {
    this.agent = jobAgent;
  }

  /** Applies the next event and returns its lesson, if it has one. */
  apply(event: PhaseEvent): Lesson | undefined {
    this.note(event);
    const lesson = this.teach(event);
    return lesson && { ...lesson, context: this.describeContext() };
  }

  private describeContext(): Lesson['context'] {
    const todo = currentTodo(this.todos);
    const task = todo?.content ?? this.objective;
    return {
      agent: this.agent,
      ...(this.feature === undefined ? {} : { feature: this.feature }),
      ...(todo === undefined ? {} : { todo: todo.id }),
      ...(task === undefined ? {} : { task }),
    };
  }

  private note(event: PhaseEvent): void {
    switch (event.type) {
      case 'PhaseStarted': {
        const { identity, plan } = event.data;
        this.agent = identity.agent.name;
        this.feature = plan.item?.id;
        this.objective = plan.objective ?? identity.name;
        this.todos = plan.todos;
        this.failedAttempt = plan.lastAttempt?.reason;
        break;
      }
      case 'PhaseForked':
        this.agent = event.data.changes.identity?.agent.name ?? this.agent;
        break;
      case 'TodoAdded':
        this.todos = [...this.todos, { id: event.data.todoId, content: event.data.content, status: 'open' }];
        break;
      case 'TodoCompleted':
        this.changeTodo(event.data.todoId, { status: 'done' });
        break;
      case 'TodoBlocked':
        this.changeTodo(event.data.todoId, { blocked: event.data.reason });
        break;
      case 'TodoUnblocked':
        this.todos = this.todos.map((todo) => {
          if (todo.id !== event.data.todoId) return todo;
          const { blocked: _blocked, ...open } = todo;
          return open;
        });
        break;
      case 'ModelResponded':
        for (const { callId, name, arguments: args = {} } of event.data.calls)
          this.calls.set(callId, { name, arguments: args });
        break;
      case 'ToolCallRequested':
      case 'ApprovalRequested':
        this.calls.set(event.data.callId, event.data);
        break;
      case 'QuestionAsked': {
        const { callId, question, options } = event.data;
        this.questions.set(callId, { question, hasOptions: options !== undefined });
        break;
      }
      case 'ReflectionRecorded':
        if (event.data.part === 'assumption') this.assumption = event.data.text;
        break;
      case 'GuardDecided': {
        const { callId, decision, guard, override, reason } = event.data;
        if (callId !== undefined && decision === 'deny' && guard.stage === 'production' && !override)
          this.denials.set(callId, { guard: guard.name, reason });
        break;
      }
    }
  }

  private changeTodo(id: number, change: Partial<Todo>): void {
    this.todos = this.todos.map((todo) => (todo.id === id ? { ...todo, ...change } : todo));
  }

  private teach(event: PhaseEvent): Omit<Lesson, 'context'> | undefined {
    switch (event.type) {
      case 'ToolCallDenied':
        return this.teachDenial(event.data);
      case 'ClaimRefused': {
        const { subject, failures, message } = event.data;
        return {
          type: 'violation',
          source: 'enforcement_hook',
          action: subject.kind === 'todo' ? 'complete_todo' : 'end_phase',
          reason: chooseClaimReason(failures),
          event: {
            happened: `Claimed that ${describeSubject(subject)} is done; found: ${failures.map(({ found }) => found).join('; ')}`,
            correct: failures.map(({ expected }) => expected).join('; '),
            why: message,
          },
        };
      }
      case 'TransitionRejected': {
        const { gate, outcome, message, refusedAt } = event.data;
        // The refused claim before it is a lesson already.
        if (refusedAt !== undefined) return undefined;
        const happened = `Ended the phase with the outcome ${outcome}, which ${gate} rejected`;
        return this.refuse('end_phase', 'gate_rejected', { happened, why: message });
      }
      case 'ItemsRefused': {
        const { problems } = event.data;
        return this.refuse('hand_in_items', 'list_refused', {
          happened: 'Handed in items that were refused',
          why: problems.join('; '),
        });
      }
      case 'StuckDetected': {
        const { pattern, explanation, message } = event.data;
        return {
          type: 'violation',
          source: 'auto_detected',
          action: 'repeat_steps',
          reason: 'stuck',
          event: {
            happened: explanation,
            ...(message === undefined ? {} : { correct: message }),
            why: `Stuck: ${pattern}`,
          },
        };
      }
      case 'JudgeEnded':
        return teachJudgement(event.data);
      case 'ToolCallCompleted':
        return this.teachCompleted(event.data);
      case 'ReflectionRecorded':
        return this.teachReflection(event.data);
      default:
        return this.teachDecision(event);
    }
  }

  private refuse(action: Lesson['action'], reason: Lesson['reason'], event: Lesson['event']): Omit<Lesson, 'context'> {
    return { type: 'violation', source: 'enforcement_hook', action, reason, event };
  }

  private teachDenial({ callId, name, code, message }: DataOf<'ToolCallDenied'>): Omit<Lesson, 'context'> {
    const args = this.calls.get(callId)?.arguments ?? {};
    const happened = `Called ${describeCall(name, args)}`;
    const denial = this.denials.get(callId);
    const why = denial
      ? `The guard ${denial.guard} denied it: ${denial.reason ?? 'it gave no reason'}`
      : `Denied: ${code}`;
    return this.refuse(chooseAction(name, args, denial?.guard), code, { happened, correct: message, why });
  }

  private teachCompleted({ callId, result }: DataOf<'ToolCallCompleted'>): Omit<Lesson, 'context'> | undefined {
    const call = this.calls.get(callId);
    if (call?.name === STORE_TRACE) return parseStoredNote(call.arguments);
    if (call?.name !== systemTools.verifier || !isFailedVerifier(result)) return undefined;
    const happened = `The verifier ${String(call.arguments['name'])} ended as ${result.outcome}`;
    return {
      type: 'violation',
      source: 'auto_detected',
      action: 'run_verifier',
      reason: chooseVerifierReason(result.reason),
      event: { happened, why: result.reason },
    };
  }

  /** A reflection that became part of prompts. A refused one teaches nothing. */
  private teachReflection({ part, text, refused }: DataOf<'ReflectionRecorded'>): Omit<Lesson, 'context'> | undefined {
    if (part !== 'prevention' || refused !== undefined || this.assumption === undefined) return undefined;
    return {
      type: 'decision',
      source: 'auto_detected',
      action: 'reflect',
      reason: 'attempt_failed',
      event: {
        happened: this.assumption,
        correct: text,
        ...(this.failedAttempt === undefined ? {} : { why: this.failedAttempt }),
      },
    };
  }

  /** Lessons from what people decided about calls. */
  private teachDecision(event: PhaseEvent): Omit<Lesson, 'context'> | undefined {
    switch (event.type) {
      case 'ApprovalRefused': {
        const { callId, actor, reason } = event.data;
        const hasExpired = actor === EXPIRY_ACTOR;
        return {
          ...this.describeDecided(callId, hasExpired ? 'approval_expired' : 'person_refused'),
          type: 'violation',
          ...(hasExpired ? { source: 'auto_detected' as const } : {}),
          event: { happened: `Asked to call ${this.describe(callId)}`, why: reason },
        };
      }
      case 'ToolCallAmended': {
        const { callId, arguments: args } = event.data;
        const { name = 'the tool' } = this.calls.get(callId) ?? {};
        return {
          ...this.describeDecided(callId, 'person_amended'),
          type: 'violation',
          event: {
            happened: `Asked to call ${this.describe(callId)}`,
            correct: `Call ${describeCall(name, args)}`,
            why: 'A person changed the arguments before they approved the call',
          },
        };
      }
      case 'ApprovalGranted': {
        const { callId, reason } = event.data;
        return {
          ...this.describeDecided(callId, 'person_approved'),
          type: 'approval',
          event: { happened: `Asked to call ${this.describe(callId)}`, why: reason ?? 'A person approved the call' },
        };
      }
      case 'QuestionAnswered': {
        const { callId, answer } = event.data;
        const { question = 'a question', hasOptions = false } = this.questions.get(callId) ?? {};
        return {
          type: hasOptions ? 'decision' : 'approval',
          source: 'user_correction',
          action: 'ask_question',
          reason: hasOptions ? 'person_chose' : 'person_answered',
          event: {
            happened: `Asked: ${question}`,
            correct: typeof answer === 'string' ? answer : JSON.stringify(answer),
          },
        };
      }
      default:
        return undefined;
    }
  }

  private describeDecided(callId: CallId, reason: Lesson['reason']): Pick<Lesson, 'source' | 'action' | 'reason'> {
    const { name = '', arguments: args = {} } = this.calls.get(callId) ?? {};
    return { source: 'user_correction', action: chooseAction(name, args), reason };
  }

  private describe(callId: CallId): string {
    const call = this.calls.get(callId);
    return call ? describeCall(call.name, call.arguments) : 'a tool';
  }
}

type DataOf<Type extends PhaseEvent['type']> = Extract<PhaseEvent, { readonly type: Type }>['data'];

function teachJudgement({ name, verdict, reason }: DataOf<'JudgeEnded'>): Omit<Lesson, 'context'> {
  const reasons = {
    objection: 'judge_objected',
    'no-objection': 'judge_agreed',
    unreadable: 'judge_unreadable',
  } as const;
  return {
    type: 'decision',
    source: 'auto_detected',
    action: 'end_phase',
    reason: reasons[verdict],
    event: { happened: `The judge ${name} decided: ${verdict}`, why: reason },
  };
}
