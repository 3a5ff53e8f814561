import { assertNever } from '@phaseline/basics';
import type { PlanOutline } from '../artifacts/plan-outline.js';
import type { Relaxation } from '../schedule/schedule.js';
import { describeMinutes, describeOccurrences, describeTask, describeTasks } from './describe-task.js';

/** Describes a relaxation in one English sentence, for the person who chooses one. */
export function describeRelaxation(relaxation: Relaxation, outline: PlanOutline): string {
  switch (relaxation.kind) {
    case 'later_deadline': {
      const days = `${relaxation.days} day${relaxation.days === 1 ? '' : 's'}`;
      return `Move the end of the plan ${days} later, and with it every due date among ${describeTasks(relaxation.tasks, outline)}.`;
    }
    case 'more_capacity': {
      const { minutesPerDay, minutesPerWeek } = relaxation.capacity;
      return `Work up to ${describeMinutes(minutesPerDay)} per day and ${describeMinutes(minutesPerWeek)} per week.`;
    }
    case 'no_buffer':
      return 'Plan without the buffer, so that work may fill the whole capacity of each day and week.';
    case 'drop_task':
      return `Leave out ${describeTask(relaxation.task, outline)}.`;
    case 'fewer_occurrences':
      return `Leave out ${describeOccurrences(relaxation.dropped, describeTask(relaxation.series, outline))}.`;
    case 'free_date':
      return `Let ${describeTask(relaxation.task, outline)} take place on another day than the one that is fixed.`;
    default:
      return assertNever(relaxation);
  }
}
