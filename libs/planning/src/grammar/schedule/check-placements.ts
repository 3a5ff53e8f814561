import type { OutlineNode } from '../../artifacts/plan-outline.js';
import type { ScheduledTask } from '../../artifacts/schedule.js';
import { buildPointer } from '../json-patch.js';
import { describeNode } from '../outline-tree.js';
import type { Finding } from '../violation.js';
import type { ScheduleSubject } from './schedule-check.js';

const MS_PER_MINUTE = 60_000;

/** Checks that each task of the outline is placed once, long enough, in a zone that exists. */
export function checkPlacements(subject: ScheduleSubject): readonly Finding[] {
  const { schedule, tree } = subject;
  const tasks = new Map(tree.listTasks().map((node) => [node.id, node]));
  const firstIndexes = new Map(schedule.tasks.map(({ task }, index) => [task, index] as const).toReversed());
  return [
    ...[...tasks.values()]
      .filter(({ id }) => !firstIndexes.has(id))
      .map((node): Finding => {
        return {
          ...{ code: 'task_unplaced', node: node.id, field: 'tasks' },
          message: `${describeNode(node)} is not in the schedule.`,
          instruction: `Add ${node.id} to tasks: generate the schedule again with every task of the outline.`,
        };
      }),
    ...schedule.tasks.flatMap((placement, index) => {
      const node = tasks.get(placement.task);
      const identity = checkIdentity(placement.task, index, node, firstIndexes.get(placement.task)!);
      return identity.length > 0 || node === undefined
        ? identity
        : [...checkTimes(placement, index, node.estimateMinutes ?? 0), ...checkZone(subject, placement, index)];
    }),
  ];
}

/** Checks that an entry is a task of the outline, and the first entry of that task. */
function checkIdentity(
  task: string,
  index: number,
  node: OutlineNode | undefined,
  firstIndex: number,
): readonly Finding[] {
  const remove = [
    {
      description: `Remove tasks.${index}.`,
      operations: [{ op: 'remove', path: buildPointer('tasks', index) } as const],
    },
  ];
  if (node === undefined)
    return [
      {
        ...{ code: 'task_unknown', node: task, field: `tasks.${index}.task` },
        message: `tasks.${index}: ${task} is no task of the outline.`,
        instruction: `Remove ${task} from tasks.`,
        fixes: remove,
      },
    ];
  if (firstIndex < index)
    return [
      {
        ...{ code: 'task_repeated', node: task, field: `tasks.${index}.task` },
        message: `${describeNode(node)} is placed more than once.`,
        instruction: `Keep only one entry for ${task} in tasks.`,
        fixes: remove,
      },
    ];
  return [];
}

function checkTimes({ task, start, end }: ScheduledTask, index: number, estimateMinutes: number): readonly Finding[] {
  const minutes = (Date.parse(end) - Date.parse(start)) / MS_PER_MINUTE;
  const at = { node: task, field: `tasks.${index}.end` };
  if (minutes <= 0)
    return [
      {
        ...{ code: 'end_before_start', ...at },
        message: `${task} ends at ${end}, and starts at ${start}.`,
        instruction: `Place ${task} again: its end must be after its start.`,
      },
    ];
  if (minutes >= estimateMinutes) return [];
  return [
    {
      ...{ code: 'placement_too_short', ...at },
      message: `${task} has ${minutes} minutes, but takes ${estimateMinutes}.`,
      instruction: `Place ${task} again: its end must be at least ${estimateMinutes} minutes after its start.`,
    },
  ];
}

function checkZone({ zone }: ScheduleSubject, placement: ScheduledTask, index: number): readonly Finding[] {
  if (isTimeZone(placement.zone)) return [];
  return [
    {
      ...{ code: 'zone_unknown', node: placement.task, field: `tasks.${index}.zone` },
      message: `'${placement.zone}' is no time zone.`,
      instruction: `Set zone of ${placement.task} to the name of a time zone, such as Europe/Berlin.`,
      fixes: [
        {
          description: `Set the zone of ${placement.task} to that of the plan.`,
          operations: [{ op: 'replace', path: buildPointer('tasks', index, 'zone'), value: zone }],
        },
      ],
    },
  ];
}

/** Whether a name is that of a time zone. An offset such as +02:00 is none: it does not know daylight saving. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
