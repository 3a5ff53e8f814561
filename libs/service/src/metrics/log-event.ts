import type { JobEvent, PhaseEvent } from '@phaseline/domain';

/** An event of a job or phase. */
export type LogEvent = JobEvent | PhaseEvent;

/** The event of a type. */
export type LogEventOf<Type extends LogEvent['type']> = Extract<LogEvent, { readonly type: Type }>;
