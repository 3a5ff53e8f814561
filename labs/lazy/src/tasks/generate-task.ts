import { SeededRandom } from '@phaseline/harness';
import { generateCodeTask, type CodeTask } from './code-task.js';
import { generateFeaturesTask, type FeaturesTask } from './features-task.js';
import { generateReportTask, type ReportTask } from './report-task.js';
import { generateRequirementsTask, type RequirementsTask } from './requirements-task.js';
import { generateTotalsTask, type TotalsTask } from './totals-task.js';

/** The tasks that can be generated, by name. */
export interface Tasks {
  readonly requirements: RequirementsTask;
  readonly totals: TotalsTask;
  readonly report: ReportTask;
  readonly code: CodeTask;
  readonly features: FeaturesTask;
}

const generators: { readonly [Name in keyof Tasks]: (random: SeededRandom) => Tasks[Name] } = {
  requirements: generateRequirementsTask,
  totals: generateTotalsTask,
  report: generateReportTask,
  code: generateCodeTask,
  features: generateFeaturesTask,
};

/** Generates an instance of a task. The same seed generates the same instance. */
export const generateTask = <Name extends keyof Tasks>(name: Name, seed: number): Tasks[Name] =>
  generators[name](new SeededRandom(seed));
