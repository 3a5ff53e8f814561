import { ToolError } from '@phaseline/contracts';
import {
  computeContentHash,
  type Interval,
  parseInstant,
  type PlanContext,
  planContextSchema,
  type PlanOutline,
  planOutlineSchema,
  planPaths,
  portfolioSchema,
  type Roadmap,
  roadmapSchema,
} from '@phaseline/planning';
import { hashText, readText, type WorkspaceReader } from '@phaseline/workspace';

/** Returns the content hash of an artifact. */
export function hashArtifact(artifact: object): string {
  return computeContentHash(artifact, hashText);
}

/** Reads the context of the plan. Throws ToolError if there is none. */
export async function readContext(workspace: WorkspaceReader): Promise<PlanContext> {
  return planContextSchema.parse(await readArtifact(workspace, 'context'));
}

/** Reads the outline of the plan. Throws ToolError if there is none. */
export async function readOutline(workspace: WorkspaceReader): Promise<PlanOutline> {
  return planOutlineSchema.parse(await readArtifact(workspace, 'outline'));
}

/** Reads the roadmap of the plan. Throws ToolError if there is none. */
export async function readRoadmap(workspace: WorkspaceReader): Promise<Roadmap> {
  return roadmapSchema.parse(await readArtifact(workspace, 'roadmap'));
}

/** Reads the time of other plans; none if it was not read in this session. */
export async function readTakenTime(workspace: WorkspaceReader): Promise<readonly Interval[]> {
  if (!workspace.tree[planPaths.portfolio]) return [];
  const { busy } = portfolioSchema.parse(JSON.parse(await readText(workspace, planPaths.portfolio)));
  return busy.map(({ start, end }) => ({ start: parseInstant(start), end: parseInstant(end) }));
}

async function readArtifact(workspace: WorkspaceReader, kind: 'context' | 'outline' | 'roadmap'): Promise<unknown> {
  const path = planPaths[kind];
  if (!workspace.tree[path]) throw new ToolError('prerequisite_missing', `Not executed: the plan has no ${kind} yet.`);
  return JSON.parse(await readText(workspace, path)) as unknown;
}
