import type { ProcessId } from '@phaseline/contracts';
import type { DailyBudgets, EventOrigin } from '@phaseline/repository';
import type { ToolRegistry } from '@phaseline/tools';
import type { Clock, ConfiguredModel, ResponseSource } from '../ports.js';

/** What the steps of one run of a phase use. */
export interface StepParts {
  readonly processId: ProcessId;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
  /** The model whose limits and prices apply. */
  readonly model: ConfiguredModel;
  readonly source: ResponseSource;
  /** Budgets of people for a day, in which calls are reserved. */
  readonly budgets: Pick<DailyBudgets, 'reserve'>;
  readonly origin: EventOrigin;
  /** Finds another model of this worker, by the name of its profile. */
  readonly findModel: (name: string) => Promise<ConfiguredModel | undefined>;
}
