/** The tasks that scripted models are given. */
export type TaskName = 'requirements' | 'totals' | 'report' | 'code' | 'features';

/** One way to pretend that a task is done. The list was fixed before the checks that refuse it were tuned. */
export interface KindEntry {
  readonly task: TaskName;
  /** What the model does, as the end of "a model that …". */
  readonly does: string;
  /** Why the job, or a todo of it, is not done. */
  readonly why: string;
}

export type KindTable = Readonly<Record<string, KindEntry>>;
