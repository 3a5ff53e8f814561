import type { JobEvent } from '@phaseline/domain';
import type { Lesson } from './learning-trace.js';

/** Derives lessons from the events of a job's own stream, given in their order. `HandoffIssued` and `ItemStarted` only say what later ones refer to. */
export class JobLessons {
  private feature: string | undefined;
  private readonly handoffs = new Map<string, { readonly agent: string; readonly task: string }>();

  constructor(private readonly agent: string) {}

  /** Applies the next event and returns its lesson, if it has one. */
  apply(event: JobEvent): Lesson | undefined {
    switch (event.type) {
      case 'ItemStarted':
        this.feature = event.data.id;
        return undefined;
      case 'HandoffIssued':
        this.handoffs.set(event.data.handoff, event.data);
        return undefined;
      case 'HandoffRefused':
        return this.describeFailure(
          'hand_over',
          'handoff_refused',
          event.data.handoff,
          'was refused',
          event.data.reason,
        );
      case 'HandoffTimedOut':
        return this.describeFailure('hand_over', 'handoff_timed_out', event.data.handoff, 'did not end in time');
      case 'HandoffRolledBack': {
        const { handoff, to, restored, deleted } = event.data;
        const undone = `was undone: the files are those of the beginning of phase ${to} again (${restored} restored, ${deleted} deleted)`;
        return this.describeFailure('work_on_item', 'rolled_back', handoff, undone);
      }
      default:
        return this.teachCorrection(event);
    }
  }

  private teachCorrection(event: JobEvent): Lesson | undefined {
    switch (event.type) {
      case 'JobSteered':
        return this.correct('decision', 'steer', 'person_steered', {
          happened: 'A person sent the agent a message',
          correct: event.data.message,
        });
      case 'WorkspaceEdited': {
        const { path, file, reason } = event.data;
        return this.correct('decision', 'edit_file', 'person_edited', {
          happened: `A person ${file ? 'changed' : 'deleted'} the file ${path}`,
          ...(reason === undefined ? {} : { why: reason }),
        });
      }
      case 'JobGuardOverridden': {
        const { guard, reason } = event.data;
        return this.correct('approval', 'override_guard', 'person_overrode', {
          happened: `A person overrode the guard ${guard} in this job`,
          why: reason,
        });
      }
      default:
        return undefined;
    }
  }

  private correct(
    type: Lesson['type'],
    action: Lesson['action'],
    reason: Lesson['reason'],
    event: Lesson['event'],
  ): Lesson {
    return { type, source: 'user_correction', action, reason, context: this.describeContext(undefined), event };
  }

  private describeFailure(
    action: Lesson['action'],
    reason: Lesson['reason'],
    handoff: string | undefined,
    outcome: string,
    why?: string,
  ): Lesson {
    const known = handoff === undefined ? undefined : this.handoffs.get(handoff);
    const subject = known
      ? `The handoff to ${known.agent}`
      : action === 'hand_over'
        ? 'A handoff'
        : 'The work on the item';
    return {
      type: 'violation',
      source: 'auto_detected',
      action,
      reason,
      context: this.describeContext(known),
      event: { happened: `${subject} ${outcome}`, ...(why === undefined ? {} : { why }) },
    };
  }

  private describeContext(handoff: { readonly agent: string; readonly task: string } | undefined): Lesson['context'] {
    return {
      agent: handoff?.agent ?? this.agent,
      ...(this.feature === undefined ? {} : { feature: this.feature }),
      ...(handoff ? { task: handoff.task } : {}),
    };
  }
}
