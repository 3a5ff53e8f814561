import { scheduleSchema, type Schedule } from '../../artifacts/schedule.js';
import { OutlineTree } from '../outline-tree.js';
import { checkParentHash } from '../shared-rules.js';
import { validateArtifact, type ValidationReport } from '../validate-artifact.js';
import { checkOrder } from './check-order.js';
import { checkPlacements } from './check-placements.js';
import { checkRepetitions } from './check-repetitions.js';
import type { ScheduleCheck } from './schedule-check.js';

/**
 * Validates the part of a schedule that needs no calendar. `value` is any JSON; what does not parse is a violation as well. At most `maxFixes`
 * fixes are proven. Working hours,
 * capacity and fixed dates are checked by the scheduling engine.
 */
export function validateSchedule(value: unknown, check: ScheduleCheck, maxFixes?: number): ValidationReport<Schedule> {
  const tree = new OutlineTree(check.outline);
  const tasks = new Set(tree.listTasks().map(({ id }) => id));
  return validateArtifact<Schedule>(
    value,
    {
      artifact: 'schedule',
      schema: scheduleSchema,
      findViolations: (schedule) => {
        const subject = { schedule, tree, roadmap: check.roadmap, zone: check.zone };
        return [
          ...checkParentHash('roadmapHash', schedule.roadmapHash, check.roadmapHash),
          ...checkPlacements(subject),
          ...checkRepetitions(subject),
          ...checkOrder(subject),
        ];
      },
      listTasks: (schedule) => schedule.tasks.map(({ task }) => task).filter((task) => tasks.has(task)),
    },
    maxFixes,
  );
}
