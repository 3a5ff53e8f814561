import { assertNever } from '@phaseline/basics';
import type { PlanOutline } from '../artifacts/plan-outline.js';
import { formatInstant, type Instant } from '../calendar/instant.js';
import type { Argument, Proof } from '../schedule/schedule.js';
import { describeTask, describeTasks } from './describe-task.js';

/**
 * Describes why a plan has no schedule: which of its parts contradict each other, and how. Dates are written in `zone`, which is that of the plan;
 * without it, in UTC.
 */
export function describeConflict({ conflict, argument }: Proof, outline: PlanOutline, zone = 'UTC'): string {
  const all = describeTasks(conflict, outline);
  switch (argument.kind) {
    case 'cycle':
      return `These wait for each other, so that none of them can begin: ${[...argument.cycle, argument.cycle[0]!]
        .map((id) => describeTask(id, outline))
        .join(' → ')}.`;
    case 'fixed_dates':
      return describeFixedDates(argument.reason, all, conflict.length);
    case 'chain':
      return conflict.length > 1
        ? `${capitalize(describeTask(argument.late, outline))} would be later than its date allows, even with unlimited time per day, because of what comes before it: ${all}.`
        : `${capitalize(describeTask(argument.late, outline))} cannot be done within its dates, even with unlimited time per day.`;
    case 'work': {
      const [from, to] = [argument.from, argument.to].map((at) => formatDate(at, zone));
      const counted = describeTasks(argument.tasks, outline);
      const others = conflict.filter((id) => !argument.tasks.includes(id));
      const causes =
        others.length === 0 ? '' : ` What depends on it or takes its time: ${describeTasks(others, outline)}.`;
      return `${capitalize(counted)} must be done between ${from} and ${to} (${zone}), which is more work than the capacity of that time.${causes}`;
    }
    case 'every_order':
      return `However they are ordered, ${all} do not fit together: in every order, one of them is later than its date allows.`;
    default:
      return assertNever(argument);
  }
}

function describeFixedDates(
  reason: Extract<Argument, { kind: 'fixed_dates' }>['reason'],
  names: string,
  count: number,
): string {
  const subject = capitalize(names);
  const [is, needs] = count === 1 ? ['is', 'needs'] : ['are', 'need'];
  switch (reason) {
    case 'closed':
      return `${subject} ${is} fixed at a time that is not within your working hours.`;
    case 'taken':
      return `${subject} ${is} fixed at a time that another of your plans takes.`;
    case 'overlap':
      return `${subject} are fixed at the same time.`;
    case 'day':
      return `${subject} ${needs} more time than the capacity of the day on which they are fixed.`;
    case 'week':
      return `${subject} ${needs} more time than the capacity of the week in which they are fixed.`;
    default:
      return assertNever(reason);
  }
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Writes an instant as a date and time on the wall, such as `Mon, 4 Jan 2027, 09:00`. */
function formatDate(instant: Instant, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    timeZone: zone,
  }).format(new Date(formatInstant(instant)));
}
