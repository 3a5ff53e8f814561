import { createHash } from 'node:crypto';
import { toCanonicalJson } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import {
  type PlanContext,
  planContextSchema,
  type PlanOutline,
  planOutlineSchema,
  type Roadmap,
  roadmapSchema,
} from '@phaseline/planning';
import { readText, type WorkspaceReader } from '@phaseline/workspace';

/** Returns the content hash of an artifact. */
export function hashArtifact(artifact: object): string {
  return createHash('sha256').update(toCanonicalJson(artifact)).digest('hex');
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

async function readArtifact(workspace: WorkspaceReader, kind: string): Promise<unknown> {
  const path = `plan/${kind}.json`;
  if (!workspace.tree[path]) throw new ToolError('prerequisite_missing', `Not executed: the plan has no ${kind} yet.`);
  return JSON.parse(await readText(workspace, path)) as unknown;
}
