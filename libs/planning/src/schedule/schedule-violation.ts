/** Rules that a schedule keeps. */
type ScheduleRule =
  | 'zone'
  | 'task_missing'
  | 'task_doubled'
  | 'task_unknown'
  | 'recurrence'
  | 'sessions'
  | 'length'
  | 'window'
  | 'closed_time'
  | 'taken_time'
  | 'overlap'
  | 'one_at_a_time'
  | 'dependency'
  | 'date'
  | 'fixed_date'
  | 'capacity_day'
  | 'capacity_week';

/** A rule that a schedule breaks. `tasks`: the tasks concerned; for capacity, those of the day or week. */
export interface ScheduleViolation {
  readonly rule: ScheduleRule;
  readonly tasks: readonly string[];
}
