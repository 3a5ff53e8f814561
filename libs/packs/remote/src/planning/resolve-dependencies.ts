import type { JsonValue } from '@phaseline/basics';
import type { schedulingSpec } from '@phaseline/pack-specs';
import {
  analyzePlanNetwork,
  type Dependency,
  dependencySchema,
  formatInstant,
  type NetworkAnalysis,
  type PlanOutline,
  planPaths,
  toCamelCase,
} from '@phaseline/planning';
import type { ToolInput, ToolRun } from '@phaseline/tools';
import type { WorkspaceReader } from '@phaseline/workspace';
import { readContext, readOutline } from './plan-input.js';
import { type ComputedAnswer, rememberCall } from './remember-call.js';
import { buildAnswer, writeJson } from './write-answer.js';

/** Checks dependencies: cycles, contradictions, redundant links, earliest and latest times, the critical path. Capacity is left out. */
export const runDependencyResolver: ToolRun<typeof schedulingSpec, 'dependency_resolver'> = (context, input) =>
  rememberCall('dependency_resolver', context, input, () => resolveDependencies(context.workspace, input));

async function resolveDependencies(
  workspace: WorkspaceReader,
  { confidence, ...input }: ToolInput<typeof schedulingSpec, 'dependency_resolver'>,
): Promise<ComputedAnswer> {
  const [context, outline] = await Promise.all([readContext(workspace), readOutline(workspace)]);
  const dependencies = input.dependencies.map((one) => dependencySchema.parse(toCamelCase(one as JsonValue)));
  const analysis = analyzePlanNetwork({ context, outline, dependencies });
  const data = describeNodes(outline, dependencies, analysis);
  return buildAnswer({ confidence, explanations: explain(analysis), data }, [
    writeJson(planPaths.dependencies, { dependencies }),
  ]);
}

function explain(analysis: NetworkAnalysis): readonly string[] {
  if (analysis.kind === 'cyclic') return [`These wait for each other: ${analysis.cycle.join(', ')}.`];
  const { criticalPath, contradictions, redundantLinks } = analysis;
  return [
    `The critical path is ${criticalPath.tasks.join(', ') || 'empty'}.`,
    ...contradictions.map(({ task }) => `The dates of ${task} contradict its dependencies.`),
    ...redundantLinks.map(({ from, to }) => `The dependency from ${from} to ${to} follows from others.`),
  ];
}

function describeNodes(outline: PlanOutline, dependencies: readonly Dependency[], analysis: NetworkAnalysis): object {
  const times = new Map(analysis.kind === 'cyclic' ? [] : analysis.tasks.map((task) => [task.id, task] as const));
  const nodesWithDependencies = outline.nodes.map(({ id }) => {
    const time = times.get(id);
    return {
      id,
      dependencies: dependencies.filter(({ to }) => to === id),
      ...(time && {
        earliestStart: formatInstant(time.earliestStart),
        latestEnd: formatInstant(time.latestEnd),
        floatMinutes: time.floatMinutes,
        isCritical: time.isCritical,
      }),
    };
  });
  return { nodesWithDependencies, ...(analysis.kind === 'cyclic' && { cycle: analysis.cycle }) };
}
