import type { PatternName, PlanNode } from '../session.js';
import { applyRequests } from './apply-requests.js';
import { buildArc } from './build-arc.js';
import { buildCycle, buildRoutine } from './build-cycle.js';
import { buildHybrid } from './build-hybrid.js';
import { buildProject } from './build-project.js';
import { buildTransformation } from './build-transformation.js';
import type { Draft } from './draft.js';

/** Builds the nodes of an outline by the grammar of its pattern. A proposal has the grammar of the canonical pattern that it departs from. */
export function buildOutline(pattern: PatternName, draft: Draft): readonly PlanNode[] {
  return applyRequests(buildNodes(pattern, draft), draft);
}

function buildNodes({ patternType, subtype, sourcePattern }: PatternName, draft: Draft): readonly PlanNode[] {
  const name = patternType.startsWith('proposed:') ? sourcePattern : patternType;
  switch (name) {
    case 'recurring_cycle':
      return subtype === 'protocol_routine' ? buildRoutine(draft) : buildCycle(draft);
    case 'progressive_accumulation_arc':
      return buildArc(draft);
    case 'hybrid_project_cycle':
      return buildHybrid(draft);
    case 'strategic_transformation':
      return buildTransformation(draft);
    default:
      return buildProject(draft);
  }
}
