import type { JsonObject } from '@phaseline/basics';
import { buildCapacity } from '../collect/build-capacity.js';
import { readCircumstanceArguments } from '../collect/circumstance-arguments.js';
import type { PlanScene } from '../plan-scene.js';
import { readContextChange } from '../apply-context-change.js';

/** Builds what the person's words about a draft change of the context: arguments of the tool that records it. Empty if they change nothing. */
export function buildContextChange(scene: PlanScene): JsonObject {
  const { conversation, context, draft } = scene;
  const { requested, goal } = conversation;
  if (requested === undefined || context === undefined) return {};
  const { dates, rhythm, hours, effort, circumstances } = requested;
  const saysWhen = rhythm ?? hours ?? circumstances.closedWeekdays ?? Object.values(effort)[0];
  const end = dates.end ?? (dates.start === undefined ? undefined : goal.dates.end);
  const args: JsonObject = {
    ...(dates.start !== undefined && { start: dates.start }),
    ...(end !== undefined && { end }),
    ...readCircumstanceArguments(requested, context),
    ...(saysWhen !== undefined && (buildCapacity(goal, context, draft.frame) as JsonObject)),
  };
  const known = readContextChange(context);
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => JSON.stringify(value) !== known[name]));
}
