export { addLag, type LagUnit } from './calendar/add-lag.js';
export type { CalendarSpec, ClockSpan } from './calendar/calendar-spec.js';
export { expandRecurrence, MAX_OCCURRENCES, type Recurrence, RecurrenceError } from './calendar/expand-recurrence.js';
export {
  type DayNumber,
  formatDay,
  formatInstant,
  getWeek,
  getWeekday,
  type Instant,
  type Interval,
  parseDay,
  parseInstant,
} from './calendar/instant.js';
export { joinIntervals } from './calendar/join-intervals.js';
export { splitByDay } from './calendar/split-by-day.js';
export { WorkingCalendar } from './calendar/working-calendar.js';
export { analyzeNetwork, type NetworkAnalysis, type TaskAnalysis } from './network/analyze-network.js';
export type { Contradiction } from './network/find-contradictions.js';
export {
  type Link,
  type LinkKind,
  linkKinds,
  type Network,
  type NetworkTask,
  type TaskDates,
} from './network/network.js';
export { applyRelaxation } from './schedule/apply-relaxation.js';
export { checkProof } from './schedule/check-proof.js';
export { checkSchedule, scheduleRules, type ScheduleViolation } from './schedule/check-schedule.js';
export { type FlatProblem, type FlatTask, flattenProblem } from './schedule/flat-problem.js';
export { generateSchedule, MAX_PLACEMENTS } from './schedule/generate-schedule.js';
export type {
  Argument,
  Proof,
  RefutedOrder,
  Relaxation,
  Schedule,
  ScheduleAnswer,
  ScheduledTask,
} from './schedule/schedule.js';
export {
  type Capacity,
  type ScheduleProblem,
  type ScheduleTask,
  SLOT_MINUTES,
  type StrategyProfile,
  type TaskSeries,
} from './schedule/schedule-problem.js';
