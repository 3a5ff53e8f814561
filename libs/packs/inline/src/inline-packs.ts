import type { ToolPack } from '@phaseline/tools';
import { citationsPack } from './citations/citations-pack.js';
import { discoveryPack } from './discovery/search-tools.js';
import { featuresPack } from './features/submit-features.js';
import { workspacePack } from './files/workspace-pack.js';
import { memoryPack } from './memory/memory-pack.js';
import { delegationPack } from './delegation/delegate.js';
import { peoplePack } from './people/ask-person.js';
import { planningPack } from './planning/planning-pack.js';
import { planRunPack } from './plan-run/plan-run-pack.js';
import { scriptsPack } from './scripts/run-script.js';
import { skillsPack } from './skills/read-skill.js';
import { todosPack } from './todos/todos-pack.js';

/** All packs that run in workers. */
export const inlinePacks: readonly ToolPack[] = [
  workspacePack,
  todosPack,
  memoryPack,
  discoveryPack,
  skillsPack,
  scriptsPack,
  citationsPack,
  peoplePack,
  delegationPack,
  featuresPack,
  planningPack,
  planRunPack,
];
